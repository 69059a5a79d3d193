#### the type of every layer
import tensorflow as tf

tf.keras.backend.set_floatx("float64")
#### after
import tensorflow as tf

tf.keras.backend.set_floatx("float32")
#### findings
3 auto-check
#### through the backend
from tensorflow.keras import backend as K

K.set_floatx('float64')
#### after
from tensorflow.keras import backend as K

K.set_floatx('float32')
#### the type in a variable
import tensorflow as tf

kind = "float64"
tf.keras.backend.set_floatx(kind)
#### findings
4 manual
#### literals of the type
import tensorflow as tf
import numpy as np

x = tf.cast(y, tf.float64)
v = tf.Variable(0.0, dtype=tf.double)
c = tf.constant([1.0], np.float64)
d = tf.keras.layers.Dense(4, dtype="float64")
e = tf.cast(y, "float64")


@tf.function
def step(x):
    return tf.cast(x, tf.float64)
#### findings
4 manual
5 manual
6 manual
7 blocker
8 manual
13 blocker
#### complex numbers
import tensorflow as tf

z = tf.complex(a, b)
s = tf.signal.stft(audio, 256, 128)
f = tf.signal.rfft(audio)
c = tf.cast(x, tf.complex64)


class Spectrum(tf.keras.layers.Layer):
    def call(self, x):
        return tf.abs(tf.signal.rfft(x))
#### findings
3 manual
4 manual
5 manual
6 manual
11 blocker
#### arrays of numpy's own type
import numpy as np
import tensorflow as tf

x = np.random.rand(100, 4)
y = np.zeros(100)
ds = tf.data.Dataset.from_tensor_slices((x, y))
t = tf.constant(np.linspace(0, 1, 10))
#### findings
6 manual
6 manual
7 manual
#### strings in a layer
import tensorflow as tf


class Upper(tf.keras.layers.Layer):
    def call(self, x):
        return tf.strings.upper(x)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = network(tf.strings.length(x))
    optimizer.minimize(loss, variables, tape=tape)
#### findings
6 blocker
12 blocker
#### strings in a function that does not train
import tensorflow as tf


@tf.function
def generate(text):
    return network(tf.strings.unicode_decode(text, "UTF-8"))
#### findings
6 manual
#### a function that looks like preprocessing
import tensorflow as tf


def preprocess(x):
    return tf.cast(x, tf.float64)
#### findings
5 possible
