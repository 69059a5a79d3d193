#### a flag
import tensorflow as tf
tf.app.flags.DEFINE_integer('num_gpus', 4, """How many GPUs.""")
FLAGS = tf.app.flags.FLAGS
def train():
    grads = []
    for i in range(FLAGS.num_gpus):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                grads.append(opt.compute_gradients(loss()))
                tf.get_variable_scope().reuse_variables()
#### after
import tensorflow as tf
tf.app.flags.DEFINE_integer('num_gpus', 1, """How many GPUs.""")
FLAGS = tf.app.flags.FLAGS
def train():
    grads = []
    for i in range(FLAGS.num_gpus):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                grads.append(opt.compute_gradients(loss()))
                tf.get_variable_scope().reuse_variables()
#### findings
6 auto-check
#### a constant, and the device through a variable
import tensorflow.compat.v1 as tf
NUM_GPUS = 2  # both cards
for gpu in xrange(NUM_GPUS):
    worker = '/gpu:{}'.format(gpu)
    with tf.device(worker):
        g = opt.compute_gradients(loss)
batch = 32 * NUM_GPUS
#### after
import tensorflow.compat.v1 as tf
NUM_GPUS = 1  # both cards
for gpu in xrange(NUM_GPUS):
    worker = '/gpu:{}'.format(gpu)
    with tf.device(worker):
        g = opt.compute_gradients(loss)
batch = 32 * NUM_GPUS
#### an argument of the command line
import argparse
import tensorflow as tf
parser = argparse.ArgumentParser()
parser.add_argument('--num-gpus', type=int, default=8)
args = parser.parse_args()
def build(n):
    for i in range(0, n):
        with tf.device('/device:GPU:%d' % i):
            g = tf.gradients(loss, tvars)
build(args.num_gpus)
#### after
import argparse
import tensorflow as tf
parser = argparse.ArgumentParser()
parser.add_argument('--num-gpus', type=int, default=1)
args = parser.parse_args()
def build(n):
    for i in range(0, n):
        with tf.device('/device:GPU:%d' % i):
            g = tf.gradients(loss, tvars)
build(args.num_gpus)
#### a number in the loop, two device scopes, one finding
import tensorflow as tf
for i in range(4):
    with tf.device('/gpu:%d' % i):
        x = net()
    with tf.device('/gpu:%d' % i):
        g = opt.compute_gradients(x)
#### after
import tensorflow as tf
for i in range(1):
    with tf.device('/gpu:%d' % i):
        x = net()
    with tf.device('/gpu:%d' % i):
        g = opt.compute_gradients(x)
#### findings
2 auto-check
