import tensorflow as tf


def inference(x, keep_prob):
    """Two conv layers and one hidden layer."""
    net = tf.reshape(x, [-1, 28, 28, 1])
    net = tf.layers.conv2d(net, 16, 5, padding='same', activation=tf.nn.relu)
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.nn.dropout(net, rate=(1 - keep_prob) / 2)  # the conv part needs less of it
    net = tf.layers.conv2d(net, 32, 5, padding='same', activation=tf.nn.relu)
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.dense(tf.layers.flatten(net), 128, activation=tf.nn.relu)
    net = tf.nn.dropout(net, keep_prob)
    return tf.layers.dense(net, 10)
