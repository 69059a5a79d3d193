#### open dimensions and missing shapes
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.int32, shape=(None,), name='y')
z = tf.placeholder(tf.float32, [None, None, 3])
keep = tf.placeholder(tf.float32)
flag = tf.placeholder(tf.bool, shape=None)
#### findings
2 info
3 info
4 manual
5 manual
6 manual
#### a shape from a variable, a sum and a TensorShape
import tensorflow as tf
shape = [None, 4]
x = tf.placeholder(tf.float32, shape)
y = tf.placeholder(tf.float32, [None] + list(dims))
z = tf.placeholder(tf.float32, tf.TensorShape([None, 2]))
w = tf.placeholder_with_default(zeros, [None])
#### findings
3 info
4 info
5 info
6 info
#### compat.v1 is the same placeholder
import tensorflow.compat.v1 as tf1
x = tf1.placeholder(tf1.float32, [None])
#### findings
2 info
#### complete shapes
import tensorflow as tf
x = tf.placeholder(tf.float32, [32, 784])
s = tf.placeholder(tf.float32, [])
t = tf.placeholder(tf.float32, shape=())
u = tf.placeholder(tf.float32, [BATCH, 4])
#### a shape that is not known here
import tensorflow as tf


def make(shape):
    return tf.placeholder(tf.float32, shape)
#### strings feed the input pipeline
import tensorflow as tf
names = tf.placeholder(tf.string, [None])
#### serving functions describe requests
import tensorflow as tf


def serving_input_receiver_fn():
    x = tf.placeholder(tf.float32, [None, 28, 28])
    return tf.estimator.export.ServingInputReceiver({'x': x}, x)
#### images on their way to a record
import tensorflow as tf


class Coder:
    def __init__(self):
        self.raw = tf.placeholder(dtype=tf.uint8)
        self.jpeg = tf.image.encode_jpeg(self.raw)
#### Keras inputs leave the batch to fit, and lengths to the user
import tensorflow as tf
a = tf.keras.Input([28, 28])
b = tf.keras.layers.Input(shape=(None, 8))
#### findings
3 manual
#### somebody else's placeholder
from theano import placeholder
x = placeholder('float32', [None])
#### test cases are left alone
import tensorflow as tf


class ModelTest(tf.test.TestCase):
    def test_shape(self):
        tf.placeholder(tf.float32, [None])
#### a shape put together in a variable
import tensorflow as tf
size = [None] + config.size
x = tf.placeholder(tf.float32, size, 'input')
full = [batch] + config.size
y = tf.placeholder(tf.float32, full)
#### findings
3 info
#### a file that only decodes and writes pictures
import tensorflow as tf
raw = tf.placeholder(tf.float32)
picture = tf.image.resize_images(tf.image.decode_png(tf.read_file(path)), [8, 8])
small = tf.placeholder(tf.uint8, [None, None, 3])
#### batches are fed, and lists
import tensorflow as tf
images = tf.placeholder(tf.float32)
scale = tf.placeholder(tf.float32)
sess = tf.Session()
sess.run(train_op, feed_dict={images: next_images(), scale: [0.5]})
#### findings
2 manual
3 manual
#### a number is fed here, and something else where the tensor is passed to
import tensorflow as tf


def build():
    scale = tf.placeholder(tf.float32)
    return scale


def feed(sess, values):
    sess.run(train_op, {build(): values})
#### findings
5 manual
#### another file may feed what a module makes
import tensorflow as tf
scale = tf.placeholder(tf.float32)
with tf.Session() as sess:
    sess.run(train_op, {scale: 0.5})
#### file other.py
import main
sess.run(main.train_op, {main.scale: batch})
#### findings
2 manual
#### a mask for dropout's noise is no single number
import tensorflow as tf
x = tf.placeholder(tf.float32)
y = tf.nn.dropout(x, 0.5)
#### findings
2 manual
