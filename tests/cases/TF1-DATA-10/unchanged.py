#### a million samples
import tensorflow as tf
a = tf.data.TFRecordDataset('x').shuffle(1000000)
b = tf.data.TFRecordDataset('x').apply(tf.data.experimental.shuffle_and_repeat(100000))
#### findings
2 info
3 info
#### a named size
import tensorflow as tf
SIZE = 200000
a = tf.data.TFRecordDataset('x').shuffle(buffer_size=SIZE)
#### findings
3 info
#### ordinary buffers and unknown ones
import tensorflow as tf


def make(n):
    tf.data.TFRecordDataset('x').shuffle(10000)
    return tf.data.TFRecordDataset('x').shuffle(n)
#### Python's shuffle
import random
random.shuffle(1000000)
