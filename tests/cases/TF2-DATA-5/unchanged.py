#### a generator of the project
import tensorflow as tf


def batches():
    while True:
        yield load(32)


model = tf.keras.Sequential()
model.fit(batches(), steps_per_epoch=100)
#### findings
10 manual
#### a generator in a variable, by keyword
import tensorflow as tf


def batches(size):
    for i in range(10):
        yield load(size)


model = tf.keras.Sequential()
train = batches(32)
model.fit(x=train, epochs=3)
#### findings
11 manual
#### a Sequence
import tensorflow as tf


class Batches(tf.keras.utils.Sequence):
    def __getitem__(self, i):
        return load(i)


model = tf.keras.Sequential()
model.fit(Batches(), epochs=3)
#### findings
10 manual
#### a dataset
import tensorflow as tf

model = tf.keras.Sequential()
model.fit(tf.data.Dataset.range(8).batch(4))
#### arrays
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential()
model.fit(np.ones([8, 4]), np.ones([8]))
#### a function that returns a dataset, with a generator inside
import tensorflow as tf


def make():
    def samples():
        yield 1

    return tf.data.Dataset.from_generator(samples, output_signature=tf.TensorSpec([], tf.int32))


model = tf.keras.Sequential()
model.fit(make())
#### a dataset of the project's own class
import tensorflow as tf


class Data:
    pass


model = tf.keras.Sequential()
model.fit(Data())
#### evaluation
import tensorflow as tf


def batches():
    yield 1


model = tf.keras.Sequential()
model.evaluate(batches())
