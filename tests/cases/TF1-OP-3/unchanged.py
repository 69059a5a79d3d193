#### cuDNN layers
import tensorflow as tf
from tensorflow.contrib.cudnn_rnn.python.layers import cudnn_rnn
lstm = tf.contrib.cudnn_rnn.CudnnLSTM(1, 128)
gru = cudnn_rnn.CudnnGRU(1, 128)
#### findings
3 blocker
4 blocker
#### a layer derived from cuDNN's
import tensorflow as tf
class Mine(tf.contrib.cudnn_rnn.CudnnLSTM):
    pass
#### findings
2 blocker
#### loops over time
import tensorflow as tf
outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
both, states = tf.nn.bidirectional_dynamic_rnn(fw, bw, inputs, dtype=tf.float32)
#### findings
2 info
3 info
#### unrolled networks
import tensorflow as tf
outputs, state = tf.nn.static_rnn(cell, inputs, dtype=tf.float32)
#### cells that compute the same everywhere
import tensorflow as tf
cell = tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(128)
#### constants of the module
import tensorflow as tf
direction = tf.contrib.cudnn_rnn.CUDNN_RNN_UNIDIRECTION
#### a class of the project
import tensorflow as tf
class CudnnLSTM:
    pass
lstm = CudnnLSTM()
#### functions of the project and other loops
import tensorflow as tf
from mine import dynamic_rnn
a = dynamic_rnn(cell, inputs)
b = tf.nn.raw_rnn(cell, loop)
c = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
#### with dynamic_rnn=yes
#### a test of a cell
import tensorflow as tf
class CellTest(tf.test.TestCase):
    def test_cell(self):
        tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
#### with dynamic_rnn=yes
#### keras layers have operators of their own
import tensorflow as tf
layer = tf.keras.layers.LSTM(8)
#### with dynamic_rnn=yes
