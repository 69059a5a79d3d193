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
