#### arrays of NumPy's own float type
import numpy as np
import tensorflow as tf
x = np.random.rand(100, 8)
y = np.zeros((100, 1))
d = tf.data.Dataset.from_tensor_slices((x, y))
#### after
import numpy as np
import tensorflow as tf
x = np.random.rand(100, 8)
y = np.zeros((100, 1))
d = tf.data.Dataset.from_tensor_slices((x.astype('float32'), y.astype('float32')))
#### findings
5 auto-check
5 auto-check
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
#### after
import numpy as np
import tensorflow as tf


def points(n):
    rng = np.random.RandomState(0)
    angle = rng.uniform(0, 1, n)
    label = rng.randint(0, 3, n)
    return np.stack([angle, angle * 2], axis=1), label


x, y = points(9)
d = tf.data.Dataset.from_tensor_slices({'x': x.astype('float32'), 'y': y})
#### findings
13 auto-check
#### images of Keras divided by a number
import numpy as np
import tensorflow as tf
(x, y), (x_test, _) = tf.keras.datasets.mnist.load_data()
x = np.reshape(x, (-1, 784)) / 255.0
feed = tf.estimator.inputs.numpy_input_fn({'x': x}, y, batch_size=100, shuffle=True)
d = tf.data.Dataset.from_tensor_slices((x_test.reshape((-1, 784)) * (1 / 3), y))
#### after
import numpy as np
import tensorflow as tf
(x, y), (x_test, _) = tf.keras.datasets.mnist.load_data()
x = np.reshape(x, (-1, 784)) / 255.0
feed = tf.estimator.inputs.numpy_input_fn({'x': x.astype('float32')}, y, batch_size=100, shuffle=True)
d = tf.data.Dataset.from_tensor_slices((x_test.reshape((-1, 784)) * (1 / 3), y))
#### findings
5 auto-check
#### images of Keras centred
from keras.datasets import cifar10
import tensorflow as tf
data = cifar10.load_data()
(x, y), _ = data
d = tf.data.Dataset.from_tensor_slices((x[:100] - 127.5, y))
#### after
from keras.datasets import cifar10
import tensorflow as tf
data = cifar10.load_data()
(x, y), _ = data
d = tf.data.Dataset.from_tensor_slices(((x[:100] - 127.5).astype('float32'), y))
#### findings
5 auto-check
#### one-hot labels of TensorFlow's reader
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets('/tmp/data/', one_hot=True)
d = tf.data.Dataset.from_tensor_slices((mnist.train.images, mnist.train.labels))
#### after
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets('/tmp/data/', one_hot=True)
d = tf.data.Dataset.from_tensor_slices((mnist.train.images, mnist.train.labels.astype('float32')))
#### findings
4 auto-check
