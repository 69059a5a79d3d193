#### an LSTM
import tensorflow as tf
x = tf.keras.layers.CuDNNLSTM(64, return_sequences=True)(x)  # rnn
#### after
import tensorflow as tf
x = tf.keras.layers.LSTM(64, return_sequences=True, recurrent_activation='sigmoid')(x)  # rnn
#### findings
2 auto-check
#### a GRU
from tensorflow.keras import layers
x = layers.Bidirectional(layers.CuDNNGRU(units=8))(x)
#### after
from tensorflow.keras import layers
x = layers.Bidirectional(layers.GRU(units=8, recurrent_activation='sigmoid', reset_after=True))(x)
#### positional arguments have other places
from tensorflow.keras import layers
x = layers.CuDNNLSTM(8, 'glorot_normal', 'orthogonal')(x)
#### after
from tensorflow.keras import layers
x = layers.LSTM(8, kernel_initializer='glorot_normal', recurrent_initializer='orthogonal', recurrent_activation='sigmoid')(x)
#### imported by name
from tensorflow.keras.layers import CuDNNLSTM
x = CuDNNLSTM(8)(x)
#### after
from tensorflow.keras.layers import CuDNNLSTM
from tensorflow.keras.layers import LSTM
x = LSTM(8, recurrent_activation='sigmoid')(x)
#### the plain layer is there already, from native keras
from keras.layers import CuDNNLSTM, LSTM
x = CuDNNLSTM(8)(x)
#### after
from keras.layers import CuDNNLSTM, LSTM
x = LSTM(8, recurrent_activation='sigmoid')(x)
