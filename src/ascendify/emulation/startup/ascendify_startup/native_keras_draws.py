"""Let the stand-alone Keras before 2.4 draw as TensorFlow's Keras does.

It has other algorithms for the same distributions, takes seeds and even names from numpy's random
numbers, and shuffles what the epoch before has left. A migrated program uses TensorFlow's Keras:
with its ways in both, equal losses show that nothing but the drawing has changed.
"""

import functools
import sys

from ascendify_startup import import_hooks, keras_modules

_BACKENDS = ("keras.backend.tensorflow_backend", "tensorflow.python.keras.backend")
_LOOPS = ("keras.engine.training_arrays", "keras.engine.training")
"""Modules with the loop over epochs, in different releases."""


def begin():
    """Change the drawing functions when they are imported."""
    import_hooks.after("keras.initializers", _change_initializers)
    for name in _BACKENDS:
        import_hooks.after(name, functools.partial(_change_numpy, name, randint=_no_seed))
    for name in _LOOPS:
        import_hooks.after(name, functools.partial(_change_loop, name))


def _change_initializers():
    if not keras_modules.is_native():
        return
    initializers = sys.modules["keras.initializers"]
    for cls in list(vars(initializers).values()):
        if isinstance(cls, type) and cls.__module__ == initializers.__name__:
            cls.__call__ = _drawing_as_tensorflow(cls)


def _drawing_as_tensorflow(cls):
    """Return a method that draws with TensorFlow's class of the same name and settings."""
    own = cls.__call__

    @functools.wraps(own)
    def draw(self, shape, dtype=None):
        import tensorflow as tf

        initializers = tf.keras.initializers
        # the scope in which TensorFlow's Keras draws: it tells first values from other numbers
        with tf.name_scope("Initializer"):
            if type(self) is not cls or not hasattr(initializers, cls.__name__):
                return own(self, shape, dtype)
            described = {"class_name": cls.__name__, "config": self.get_config()}
            return initializers.deserialize(described)(shape, dtype=dtype)

    return draw


def _no_seed(low, high=None):
    """Return no seed: TensorFlow then numbers its random operations."""


def _change_loop(name):
    if not keras_modules.is_native():
        return
    import numpy

    def shuffle(indices):
        """Shuffle the indices of samples from their first order, in each epoch."""
        indices.sort()
        numpy.random.shuffle(indices)

    module = sys.modules[name]
    if hasattr(module, "test_loop") and hasattr(module, "fit_loop"):
        module.test_loop = _shuffling_in_fit(module.test_loop)
    _change_numpy(name, shuffle=shuffle)


def _shuffling_in_fit(own):
    """Return a loop that draws what TensorFlow's Keras draws before it validates in ``fit``.

    TensorFlow's loop shuffles the indices of validation samples too, which changes no result, but
    the random numbers that follow.
    """

    @functools.wraps(own)
    def test_loop(model, function, inputs, *args, **kwargs):
        import inspect

        import numpy
        from tensorflow.python.keras.engine import training_arrays

        # a callback that evaluates is no validation: only fit_loop itself calls this as one
        in_fit = sys._getframe(1).f_code.co_name == "fit_loop"
        shuffles = inspect.signature(training_arrays.model_iteration).parameters["shuffle"].default
        if in_fit and shuffles and kwargs.get("steps") is None:
            numpy.random.shuffle(numpy.arange(len(inputs[0])))
        return own(model, function, inputs, *args, **kwargs)

    return test_loop


def _change_numpy(name, **functions):
    """Give a module numpy with other functions for random numbers."""
    import numpy

    module = sys.modules[name]
    if getattr(module, "np", None) is numpy:
        module.np = _Changed(numpy, random=_Changed(numpy.random, **functions))


class _Changed(object):
    """A module with some names of its own, and the others of another one."""

    def __init__(self, module, **names):
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)
