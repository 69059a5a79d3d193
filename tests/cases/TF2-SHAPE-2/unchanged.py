#### a generator without shapes
import tensorflow as tf

train = tf.data.Dataset.from_generator(samples, tf.float32).batch(8, drop_remainder=True)
#### findings
3 manual
#### a generator with open shapes
import tensorflow as tf

train = tf.data.Dataset.from_generator(samples, (tf.float32, tf.int64), ([None, 8], []))
train = tf.data.Dataset.from_generator(samples, output_signature=tf.TensorSpec([None], tf.int64))
#### findings
3 manual
4 manual
#### a generator whose elements are resized later
import tensorflow as tf


def train_data():
    train = tf.data.Dataset.from_generator(samples, tf.float32)
    return train.map(lambda x: tf.image.resize(x, [8, 8])).batch(8)
#### findings
5 possible
#### padding to the longest of a batch
import tensorflow as tf

train = tf.data.TFRecordDataset("train").map(parse)
train = train.padded_batch(32, padded_shapes=([None], []), drop_remainder=True)
train = train.padded_batch(32, ([-1], []))
#### findings
4 manual
5 manual
#### buckets
import tensorflow as tf

train = tf.data.TFRecordDataset("train").bucket_by_sequence_length(length, [10, 20], [8, 4, 2])
#### findings
3 manual
#### a Python function in the pipeline
import tensorflow as tf


def load(path):
    return tf.py_function(read, [path], tf.float32)


train = tf.data.Dataset.list_files("train/*").map(load).batch(8)
#### findings
5 manual
#### shapes that are given
import tensorflow as tf

train = tf.data.Dataset.from_generator(samples, tf.float32, [8, 8])
train = tf.data.Dataset.from_generator(samples, output_signature=(tf.TensorSpec([8, SIZE], tf.float32), tf.TensorSpec([], tf.int32)))
train = train.padded_batch(32, padded_shapes=([100], []))
train = train.padded_batch(32)
#### a Python function whose result gets a shape
import tensorflow as tf


def load(path):
    image = tf.py_function(read, [path], tf.float32)
    image.set_shape([8, 8, 3])
    return image


train = tf.data.Dataset.list_files("train/*").map(load).batch(8)
#### a Python function that no dataset is mapped with
import tensorflow as tf


def step(x):
    return tf.py_function(read, [x], tf.float32)
#### a generator that is padded
import tensorflow as tf

train = tf.data.Dataset.from_generator(samples, tf.int64, [None])
train = train.padded_batch(8, [100])
#### evaluation
import tensorflow as tf

test = tf.data.Dataset.from_generator(samples, tf.float32)
val = tf.data.TFRecordDataset("val").padded_batch(32, padded_shapes=[None])
test = tf.data.TFRecordDataset("test").bucket_by_sequence_length(length, [10, 20], [8, 4, 2])
#### pictures of any size, or of any number of channels
import tensorflow as tf


def load(path):
    return tf.io.decode_png(tf.io.read_file(path), channels=3)


def read(path):
    return tf.image.resize(tf.image.decode_jpeg(tf.io.read_file(path)), [8, 8])


train = tf.data.Dataset.list_files("train/*").map(load).batch(8)
train = tf.data.Dataset.list_files("train/*").map(read).batch(8)
#### findings
5 manual
9 manual
#### pictures that a later step may bring to one size
import tensorflow as tf


def load(path):
    return tf.io.decode_png(tf.io.read_file(path), channels=3)


train = tf.data.Dataset.list_files("train/*").map(load).map(augment).batch(8)
#### findings
5 possible
#### texts as long as the longest of a batch
import tensorflow as tf

layer = tf.keras.layers.TextVectorization(max_tokens=100)
layer = tf.keras.layers.experimental.preprocessing.TextVectorization(100, output_mode="int")
#### findings
3 manual
4 manual
#### pictures of one size
import tensorflow as tf


def load(path):
    return tf.image.resize(tf.image.decode_jpeg(tf.io.read_file(path), channels=3), [8, 8])


def read(path):
    image = tf.image.decode_jpeg(tf.io.read_file(path))
    image.set_shape([8, 8, 3])
    return image


train = tf.data.Dataset.list_files("train/*").map(load).batch(8)
train = tf.data.Dataset.list_files("train/*").map(read).batch(8)
#### a picture outside of pipelines
import tensorflow as tf


def show(path):
    return tf.io.decode_png(tf.io.read_file(path))
#### texts of one length, or counted
import tensorflow as tf

layer = tf.keras.layers.TextVectorization(100, output_sequence_length=50)
layer = tf.keras.layers.TextVectorization(100, output_mode="tf-idf")
#### pictures that a later step brings to one size
import tensorflow as tf


def load(path):
    return tf.io.decode_png(tf.io.read_file(path), channels=3)


def scale(image):
    return tf.image.resize(image, [8, 8])


def read(path):
    return scale(tf.io.decode_png(tf.io.read_file(path), channels=3))


train = tf.data.Dataset.list_files("train/*").map(load).map(scale).batch(8)
train = tf.data.Dataset.list_files("train/*").map(load).map(lambda x: tf.reshape(x, [8, 8, 3]))
train = tf.data.Dataset.list_files("train/*").map(read).batch(8)
#### pictures that one of two functions decodes
import tensorflow as tf


def parse(path):
    return tf.image.decode_png(tf.io.read_file(path), channels=3)


def batches(paths, prepare=None):
    if prepare:
        def load(path):
            return prepare(parse(path))
    else:
        load = parse
    return tf.data.Dataset.from_tensor_slices(paths).map(load).batch(8, drop_remainder=True)
#### findings
5 possible
#### shapes that a method of the project gives, and that leave dimensions open
import tensorflow as tf
class Graphs:
    def describe(self):
        shapes = {"nodes": (None,) + self.shape, "count": ()}
        for number in range(self.edges):
            shapes[f"edges_{number}"] = (None, 2)
        return Description(types={"nodes": tf.float32}, shapes=shapes)
    def train_data(self):
        found = self.describe()
        return tf.data.Dataset.from_generator(
            self.batches, output_types=found.types, output_shapes=found.shapes)
#### findings
10 manual
#### shapes that a function of the project gives, all of them fixed
import tensorflow as tf
def describe():
    first, second = None, None
    sizes = {"nodes": (64, 8), "count": ()}
    return sizes, (first, None)
def train_data(batches, types):
    found = describe()
    return tf.data.Dataset.from_generator(batches, output_types=types, output_shapes=found[0])
