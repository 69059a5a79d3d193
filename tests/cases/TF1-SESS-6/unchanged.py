#### eager execution
import tensorflow as tf
tf.enable_eager_execution()
#### findings
2 blocker
#### through compat and contrib
import tensorflow.compat.v1 as tf
import tensorflow.contrib.eager as tfe
tf.enable_v2_behavior()
tfe.enable_eager_execution(device_policy=policy)
#### findings
3 blocker
4 blocker
#### imported by name, under the main guard
from tensorflow import enable_eager_execution as eager
if __name__ == "__main__":
    eager()
#### findings
3 blocker
#### on a condition
import tensorflow as tf
if FLAGS.eager:
    tf.enable_eager_execution()
#### findings
3 manual
#### functions run eagerly
import tensorflow as tf
tf.config.experimental_run_functions_eagerly(True)
#### findings
2 blocker
#### functions run as graphs
import tensorflow as tf
tf.config.experimental_run_functions_eagerly(False)
#### the other way round
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.disable_v2_behavior()
#### only tested
import tensorflow as tf
if tf.executing_eagerly():
    raise RuntimeError("graph mode only")
#### somebody else's function
from mylib import enable_eager_execution
enable_eager_execution()
#### a test case runs eagerly
import tensorflow as tf


class ModelTest(tf.test.TestCase):
    def setUp(self):
        tf.enable_eager_execution()
