"""Let optimizers of the stand-alone Keras before 2.4 read their step before they count it.

Adam and others compute with the number of steps while the same run of the graph increments it, in
no fixed order: timing decides whether a step is the first or already the second. TensorFlow's
Keras reads it first.
"""

import functools
import sys

from ascendify_startup import import_hooks, keras_modules


def begin():
    """Change the optimizers when they are imported."""
    import_hooks.after("keras.optimizers", _change_optimizers)


def _change_optimizers():
    if not keras_modules.is_native():
        return
    for cls in list(vars(sys.modules["keras.optimizers"]).values()):
        if isinstance(cls, type) and "get_updates" in vars(cls):
            cls.get_updates = _reading_first(cls.get_updates)


def _reading_first(own):
    """Return a method whose updates count a step after everything else has read the counter."""

    @functools.wraps(own)
    def get_updates(self, *args, **kwargs):
        updates = own(self, *args, **kwargs)
        handle = getattr(getattr(self, "iterations", None), "handle", None)
        if handle is not None and hasattr(handle, "consumers"):
            _order(handle.consumers())
        return updates

    return get_updates


def _order(users):
    """Let the operations that count wait for those that read, except for reads of the result."""
    counting = [one for one in users if one.type == "AssignAddVariableOp"]
    reading = [
        one
        for one in users
        if one.type == "ReadVariableOp" and not set(counting).intersection(one.control_inputs)
    ]
    for one in counting:
        one._add_control_inputs(reading)
