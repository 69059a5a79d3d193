import tensorflow as tf
from tensorflow.contrib import slim


def model_arg_scope(weight_decay, is_training):
    with slim.arg_scope([slim.conv2d, slim.fully_connected],
                        weights_regularizer=slim.l2_regularizer(weight_decay),
                        activation_fn=tf.nn.relu):
        with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, padding='SAME'):
            with slim.arg_scope([slim.batch_norm], decay=0.9, is_training=is_training) as sc:
                return sc


def attention_model(images, num_chars, num_classes, is_training=True):
    """Every character looks at the feature map with a query of its own."""
    end_points = {}
    with slim.arg_scope(model_arg_scope(1e-5, is_training)):
        net = slim.repeat(images, 2, slim.conv2d, 16, [3, 3], scope='conv1')
        net = slim.max_pool2d(net, [2, 2], scope='pool1')
        net = slim.repeat(net, 2, slim.conv2d, 32, [3, 3], scope='conv2')
        net = slim.max_pool2d(net, [2, 2], scope='pool2')
        _, height, width, depth = net.shape.as_list()
        positions = height * width
        # where am I: one-hot column, helps the queries to find "their" digit
        column = tf.one_hot(tf.range(positions) % width, width)
        features = tf.reshape(net, [-1, positions, depth])
        keys = slim.fully_connected(column, 24, scope='key_where')
        keys += slim.fully_connected(features, 24, scope='key_what')
        queries = slim.model_variable(
            'queries', [num_chars, 24], initializer=tf.truncated_normal_initializer(stddev=0.3))
        scores = tf.einsum('bpd,cd->bcp', keys, queries)
        attention = tf.nn.softmax(scores)
        end_points['attention'] = tf.reshape(attention, [-1, num_chars, height, width])
        glimpse = tf.matmul(attention, features)
        net = slim.fully_connected(glimpse, 64, scope='fc1')
        net = slim.dropout(net, keep_prob=0.9, is_training=is_training)
        logits = slim.fully_connected(net, num_classes, activation_fn=None, scope='logits')
    return logits, end_points
