#### parameter servers are another rule's business
import tensorflow as tf
with tf.device(tf.train.replica_device_setter(FLAGS.ps_tasks)):
    x = f()
#### a device function of the project
import tensorflow as tf

def choose(op):
    return '/gpu:0'

with tf.device(choose):
    x = f()
with tf.device(lambda op: '/gpu:1'):
    x = f()
#### findings
6 info
8 info
#### strings and the unknown are not functions
import tensorflow as tf
with tf.device('/gpu:0'):
    x = f()
with tf.device(FLAGS.device):
    x = f()
#### the result of a call is not a function we can see
import tensorflow as tf
with tf.device(deploy_config.variables_device()):
    x = f()
#### somebody else's device
from torch import device
device(lambda: 0)
