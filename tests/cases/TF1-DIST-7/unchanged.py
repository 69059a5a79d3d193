#### one device
import tensorflow as tf
x = tf.data.Dataset.range(3)
tf.train.AdamOptimizer().minimize(x)
#### Horovod is initialised by itself
import tensorflow as tf
x = tf.data.Dataset.range(3)
tf.train.AdamOptimizer().minimize(x)
#### with distributed=horovod
#### a library file
import tensorflow as tf
def f():
    x = tf.data.Dataset.range(3)
    tf.train.AdamOptimizer().minimize(x)
#### with distributed=tf_strategy entry=other.py
#### a script that does not train
import tensorflow as tf
x = tf.data.Dataset.range(3)
print(x)
#### with distributed=tf_strategy
#### an NPUEstimator that only predicts
import tensorflow as tf
from npu_bridge.npu_init import NPUEstimator
estimator = NPUEstimator(model_fn, config=config)
x = tf.data.Dataset.range(3)
estimator.predict(f)
#### with distributed=tf_strategy
#### nobody asks for a rank
import tensorflow as tf
tf.train.AdamOptimizer().minimize(x)
#### with distributed=tf_strategy
#### initialised by hand
import tensorflow as tf
from npu_bridge.npu_init import *
sess, stop = init_resource()
x = tf.data.Dataset.range(3)
tf.train.AdamOptimizer().minimize(x)
#### with distributed=tf_strategy
#### initialised in another file
import tensorflow as tf
import setup
setup.start()
x = tf.data.Dataset.range(3)
tf.train.AdamOptimizer().minimize(x)
#### file setup.py
from npu_bridge.estimator import npu_ops
def start():
    return npu_ops.initialize_system()
#### with distributed=tf_strategy
#### tests are no script
import tensorflow as tf
class T(tf.test.TestCase):
    def test(self):
        x = tf.data.Dataset.range(3)
        tf.train.AdamOptimizer().minimize(x)
if __name__ == '__main__':
    tf.test.main()
#### with distributed=tf_strategy
