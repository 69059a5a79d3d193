#### arrays of NumPy's own float type
import numpy as np
import tensorflow as tf
x = np.random.rand(100, 8)
y = np.zeros((100, 1))
d = tf.data.Dataset.from_tensor_slices((x, y))
#### findings
5 manual
5 manual
#### through functions and tuples of the file
import numpy as np
import tensorflow as tf


def points(n):
    rng = np.random.RandomState(0)
    angle = rng.uniform(0, 1, n)
    label = rng.randint(0, 3, n)
    return np.stack([angle, angle * 2], axis=1), label


x, y = points(9)
d = tf.data.Dataset.from_tensor_slices({'x': x, 'y': y})
#### findings
13 manual
#### a generator that says so
import tensorflow as tf
d = tf.data.Dataset.from_generator(gen, (tf.float64, tf.int64))
#### findings
2 manual
#### records of 64-bit floats
import tensorflow as tf


def parse(x):
    return tf.decode_raw(x, tf.float64)
#### findings
5 manual
#### cast in the pipeline
import numpy as np
import tensorflow as tf
x = np.random.rand(100, 8)
d = tf.data.Dataset.from_tensor_slices(x).map(lambda v: tf.cast(v, tf.float32))
#### cast in a function the pipeline uses
import tensorflow as tf
from helper import to_single


def make(gen):
    return tf.data.Dataset.from_generator(gen, tf.float64).map(to_single)
#### file helper.py
import tensorflow as tf


def to_single(x):
    return tf.to_float(x)
#### another type was asked for
import numpy as np
import tensorflow as tf
a = tf.data.Dataset.from_tensor_slices(np.zeros(4, np.float32))
b = tf.data.Dataset.from_tensor_slices(np.ones(4, dtype='float32'))
c = tf.data.Dataset.from_tensor_slices(np.random.randint(0, 3, 4))
#### nothing is known of the array
import tensorflow as tf


def make(x):
    return tf.data.Dataset.from_tensor_slices(x)
#### arrays that never meet TensorFlow
import numpy as np
import tensorflow as tf
x = np.zeros(4)
print(x)
