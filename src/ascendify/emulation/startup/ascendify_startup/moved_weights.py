"""Let every variable begin a rounding error away from where it would begin.

A second training then shows how far rounding alone drives the weights of a program apart: an
optimizer that divides gradients by their size makes steps of gradients that are zero but for
rounding.
"""

import functools

from ascendify_startup import import_hooks

_FACTOR = 1 + 2.0**-22
"""Two units in the last place of a 32-bit number."""


def begin():
    """Change TensorFlow when it is imported."""
    import_hooks.after("tensorflow", _patch)


def _patch():
    from tensorflow.python.ops import variables

    original = variables.default_variable_creator

    @functools.wraps(original)
    def create(next_creator=None, **named):
        value = named.get("initial_value")
        if callable(value):
            named["initial_value"] = lambda *args, **more: _moved(value(*args, **more))
        elif hasattr(value, "op"):
            named["initial_value"] = _moved(value)
        return original(next_creator, **named)

    variables.default_variable_creator = create


def _moved(value):
    dtype = getattr(value, "dtype", None)
    return value * _FACTOR if getattr(dtype, "is_floating", False) else value
