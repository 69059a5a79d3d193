#### left over in a branch
import tensorflow as tf


def loss(values, print_loss=False):
    total = tf.reduce_sum(values)
    if print_loss:
        total = tf.Print(total, [total])
        total = tf.Print(total, [values])
    return tf.log(total)
#### findings
7 manual
9 manual
#### tf.contrib
import tensorflow as tf
from tensorflow.contrib import slim

norm = tf.contrib.layers.batch_norm
#### findings
2 manual
4 manual
#### another name for TensorFlow
import tensorflow

x = tensorflow.placeholder(tensorflow.float32)
#### findings
3 manual
