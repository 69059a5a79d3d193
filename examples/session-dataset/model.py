import tensorflow as tf


def mlp(x, units):
    with tf.variable_scope('mlp'):
        for n in units:
            x = tf.layers.dense(x, n, activation=tf.nn.tanh)
        return tf.squeeze(tf.layers.dense(x, 1), axis=1)
