"""Importing this module makes Keras' Dropout layer use the device's dropout."""

from ascendify_runtime.framework import tf
from tensorflow.python.framework import smart_cond

from npu_bridge.estimator import npu_ops
from npu_bridge.helper import formulas

_keras_call = tf.keras.layers.Dropout.call


def dropout_call(self, inputs, training=None):
    """Replacement of ``Dropout.call``."""
    if not hasattr(self, "_get_noise_shape"):
        return _call_of_keras_3(self, inputs, training)
    if training is None:
        training = tf.keras.backend.learning_phase()

    def dropped():
        noise_shape = self._get_noise_shape(inputs)
        seed = _next_seed(self)
        if noise_shape is not None:
            return tf.nn.dropout(inputs, noise_shape=noise_shape, seed=seed, rate=self.rate)
        return npu_ops.dropout(inputs, keep_prob=1 - self.rate, seed=seed)

    return smart_cond.smart_cond(training, dropped, lambda: tf.identity(inputs))


def _call_of_keras_3(layer, inputs, training):
    """Compute the layer's own dropout after the device's checks; it draws from its own variable."""
    if training and layer.noise_shape is None:
        formulas.check_dropout(tf.convert_to_tensor(inputs), 1 - layer.rate)
    return _keras_call(layer, inputs, training=training)


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
