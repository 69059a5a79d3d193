"""The body of BiT: ResNet-v2 with group normalisation and weight standardisation."""
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class StandardizedConv2D(layers.Conv2D):
    """A convolution whose kernels have mean 0 and variance 1."""

    def call(self, inputs):
        mean, var = tf.nn.moments(self.kernel, axes=[0, 1, 2], keepdims=True)
        kernel = (self.kernel - mean) / tf.sqrt(var + 1e-10)
        return tf.nn.conv2d(inputs, kernel, strides=self.strides, padding=self.padding.upper())


class GroupNorm(layers.Layer):
    def __init__(self, groups=8, epsilon=1e-5, **kwargs):
        super().__init__(**kwargs)
        self.groups, self.epsilon = groups, epsilon

    def build(self, shape):
        self.gamma = self.add_weight('gamma', (shape[-1],), initializer='ones')
        self.beta = self.add_weight('beta', (shape[-1],), initializer='zeros')

    def call(self, x):
        _, h, w, c = x.shape
        y = tf.reshape(x, [-1, h, w, self.groups, c // self.groups])
        mean, var = tf.nn.moments(y, [1, 2, 4], keepdims=True)
        y = tf.reshape((y - mean) * tf.math.rsqrt(var + self.epsilon), [-1, h, w, c])
        return y * self.gamma + self.beta


def residual(x, filters, strides):
    y = layers.ReLU()(GroupNorm()(x))
    shortcut = x
    if strides > 1 or x.shape[-1] != filters:
        shortcut = StandardizedConv2D(filters, 1, strides, use_bias=False)(y)
    y = StandardizedConv2D(filters, 3, strides, padding='same', use_bias=False)(y)
    y = layers.ReLU()(GroupNorm()(y))
    y = StandardizedConv2D(filters, 3, padding='same', use_bias=False)(y)
    return shortcut + y


def build_backbone(size, width=16, blocks=(1, 1)):
    images = keras.Input((size, size, 3))
    x = StandardizedConv2D(width, 3, padding='same', use_bias=False)(images)
    for stage, count in enumerate(blocks):
        for block in range(count):
            x = residual(x, width * 2 ** stage, 2 if block == 0 and stage else 1)
    x = layers.ReLU()(GroupNorm()(x))
    return keras.Model(images, layers.GlobalAveragePooling2D()(x), name='bit')
