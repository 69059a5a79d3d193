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
#### a script without a guard
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [8])
with tf.Session() as sess:
    sess.run(x)
#### with entry=
#### after
import tensorflow.compat.v1 as tf
import npu_device

npu_device.compat.enable_v1()

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [8])
with tf.Session() as sess:
    sess.run(x)
#### findings
3 auto
#### ranks that are joined when eager execution is off
import tensorflow as tf
from npu_device.compat.v1.npu_init import init_resource

tf.compat.v1.disable_eager_execution()
npu_sess, npu_shutdown = init_resource()
with tf.compat.v1.Session() as sess:
    sess.run(op)
#### after
import tensorflow as tf
import npu_device
from npu_device.compat.v1.npu_init import init_resource

tf.compat.v1.disable_eager_execution()
npu_sess, npu_shutdown = init_resource()
npu_device.compat.enable_v1()
with tf.compat.v1.Session() as sess:
    sess.run(op)
#### findings
5 auto
#### ranks that are joined in a function
import tensorflow.compat.v1 as tf
import horovod.tensorflow as hvd


def main():
    hvd.init()
    with tf.Session() as sess:
        sess.run(op)


if __name__ == '__main__':
    tf.disable_v2_behavior()
    main()
#### after
import tensorflow.compat.v1 as tf
import horovod.tensorflow as hvd
import npu_device


def main():
    hvd.init()
    npu_device.compat.enable_v1()
    with tf.Session() as sess:
        sess.run(op)


if __name__ == '__main__':
    tf.disable_v2_behavior()
    main()
#### findings
6 auto
#### ranks that are joined in eager mode: the switch comes first
import tensorflow as tf
import horovod.tensorflow as hvd

hvd.init()
with tf.compat.v1.Session() as sess:
    sess.run(op)
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd

npu_device.compat.enable_v1()

hvd.init()
with tf.compat.v1.Session() as sess:
    sess.run(op)
#### findings
5 auto
#### ranks that are joined on a condition: the switch comes first
import tensorflow.compat.v1 as tf
import horovod.tensorflow as hvd

tf.disable_v2_behavior()
if args.horovod:
    hvd.init()
with tf.Session() as sess:
    sess.run(op)
#### after
import tensorflow.compat.v1 as tf
import horovod.tensorflow as hvd
import npu_device

npu_device.compat.enable_v1()

tf.disable_v2_behavior()
if args.horovod:
    hvd.init()
with tf.Session() as sess:
    sess.run(op)
#### findings
4 auto
