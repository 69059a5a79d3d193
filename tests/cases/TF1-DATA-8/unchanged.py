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
#### another type was requested
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
#### a program that names the type itself
import numpy as np
import tensorflow as tf
x = np.random.rand(100, 8)
d = tf.data.Dataset.from_tensor_slices(x)
w = tf.get_variable('w', [8], tf.float64)
#### findings
4 manual
#### labels of TensorFlow's reader that are numbers
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets('/tmp/data/')
d = tf.data.Dataset.from_tensor_slices((mnist.train.images, mnist.train.labels))
