#### a session
import tensorflow as tf

with tf.compat.v1.Session() as sess:
    sess.run(op)
#### after
import tensorflow as tf
import npu_device

npu_device.compat.enable_v1()

with tf.compat.v1.Session() as sess:
    sess.run(op)
#### findings
3 auto
#### compat.v1 in the place of TensorFlow
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [8])


def main(_):
    with tf.Session() as sess:
        sess.run(x)


if __name__ == '__main__':
    tf.app.run()
#### after
import tensorflow.compat.v1 as tf
import npu_device

npu_device.compat.enable_v1()
tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [8])


def main(_):
    with tf.Session() as sess:
        sess.run(x)


if __name__ == '__main__':
    tf.app.run()
#### findings
2 auto
#### behind variables of the environment
import os
import tensorflow.compat.v1 as tf

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
tf.disable_eager_execution()
sess = tf.InteractiveSession()
#### after
import os
import tensorflow.compat.v1 as tf
import npu_device

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'

npu_device.compat.enable_v1()
tf.disable_eager_execution()
sess = tf.InteractiveSession()
#### findings
5 auto
#### an Estimator
import tensorflow as tf

estimator = tf.compat.v1.estimator.Estimator(model_fn)
estimator.train(input_fn)
#### after
import tensorflow as tf
import npu_device

npu_device.compat.enable_v1()

estimator = tf.compat.v1.estimator.Estimator(model_fn)
estimator.train(input_fn)
#### findings
3 auto
#### in a module of the project
from helper import run

if __name__ == '__main__':
    run()
#### file helper.py
import tensorflow as tf
def run():
    with tf.compat.v1.Session() as sess:
        sess.run(op)
#### after
from helper import run
import npu_device

npu_device.compat.enable_v1()

if __name__ == '__main__':
    run()
#### findings
3 auto
