"""Let BatchNormalization of the stand-alone Keras before 2.4 keep the variance that tf.keras keeps.

Where it does not use a fused kernel, the stand-alone Keras multiplies a batch's variance by
n / (n - 1) before it enters the moving variance, and tf.keras does not. The migration says so; for
a comparison both must do the same.
"""

import functools
import sys

from ascendify_startup import import_hooks, keras_modules

_PICTURES = 4
"""Dimensions of the inputs that both normalise with a fused kernel."""


class _Backend(object):
    """The backend of Keras, under the one name for which the factor is left out."""

    def __init__(self, original):
        self._original = original

    def __getattr__(self, name):
        return getattr(self._original, name)

    def backend(self):
        return "cntk"


def begin():
    """Change the layer when it is imported."""
    import_hooks.after("keras.layers.normalization", _change_layer)


def _change_layer():
    module = sys.modules["keras.layers.normalization"]
    layer = getattr(module, "BatchNormalization", None)
    if layer is None or not keras_modules.is_native() or not hasattr(module, "K"):
        return
    original, own = module.K, layer.call

    @functools.wraps(own)
    def call(self, inputs, *args, **kwargs):
        if original.ndim(inputs) == _PICTURES:
            return own(self, inputs, *args, **kwargs)
        module.K = _Backend(original)
        try:
            return own(self, inputs, *args, **kwargs)
        finally:
            module.K = original

    layer.call = call
