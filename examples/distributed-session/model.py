import tensorflow as tf


def regression_model(x, hidden_units):
    hidden = x
    for n in hidden_units:
        hidden = tf.layers.dense(hidden, n, activation=tf.nn.relu)
    return tf.squeeze(tf.layers.dense(hidden, 1), axis=1)
