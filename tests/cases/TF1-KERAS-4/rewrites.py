#### padding
import tensorflow as tf
from tensorflow.keras import backend as K
y = K.concatenate([x, K.zeros((4, 8))])
#### after
import tensorflow as tf
from tensorflow.keras import backend as K
y = K.concatenate([x, tf.zeros((4, 8))])
#### findings
3 auto-check
#### a local that is only read
import tensorflow as tf
def loss(a, b):
    base = tf.keras.backend.zeros(shape=(3,), dtype='float16')  # start
    return a - base * b
#### after
import tensorflow as tf
def loss(a, b):
    base = tf.zeros(shape=(3,), dtype='float16')  # start
    return a - base * b
#### no dtype
import tensorflow.compat.v1 as tf
from tensorflow.compat.v1.keras.backend import zeros
f(zeros((2,), None, 'z'))
#### after
import tensorflow.compat.v1 as tf
from tensorflow.compat.v1.keras.backend import zeros
f(tf.zeros((2,), 'float32', 'z'))
#### native keras, TensorFlow not imported
import keras.backend as K
f(K.zeros((2,)))
#### after
import tensorflow
import keras.backend as K
f(tensorflow.zeros((2,)))
