#### types given to TensorFlow calls
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float64, [3])
y = tf.cast(x, dtype=np.float64)
z = tf.get_variable('z', [3], tf.complex64)
a, b = tf.py_func(f, [x], [tf.float64, tf.float32])
#### findings
3 blocker
4 blocker
5 blocker
6 blocker
#### types spelled as strings
import tensorflow as tf
x = tf.placeholder('float64', [3])
h = tf.keras.layers.Dense(3, dtype='float64')(x)
#### findings
2 blocker
3 blocker
#### casts by name and the default of Keras
import tensorflow as tf
x = tf.to_double(x)
tf.keras.backend.set_floatx('float64')
#### findings
2 blocker
3 blocker
#### Fourier transforms under all their names
import tensorflow as tf
a = tf.fft(tf.complex(x, y))
b = tf.signal.stft(x, 512, 128)
c = tf.spectral.rfft(x)
#### findings
2 blocker
2 blocker
3 blocker
4 blocker
#### the input pipeline runs on the host
import tensorflow as tf
def parse(record):
    image = tf.cast(tf.decode_raw(record, tf.uint8), tf.float64)
    return tf.abs(tf.signal.stft(image, 512, 128))
dataset = tf.data.TFRecordDataset(files).map(parse)
#### the type is tested
import tensorflow as tf
if x.dtype == tf.float64 or x.dtype in (tf.complex64, tf.complex128):
    raise ValueError('no')
#### numpy on the host
import numpy as np
import tensorflow as tf
data = np.zeros([3], dtype=np.float64)
more = data.astype(np.float64)
#### decoding bytes
import tensorflow as tf
x = tf.decode_raw(record, tf.float64)
#### signal functions that stay real
import tensorflow as tf
x = tf.signal.frame(x, 512, 128)
w = tf.signal.hann_window(512)
#### 32 bits
import tensorflow as tf
tf.keras.backend.set_floatx('float32')
x = tf.cast(x, tf.float32)
#### somebody else's function
import tensorflow as tf
from mylib import placeholder
x = placeholder('float64', dtype='float64')
y = placeholder(tf.float64)
#### a function that looks like preprocessing is only possible
import tensorflow as tf
def preprocess(image):
    return tf.cast(image, tf.float64)
#### findings
3 possible
#### a test trains nothing
import tensorflow as tf
class LossTest(tf.test.TestCase):
    def test_loss(self):
        x = tf.placeholder(tf.float64, [2])
#### the same outside of a test case
import tensorflow as tf
class Loss(object):
    def build(self):
        x = tf.placeholder(tf.float64, [2])
#### findings
4 blocker
