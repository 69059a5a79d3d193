#### dropout needs nothing
import tensorflow as tf

x = tf.nn.dropout(x, rate=0.1)
y = tf.nn.dropout(x, 0.5, noise_shape=[1, 1, 8])
layer = tf.keras.layers.Dropout(0.5)
#### another module
import tensorflow as tf
import convert_dropout
