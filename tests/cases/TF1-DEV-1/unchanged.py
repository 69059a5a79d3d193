#### the CPU stays
import tensorflow as tf
with tf.device('/cpu:0'):
    x = f()
with tf.device('/device:CPU:0'):
    x = f()
with tf.device(None):
    x = f()
#### a tower's device is left and reported
import tensorflow as tf
for i in range(4):
    with tf.device('/gpu:%d' % i):
        loss = tower(i)
#### findings
3 info
#### a tower's device in a variable of the loop
import tensorflow as tf
for i in range(4):
    name = '/gpu:%d' % i
    with tf.device(name):
        loss = tower(i)
#### one or the other
import tensorflow as tf
device = '/gpu:0' if cuda else '/cpu:0'
with tf.device(device):
    x = f()
#### a device from a flag
import tensorflow as tf
with tf.device(FLAGS.device):
    x = f()
#### a default that a caller may replace
import tensorflow as tf

def build(device='/gpu:0'):
    with tf.device(device):
        return f()
#### a device of another job
import tensorflow as tf
with tf.device('/job:worker/task:0/gpu:0'):
    x = f()
#### a function of the same name
from torch import device
with device('/gpu:0'):
    x = f()
#### a method of something else
import tensorflow as tf
with self.strategy.device('/gpu:0'):
    x = f()
#### a text that only sounds alike
import tensorflow as tf
with tf.device('/cpu:0'), tf.name_scope('gpu'):
    x = f()
#### a device function
import tensorflow as tf
with tf.device(lambda op: '/gpu:0'):
    x = f()
