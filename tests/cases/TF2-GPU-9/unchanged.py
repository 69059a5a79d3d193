#### another library
import ctypes
import tensorflow as tf
ops = ctypes.CDLL('./ops.so')
#### a model
import tensorflow as tf
model = tf.saved_model.load('./model')
