#### the stand-alone Keras
import keras
from keras.layers import Dense

model = keras.Sequential([Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(data, labels, batch_size=8)
#### after
from tensorflow import keras
from tensorflow.keras.layers import Dense
import npu_device

npu_device.open().as_default()

model = keras.Sequential([Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(data, labels, batch_size=8)
#### findings
1 TF2-KERAS-1 auto
2 TF2-KERAS-1 auto
4 TF2-INIT-1 auto
6 TF2-DATA-3 manual
#### doubtful operators
import tensorflow as tf


@tf.function
def step(x):
    y = tf.einsum('ij,jk->ik', x, x)
    y = tf.ensure_shape(y, [4, 4])
    z = tf.scan(lambda a, b: a + b, y)
    return tf.random.stateless_uniform([4], seed=[1, 2]) + z


for _ in range(3):
    step(tf.ones([4, 4]))
#### with select=TF2-API
#### findings
6 TF2-API-1 info
8 TF2-API-1 info
9 TF2-API-1 info
#### doubtful layers
import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.layers.DepthwiseConv2D(3, input_shape=(8, 8, 3)),
    tf.keras.layers.Conv3D(4, 3),
    tf.keras.layers.PReLU(),
])
model.compile('sgd', 'mse')
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([
    tf.keras.layers.DepthwiseConv2D(3, input_shape=(8, 8, 3)),
    tf.keras.layers.Conv3D(4, 3),
    tf.keras.layers.PReLU(),
])
model.compile('sgd', 'mse')
#### findings
3 TF2-INIT-1 auto
4 TF2-API-1 info
5 TF2-API-1 info
6 TF2-API-1 info
#### a Python function in a step
import tensorflow as tf


@tf.function
def step(x):
    return tf.py_function(lambda v: v * 2, [x], tf.float32)


step(tf.ones([4]))
#### with select=TF2-OP
#### findings
6 TF2-OP-8 manual
#### TensorBoard profiles a batch
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(data, callbacks=[tf.keras.callbacks.TensorBoard('logs')])
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(data, callbacks=[tf.keras.callbacks.TensorBoard('logs', profile_batch=0)])
#### findings
3 TF2-INIT-1 auto
5 TF2-PROF-1 auto
#### prefetching to a GPU
import tensorflow as tf

train = tf.data.Dataset.range(8).apply(tf.data.experimental.prefetch_to_device('/gpu:0'))
#### after
import tensorflow as tf

train = tf.data.Dataset.range(8).prefetch(tf.data.experimental.AUTOTUNE)
#### findings
3 TF2-DATA-9 auto
#### copies to a GPU
import tensorflow as tf

train = tf.data.Dataset.range(8).apply(tf.data.experimental.copy_to_device('/gpu:0')).prefetch(1)
#### after
import tensorflow as tf

train = tf.data.Dataset.range(8).prefetch(1)
#### findings
3 TF2-DATA-9 auto
#### checkpoints, weights and SavedModels stay
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.save('ckpt')
model.save_weights('weights')
model.save('exported')
tf.saved_model.save(model, 'exported')
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.save('ckpt')
model.save_weights('weights')
model.save('exported')
tf.saved_model.save(model, 'exported')
#### findings
3 TF2-INIT-1 auto
#### a checkpoint is restored
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.restore('ckpt')
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
checkpoint = tf.train.Checkpoint(model=model)
checkpoint.restore('ckpt')
#### findings
3 TF2-INIT-1 auto
5 TF2-CKPT-2 info
#### SavedModel of a model with the NPU's gelu
import npu_device
import tensorflow as tf

npu_device.open().as_default()


class Block(tf.keras.layers.Layer):
    def call(self, x):
        return npu_device.ops.gelu(x)


model = tf.keras.Sequential([Block(input_shape=(4,))])
tf.saved_model.save(model, 'exported')
#### findings
13 TF2-EXPORT-1 manual
#### a module of TensorFlow Hub is trained on
import tensorflow as tf
import tensorflow_hub as hub

model = tf.keras.Sequential([
    hub.KerasLayer('https://tfhub.dev/google/bit/m-r50x1/1', trainable=True),
    tf.keras.layers.Dense(5),
])
model.compile('sgd', 'mse')
model.fit(data, epochs=2)
#### after
import tensorflow as tf
import npu_device
import tensorflow_hub as hub

npu_device.open().as_default()

model = tf.keras.Sequential([
    hub.KerasLayer('https://tfhub.dev/google/bit/m-r50x1/1', trainable=True),
    tf.keras.layers.Dense(5),
])
model.compile('sgd', 'mse')
model.fit(data, epochs=2)
#### findings
2 TF2-API-4 info
4 TF2-INIT-1 auto
#### a module that is loaded
import tensorflow as tf
import tensorflow_hub as hub

module = hub.load('https://tfhub.dev/google/bit/m-r50x1/1')
print(module(tf.ones([1, 8, 8, 3])))
#### after
import tensorflow as tf
import npu_device
import tensorflow_hub as hub

npu_device.open().as_default()

module = hub.load('https://tfhub.dev/google/bit/m-r50x1/1')
print(module(tf.ones([1, 8, 8, 3])))
#### findings
2 TF2-API-4 info
4 TF2-INIT-1 auto
#### tensorflow_datasets
import tensorflow as tf
import tensorflow_datasets as tfds

train, info = tfds.load('mnist', split='train', as_supervised=True, with_info=True)
train = train.shuffle(1000).batch(128)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(train, epochs=2)
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds

npu_device.open().as_default()

train, info = tfds.load('mnist', split='train', as_supervised=True, with_info=True)
train = train.shuffle(1000).batch(128, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(train, epochs=2)
#### findings
5 TF2-DATA-1 auto
6 TF2-INIT-1 auto
#### the other doubtful layers
import tensorflow as tf

layers = tf.keras.layers
model = tf.keras.Sequential([
    layers.Bidirectional(layers.LSTM(4)), layers.DepthwiseConv2D(3), layers.SeparableConv1D(3, 3),
    layers.AveragePooling3D(), layers.ConvLSTM2D(4, 3), layers.PReLU(), layers.GaussianDropout(0.1),
])
model.compile('sgd', tf.keras.losses.CategoricalCrossentropy())
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

layers = tf.keras.layers
model = tf.keras.Sequential([
    layers.Bidirectional(layers.LSTM(4)), layers.DepthwiseConv2D(3), layers.SeparableConv1D(3, 3),
    layers.AveragePooling3D(), layers.ConvLSTM2D(4, 3), layers.PReLU(), layers.GaussianDropout(0.1),
])
model.compile('sgd', tf.keras.losses.CategoricalCrossentropy())
#### findings
4 TF2-INIT-1 auto
5 TF2-API-1 info
5 TF2-API-1 info
5 TF2-API-1 info
6 TF2-API-1 info
6 TF2-API-1 info
6 TF2-API-1 info
6 TF2-API-1 info
#### layers that prepare data
import tensorflow as tf

crop = tf.keras.layers.CenterCrop(8, 8)
random = tf.keras.layers.RandomCrop(8, 8)
encode = tf.keras.layers.CategoryEncoding(4)
#### findings
3 TF2-INIT-3 manual
3 TF2-API-1 manual
4 TF2-API-1 manual
5 TF2-API-1 manual
#### columns of features
import tensorflow as tf

column = tf.feature_column.categorical_column_with_hash_bucket('name', 10)
crossed = tf.feature_column.crossed_column(['a', 'b'], 10)
indicator = tf.feature_column.indicator_column(column)
#### findings
3 TF2-API-1 info
4 TF2-API-1 info
5 TF2-API-1 info
#### TPUs, TensorFlow Lite, sparse tensors
import tensorflow as tf

sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
converter = tf.lite.TFLiteConverter.from_saved_model('saved')
topology = tf.tpu.experimental.initialize_tpu_system()
#### findings
4 TF2-API-1 manual
5 TF2-API-1 blocker
#### static memory of the graph engine
import os

os.environ['GE_USE_STATIC_MEMORY'] = '1'
import npu_device
import tensorflow as tf

npu_device.open().as_default()
print(tf.Variable(1.0).assign_add(1.0))
