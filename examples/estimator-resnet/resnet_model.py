"""A small pre-activation ResNet."""
import tensorflow as tf

_BATCH_NORM_DECAY = 0.9
_BATCH_NORM_EPSILON = 1e-5


def batch_norm_relu(inputs, training):
    inputs = tf.layers.batch_normalization(
        inputs, momentum=_BATCH_NORM_DECAY, epsilon=_BATCH_NORM_EPSILON,
        training=training, fused=True)
    return tf.nn.relu(inputs)


def conv(inputs, filters, kernel_size, strides):
    return tf.layers.conv2d(
        inputs, filters, kernel_size, strides, padding='SAME', use_bias=False,
        kernel_initializer=tf.variance_scaling_initializer())


def residual_block(inputs, filters, strides, training):
    net = batch_norm_relu(inputs, training)
    shortcut = inputs
    if strides != 1 or inputs.shape[-1].value != filters:
        shortcut = conv(net, filters, 1, strides)
    net = conv(net, filters, 3, strides)
    net = batch_norm_relu(net, training)
    return conv(net, filters, 3, 1) + shortcut


class Model(object):

    def __init__(self, num_blocks, num_classes, base_filters=8):
        self.num_blocks = num_blocks
        self.num_classes = num_classes
        self.base_filters = base_filters

    def __call__(self, inputs, training):
        net = conv(inputs, self.base_filters, 3, 1)
        for stage in range(3):
            for block in range(self.num_blocks):
                strides = 2 if block == 0 and stage > 0 else 1
                net = residual_block(net, self.base_filters * 2 ** stage, strides, training)
        net = batch_norm_relu(net, training)
        net = tf.reduce_mean(net, [1, 2])
        net = tf.layers.dropout(net, 0.1, training=training)
        return tf.layers.dense(net, self.num_classes)
