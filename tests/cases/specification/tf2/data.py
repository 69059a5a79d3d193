#### training batches are full
import tensorflow as tf

dataset = tf.data.Dataset.range(100).shuffle(100).batch(8)
for batch in dataset:
    train_step(batch)
#### after
import tensorflow as tf

dataset = tf.data.Dataset.range(100).shuffle(100).batch(8, drop_remainder=True)
for batch in dataset:
    train_step(batch)
#### findings
3 TF2-DATA-1 auto
#### batch with options of its own
import tensorflow as tf

train = tf.data.Dataset.range(100).batch(8, num_parallel_calls=2, deterministic=True)
#### after
import tensorflow as tf

train = tf.data.Dataset.range(100).batch(8, num_parallel_calls=2, deterministic=True, drop_remainder=True)
#### findings
3 TF2-DATA-1 auto
#### padded_batch
import tensorflow as tf

train = tf.data.Dataset.range(100).padded_batch(8, padded_shapes=[])
#### after
import tensorflow as tf

train = tf.data.Dataset.range(100).padded_batch(8, padded_shapes=[], drop_remainder=True)
#### findings
3 TF2-DATA-1 auto
#### windows
import tensorflow as tf

train = tf.data.Dataset.range(100).window(8)
#### after
import tensorflow as tf

train = tf.data.Dataset.range(100).window(8, drop_remainder=True)
#### findings
3 TF2-DATA-1 auto
#### ragged_batch
import tensorflow as tf

train = tf.data.Dataset.range(100).ragged_batch(8)
#### after
import tensorflow as tf

train = tf.data.Dataset.range(100).ragged_batch(8, drop_remainder=True)
#### findings
3 TF2-DATA-1 auto
#### buckets by length
import tensorflow as tf

train = tf.data.TFRecordDataset('train').bucket_by_sequence_length(len, [10, 20], [8, 4, 2])
#### after
import tensorflow as tf

train = tf.data.TFRecordDataset('train').bucket_by_sequence_length(len, [10, 20], [8, 4, 2], drop_remainder=True)
#### findings
3 TF2-SHAPE-2 manual
3 TF2-DATA-1 auto
#### batches of parsed features
import tensorflow as tf

train = tf.data.experimental.make_batched_features_dataset('train-*', 8, features, num_epochs=3)
#### after
import tensorflow as tf

train = tf.data.experimental.make_batched_features_dataset('train-*', 8, features, num_epochs=3, drop_final_batch=True)
#### findings
3 TF2-DATA-1 auto
#### images of a folder
import tensorflow as tf

train = tf.keras.preprocessing.image_dataset_from_directory('train', batch_size=16)
#### with select=TF2-DATA
#### after
import tensorflow as tf

train = tf.keras.preprocessing.image_dataset_from_directory('train', batch_size=16).unbatch().batch(16, drop_remainder=True)
#### findings
3 TF2-DATA-4 auto-check
#### texts of a folder
import tensorflow as tf

train = tf.keras.preprocessing.text_dataset_from_directory('train', subset='training')
#### with select=TF2-DATA
#### after
import tensorflow as tf

train = tf.keras.preprocessing.text_dataset_from_directory('train', subset='training').unbatch().batch(32, drop_remainder=True)
#### findings
3 TF2-DATA-4 auto-check
#### a generator of images
import tensorflow as tf

generator = tf.keras.preprocessing.image.ImageDataGenerator()
model = tf.keras.applications.ResNet50()
model.fit(generator.flow_from_directory('train', batch_size=16))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

generator = tf.keras.preprocessing.image.ImageDataGenerator()
model = tf.keras.applications.ResNet50()
model.fit(generator.flow_from_directory('train', batch_size=16))
#### findings
3 TF2-INIT-1 auto
5 TF2-DATA-4 manual
#### arrays in fit(): cut to full batches
import numpy as np
import tensorflow as tf

x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.applications.ResNet50()
model.fit(x, y, batch_size=16)
#### after
import numpy as np
import tensorflow as tf
import npu_device

npu_device.open().as_default()

x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.applications.ResNet50()
model.fit(x[:len(x) // 16 * 16 or None], y[:len(x) // 16 * 16 or None], batch_size=16)
#### findings
5 TF2-INIT-1 auto
6 TF2-DATA-3 auto
#### arrays of which a part is for validation: split first, then cut
import numpy as np
import tensorflow as tf

x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.applications.ResNet50()
model.fit(x, y, batch_size=16, validation_split=0.1)
#### after
import numpy as np
import tensorflow as tf
import npu_device

npu_device.open().as_default()

x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.applications.ResNet50()
model.fit(x, y, batch_size=16, validation_split=0.1)
#### findings
5 TF2-INIT-1 auto
6 TF2-DATA-3 manual
#### validation data keeps every sample
import tensorflow as tf

val = tf.data.Dataset.range(100).batch(8)
model = tf.keras.applications.ResNet50()
model.evaluate(val)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

val = tf.data.Dataset.range(100).batch(8)
model = tf.keras.applications.ResNet50()
model.evaluate(val)
#### findings
3 TF2-INIT-1 auto
3 TF2-DATA-1 info
#### a flag for evaluation, as in the BiT guide
import tensorflow as tf


def load(files, is_training, eval_static):
    dataset = tf.data.TFRecordDataset(files)
    if is_training:
        dataset = dataset.shuffle(100)
    return dataset.batch(8, drop_remainder=is_training or eval_static)
#### 64-bit floats as the type of every layer
import tensorflow as tf

tf.keras.backend.set_floatx('float64')
layer = tf.keras.layers.Dense(4)
#### with select=TF2-DATA
#### after
import tensorflow as tf

tf.keras.backend.set_floatx('float32')
layer = tf.keras.layers.Dense(4)
#### findings
3 TF2-DATA-2 auto-check
#### 64-bit literals
import tensorflow as tf

weight = tf.Variable(1.0, dtype=tf.float64)
#### with select=TF2-DATA
#### findings
3 TF2-DATA-2 manual
#### 64-bit arrays of numpy
import numpy as np
import tensorflow as tf

weight = tf.constant(np.zeros([4]))
#### findings
4 TF2-DATA-2 manual
#### complex numbers
import tensorflow as tf

signal = tf.cast(tf.ones([4]), tf.complex64)
#### findings
3 TF2-DATA-2 manual
#### strings stay in the input pipeline
import tensorflow as tf


def parse(path):
    return tf.strings.to_number(tf.strings.split(path, '_')[0])


dataset = tf.data.Dataset.list_files('*.png').map(parse)
#### generators of images from arrays and from a table
import tensorflow as tf

generator = tf.keras.preprocessing.image.ImageDataGenerator()
train = generator.flow(x, y, batch_size=16)
table = generator.flow_from_dataframe(frame, batch_size=16)
#### findings
3 TF2-INIT-3 manual
4 TF2-DATA-4 manual
5 TF2-DATA-4 manual
#### complex numbers of 64 bits
import tensorflow as tf


@tf.function
def spectrum(x):
    return tf.abs(tf.signal.fft(tf.cast(x, tf.complex128)))
#### findings
4 TF2-INIT-3 manual
6 TF2-DATA-2 blocker
6 TF2-DATA-2 blocker
