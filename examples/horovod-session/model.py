import tensorflow as tf


def mlp(points, num_classes, is_training):
    net = points
    for i, units in enumerate([64, 64]):
        net = tf.layers.dense(net, units, activation=tf.nn.relu, name='fc%d' % i)
        net = tf.layers.dropout(net, rate=0.05, training=is_training)
    return tf.layers.dense(net, num_classes, name='logits')
