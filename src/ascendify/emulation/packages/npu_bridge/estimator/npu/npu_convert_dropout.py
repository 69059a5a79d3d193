"""Importing this module makes Keras' Dropout layer use the device's dropout."""

from ascendify_runtime.framework import tf
from tensorflow.python.framework import smart_cond

from npu_bridge.estimator import npu_ops


def dropout_call(self, inputs, training=None):
    """Replacement of ``Dropout.call``."""
    if training is None:
        training = tf.keras.backend.learning_phase()

    def dropped():
        noise_shape = self._get_noise_shape(inputs)
        seed = _next_seed(self)
        if noise_shape is not None:
            return tf.nn.dropout(inputs, noise_shape=noise_shape, seed=seed, rate=self.rate)
        return npu_ops.dropout(inputs, keep_prob=1 - self.rate, seed=seed)

    return smart_cond.smart_cond(training, dropped, lambda: tf.identity(inputs))


def _next_seed(layer):
    """Return the seed that the layer itself would use; newer releases of Keras increment it."""
    generator = getattr(layer, "_random_generator", None)
    return layer.seed if generator is None else generator.make_legacy_seed()


def _replace():
    layers = [tf.keras.layers.Dropout]
    try:
        from tensorflow.python.keras.layers import core
    except ImportError:  # newer releases have Keras in a separate package
        pass
    else:
        layers.append(core.Dropout)
    for layer in layers:
        layer.call = dropout_call


_replace()
