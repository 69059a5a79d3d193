"""Building blocks. Nothing here runs anything."""
import tensorflow as tf
from tensorflow.keras import layers


class Scale(layers.Layer):
    """Learned scale per channel."""

    def build(self, input_shape):
        self.gamma = self.add_weight(
            "gamma", shape=[int(input_shape[-1])], initializer="ones")
        super(Scale, self).build(input_shape)

    def call(self, inputs):
        return tf.multiply(inputs, self.gamma)


def conv_block(x, filters, drop_rate=0.0, name=None):
    x = layers.Conv2D(filters, (3, 3), padding="same", use_bias=False, name=name)(x)
    x = layers.BatchNormalization(momentum=0.9)(x)
    x = Scale()(x)
    x = layers.Activation("relu")(x)
    x = layers.MaxPooling2D((2, 2))(x)
    if drop_rate > 0:
        x = layers.SpatialDropout2D(drop_rate)(x)   # better than Dropout after a conv
    return x
