#### compat.v1 in the place of TensorFlow
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [8, 4])
with tf.Session() as sess:
    sess.run(x * 2, {x: [[1, 2, 3, 4]] * 8})
#### after
import tensorflow.compat.v1 as tf
import npu_device
from npu_device.compat.v1.npu_init import npu_config_proto

npu_device.compat.enable_v1()

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [8, 4])
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(x * 2, {x: [[1, 2, 3, 4]] * 8})
#### findings
3 TF2-V1-1 auto
5 TF1-SESS-1 auto
#### compat.v1 beside TensorFlow
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
x = tf.compat.v1.placeholder(tf.float32, [8, 4])
with tf.compat.v1.Session() as sess:
    sess.run(x * 2, {x: [[1, 2, 3, 4]] * 8})
#### after
import tensorflow as tf
import npu_device
from npu_device.compat.v1.npu_init import npu_config_proto

npu_device.compat.enable_v1()

tf.compat.v1.disable_eager_execution()
x = tf.compat.v1.placeholder(tf.float32, [8, 4])
with tf.compat.v1.Session(config=npu_config_proto()) as sess:
    sess.run(x * 2, {x: [[1, 2, 3, 4]] * 8})
#### findings
3 TF2-V1-1 auto
5 TF1-SESS-1 auto
#### an Estimator of compat.v1
import tensorflow.compat.v1 as tf


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(data).repeat().batch(8)


estimator = tf.estimator.Estimator(model_fn, 'out', tf.estimator.RunConfig(save_summary_steps=10))
estimator.train(input_fn, max_steps=100)
#### after
import tensorflow.compat.v1 as tf
import npu_device
from npu_device.compat.v1.estimator.npu.npu_config import NPURunConfig
from npu_device.compat.v1.estimator.npu.npu_estimator import NPUEstimator

npu_device.compat.enable_v1()


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(data).repeat().batch(8, drop_remainder=True)


estimator = NPUEstimator(model_fn=model_fn, model_dir='out', config=NPURunConfig(save_summary_steps=10,
        session_config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False),
        save_checkpoints_secs=600))
estimator.train(input_fn, max_steps=100)
#### findings
11 TF1-DATA-1 auto
14 TF1-EST-2 auto
14 TF2-V1-1 auto
14 TF1-EST-9 info
14 TF1-EST-1 auto
14 TF1-LOOP-1 info
#### a native Estimator
import tensorflow as tf

estimator = tf.estimator.Estimator(model_fn, 'out')
estimator.train(input_fn)
#### findings
3 TF2-V1-2 blocker
#### an Estimator in a process that has opened the NPU for eager code
import npu_device
import tensorflow as tf

npu_device.open().as_default()
estimator = tf.estimator.Estimator(model_fn, 'out')
estimator.train(input_fn)
#### findings
5 TF2-V1-2 blocker
#### device scopes of graphs
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
with tf.device('/gpu:0'):
    x = tf.placeholder(tf.float32, [8, 4])
with tf.Session() as sess:
    sess.run(x * 2, {x: [[1, 2, 3, 4]] * 8})
#### after
import tensorflow.compat.v1 as tf
import npu_device
from npu_device.compat.v1.npu_init import npu_config_proto

npu_device.compat.enable_v1()

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [8, 4])
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(x * 2, {x: [[1, 2, 3, 4]] * 8})
#### findings
3 TF2-V1-1 auto
4 TF1-DEV-1 auto
6 TF1-SESS-1 auto
#### the graph rewrite for mixed precision
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [8, 4])
opt = tf.train.AdamOptimizer(0.1)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
train_op = opt.minimize(tf.reduce_mean(tf.layers.dense(x, 1)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: [[1, 2, 3, 4]] * 8})
#### after
import tensorflow.compat.v1 as tf
import npu_device
from npu_device.compat.v1.npu_init import npu_config_proto

npu_device.compat.enable_v1()

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [8, 4])
opt = tf.train.AdamOptimizer(0.1)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
train_op = opt.minimize(tf.reduce_mean(tf.layers.dense(x, 1)))
with tf.Session(config=npu_config_proto()) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: [[1, 2, 3, 4]] * 8})
#### findings
3 TF2-V1-1 auto
6 TF1-PREC-1 manual
7 TF1-LS-4 manual
8 TF1-SESS-1 auto
#### Keras in a session
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
tf.keras.backend.set_session(tf.Session(config=config))
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(data, labels, batch_size=8)
#### after
import atexit
import tensorflow.compat.v1 as tf
import npu_device
from npu_device.compat.v1.npu_init import npu_config_proto

npu_device.compat.enable_v1()

tf.disable_v2_behavior()
config = tf.ConfigProto()
npu_keras_sess = tf.Session(config=npu_config_proto(config_proto=config))
tf.keras.backend.set_session(npu_keras_sess)
atexit.register(npu_keras_sess.close)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(data, labels, batch_size=8)
#### findings
3 TF2-V1-1 auto
5 TF1-GPU-1 auto
6 TF1-SESS-1 auto
6 TF1-SESS-2 auto
9 TF1-KERAS-7 info
