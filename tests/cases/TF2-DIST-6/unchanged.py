#### what it serves is not known
import tensorflow as tf
data = tf.data.Dataset.range(100).repeat().batch(10)
#### with distributed=tf_strategy
#### findings
2 manual
#### datasets that are joined
import tensorflow as tf
train = tf.data.Dataset.zip((tf.data.Dataset.range(8), tf.data.Dataset.range(8))).batch(4)
#### with distributed=tf_strategy
#### findings
2 manual
#### functions that batch by themselves
import tensorflow as tf
train = tf.keras.preprocessing.image_dataset_from_directory(folder, batch_size=64)
#### with distributed=tf_strategy
#### findings
2 manual
#### on one device
import tensorflow as tf
train = tf.data.TFRecordDataset(files).repeat().batch(32)
#### divided already
import tensorflow as tf
import npu_device as npu
train = tf.data.TFRecordDataset(files)
train, size = npu.distribute.shard_and_rebatch_dataset(train, 32)
train = train.repeat().batch(size)
#### with distributed=tf_strategy
#### divided already, with shard
import os
import tensorflow as tf
train = tf.data.TFRecordDataset(files).shard(int(os.environ['RANK_SIZE']), int(os.environ['RANK_ID']))
train = train.repeat().batch(32)
#### with distributed=tf_strategy
#### for evaluation
import tensorflow as tf
validation = tf.data.TFRecordDataset(files).batch(32)
#### with distributed=tf_strategy
#### windows of a series
import tensorflow as tf
def train_series(series):
    dataset = tf.data.Dataset.from_tensor_slices(series).window(8)
    return dataset.flat_map(lambda window: window.batch(8))
#### with distributed=tf_strategy
#### Horovod: the batch is that of one rank
import tensorflow as tf
train = tf.data.TFRecordDataset(files).repeat().batch(32)
#### with distributed=horovod
#### a test of the pipeline
import tensorflow as tf
class InputTest(tf.test.TestCase):
    def test_train(self):
        train = tf.data.Dataset.range(8).batch(4)
#### with distributed=tf_strategy
#### taken from what is shuffled
import tensorflow as tf
train = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).take(100).batch(32)
#### with distributed=tf_strategy
#### findings
2 manual
#### samples one by one
import tensorflow as tf
for sample in tf.data.TFRecordDataset(train_files).batch(1):
    print(sample)
#### with distributed=tf_strategy
#### something that may be a list of arrays
import tensorflow as tf
def train(x, y):
    model = tf.keras.Sequential()
    model.fit(x, y, batch_size=64)
#### with distributed=tf_strategy
#### findings
4 manual
#### a part is kept for validation
import numpy as np
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(np.zeros((64, 8)), np.ones(64), validation_split=0.1)
#### with distributed=tf_strategy
#### findings
4 manual
#### arrays that are divided already
import numpy as np
import tensorflow as tf
model = tf.keras.Sequential()
x = np.zeros((64, 8))
y = np.ones(64)
model.fit(x[rank::size], y[rank::size], batch_size=8)
#### with distributed=tf_strategy
#### a dataset in fit()
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(train, epochs=3)
#### with distributed=tf_strategy
#### arrays without labels
import tensorflow as tf
model = tf.keras.Model()
model.fit(train, None, batch_size=64)
#### with distributed=tf_strategy
#### findings
3 manual
#### a batch size tells of arrays
import tensorflow as tf
model = tf.keras.Model()
model.fit(train, validation_data=(val, None), batch_size=64)
#### with distributed=tf_strategy
#### findings
3 manual
#### a generator without labels
import tensorflow as tf
model = tf.keras.Model()
model.fit(train, None, steps_per_epoch=3)
#### with distributed=tf_strategy
#### no batches, all samples in one, and evaluation's
import tensorflow as tf
import tensorflow_datasets as tfds
a = tfds.load("mnist", split="train")
b = tfds.load("mnist", split="train", batch_size=None)
c = tfds.load("mnist", split="train", batch_size=-1)
d = tfds.load("mnist", split="test", batch_size=32)
#### with distributed=tf_strategy
#### shuffling of files by a flag, in tensorflow_datasets
import tensorflow as tf
import tensorflow_datasets as tfds
train = tfds.load('mnist', split='train', shuffle_files=args.shuffle)
train = train.shuffle(1000).batch(32)
#### with distributed=tf_strategy
#### findings
4 manual
#### generators of images
import tensorflow as tf
generator = tf.keras.preprocessing.image.ImageDataGenerator()
train = generator.flow_from_directory('train', batch_size=32)
train = generator.flow(x, y)
train = generator.flow_from_dataframe(frame)
test = generator.flow_from_directory('test')
#### with distributed=tf_strategy
#### findings
3 manual
4 manual
5 manual
#### a generator that has its part of the data
import os
import tensorflow as tf
generator = tf.keras.preprocessing.image.ImageDataGenerator()
rank = int(os.getenv('RANK_ID', '0'))
train = generator.flow_from_directory('train/%d' % rank, batch_size=32)
#### with distributed=tf_strategy
#### something that may be a dataset
import tensorflow as tf
from data import make
train = make('train').shuffle(1000).batch(32)
#### with distributed=tf_strategy
#### findings
3 possible
#### a function for both that is handed on, and one with a call for neither
import tensorflow as tf
def input_fn(files, batch_size=32):
    dataset = tf.data.TFRecordDataset(files)
    return dataset.map(parse).batch(batch_size)
def data_fn(files, batch_size=32):
    dataset = tf.data.TFRecordDataset(files)
    return dataset.map(parse).batch(batch_size)
train_dataset = input_fn(train_files)
test_dataset = input_fn(test_files)
register(input_fn)
train_data = data_fn(train_files)
test_data = data_fn(test_files)
show(data_fn(files))
model.fit(train_dataset, validation_data=test_dataset)
#### with distributed=tf_strategy
#### findings
4 manual
7 manual
