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
#### images of Keras divided by a number
import numpy as np
import tensorflow as tf
(x, y), (x_test, _) = tf.keras.datasets.mnist.load_data()
x = np.reshape(x, (-1, 784)) / 255.0
feed = tf.estimator.inputs.numpy_input_fn({'x': x}, y, batch_size=100, shuffle=True)
d = tf.data.Dataset.from_tensor_slices((x_test.reshape((-1, 784)) * (1 / 3), y))
#### findings
5 manual
#### images of Keras centred
from keras.datasets import cifar10
import tensorflow as tf
data = cifar10.load_data()
(x, y), _ = data
d = tf.data.Dataset.from_tensor_slices((x[:100] - 127.5, y))
#### findings
5 manual
#### images of Keras that stay integers, or become float32
import numpy as np
import tensorflow as tf
(x, y), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
d = tf.data.Dataset.from_tensor_slices((x // 2, y * 2))
e = tf.data.Dataset.from_tensor_slices((x / np.float32(255), y_test))
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
