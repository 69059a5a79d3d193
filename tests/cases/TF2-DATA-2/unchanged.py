#### float32
import tensorflow as tf

tf.keras.backend.set_floatx("float32")
x = tf.cast(y, tf.float32)
#### the input pipeline runs on the host
import tensorflow as tf


def parse(x):
    value = tf.cast(x, tf.float64)
    words = tf.strings.split(x)
    spectrum = tf.signal.stft(x, 256, 128)
    return value, words, spectrum


ds = ds.map(parse)
#### what records hold
import tensorflow as tf

features = {"x": tf.io.FixedLenFeature([], tf.float64)}
spec = tf.TensorSpec([None], tf.float64)
#### comparisons and numpy's own business
import numpy as np
import tensorflow as tf

if x.dtype == tf.float64:
    x = np.zeros(3, dtype=np.float64)
#### arrays with a type
import numpy as np
import tensorflow as tf

x = np.zeros((10, 4), dtype=np.float32)
z = np.zeros((10, 4), np.int32)
ds = tf.data.Dataset.from_tensor_slices((x, z))
t = tf.constant(np.random.rand(3), dtype=tf.float32)
u = tf.constant(np.random.rand(3).astype("float32"))
#### strings outside the model
import tensorflow as tf

path = tf.strings.join(["a", "b"])
#### Keras casts what fit is given
import numpy as np
import tensorflow as tf

x = np.random.rand(100, 4)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.fit(x, np.zeros(100))
#### a test case
import tensorflow as tf


class CastTest(tf.test.TestCase):
    def test_cast(self):
        x = tf.cast(1, tf.float64)
#### single numbers
import numpy as np
import tensorflow as tf

w = tf.Variable(np.random.randn(), name="weight")
b = tf.Variable(np.random.normal(0.0, 1.0))
#### ranges of whole numbers that are divided
import tensorflow as tf
from tensorflow.keras import backend as K
class Layer(tf.keras.layers.Layer):
    def call(self, x):
        return x * (K.arange(0, self.size) / self.size) + tf.range(0, 8) / 8
#### findings
5 manual
5 manual
#### ranges of other numbers, or divided otherwise
import tensorflow as tf
class Layer(tf.keras.layers.Layer):
    def call(self, x):
        a = tf.range(0.0, self.size) / self.size
        b = tf.range(0, 8, dtype=tf.float32) / 8
        c = tf.range(self.start, self.size) / self.size
        d = tf.range(0, 8) // 8
        e = tf.cast(tf.range(0, 8), tf.float32) / 8
        return 8 / tf.range(1, 9, dtype=tf.float32) + a + b + c + tf.cast(d, tf.float32) + e
