#### the plain layers
import tensorflow as tf
x = tf.keras.layers.LSTM(8)(x)
x = tf.keras.layers.GRU(8)(x)
#### contrib's cuDNN layers are not Keras
import tensorflow as tf
x = tf.contrib.cudnn_rnn.CudnnLSTM(1, 8)
#### a class of the user's
class CuDNNLSTM(object):
    pass
CuDNNLSTM()
#### another library
from mylayers import CuDNNLSTM
CuDNNLSTM(8)
#### chosen by a switch
import tensorflow as tf
RNN = tf.keras.layers.CuDNNLSTM if gpu else tf.keras.layers.LSTM
#### findings
2 manual
#### a base class
import tensorflow as tf
class Fast(tf.keras.layers.CuDNNGRU):
    pass
#### findings
2 manual
#### arguments that cannot be seen
import tensorflow as tf
tf.keras.layers.CuDNNLSTM(8, **options)
#### findings
2 manual
#### a word in a string
import tensorflow as tf
name = 'CuDNNLSTM'
