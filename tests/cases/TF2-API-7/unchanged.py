#### names of compat.v1
import tensorflow as tf

total = tf.compat.v1.Print(total, [total])
#### compat.v1 in the place of TensorFlow
import tensorflow.compat.v1 as tf

total = tf.Print(total, [total])
#### names that TensorFlow 2 has
import tensorflow as tf

tf.print(tf.math.log(tf.reduce_sum(x)))
#### behind a look at the version
import tensorflow as tf

if tf.__version__ >= "2.0.0":
    log = tf.math.log
else:
    log = tf.log
#### behind a look at the name
import tensorflow as tf

log = tf.log if hasattr(tf, "log") else tf.math.log
#### an error that is caught
import tensorflow as tf

try:
    from tensorflow.contrib import slim
    log = tf.log
except (ImportError, AttributeError):
    slim = None
#### another module called tf
import transforms as tf

total = tf.Print(total)
#### a test
import tensorflow as tf


class LossTest(tf.test.TestCase):
    def test_loss(self):
        tf.Print(x, [x])
