"""The modules of every Keras: TensorFlow's own, the one TensorFlow 2 loads, the stand-alone one.

Capturing and measuring add a callback of their own to every list of callbacks.
"""

import functools
import os
import sys

CALLBACKS = {
    "tensorflow.python.keras.callbacks": "tensorflow.python.keras.engine.training",
    "keras.callbacks": "keras.engine.training",
    "keras.callbacks.callbacks": "keras.engine.training",
    "keras.src.callbacks": "keras.src.engine.training",
    "keras.src.callbacks.callback_list": "keras.src.trainers.trainer",
}
"""Modules with a list of callbacks, and the module whose model uses it."""
NETWORKS = ("tensorflow.python.keras.engine.network", "keras.engine.network")
"""Modules of older releases with the methods that save weights."""
GRAPH_MODELS = (
    "tensorflow.python.keras.engine.training_v1",
    "keras.engine.training_v1",
    "keras.src.engine.training_v1",
)
"""Modules of current releases with the model class for programs in the style of TensorFlow 1."""
ALL = (*CALLBACKS, *sorted(set(CALLBACKS.values())), *NETWORKS, *GRAPH_MODELS)


def is_native():
    """Whether the stand-alone Keras that is imported has code of its own, before 2.4."""
    folder = os.path.dirname(sys.modules["keras"].__file__)
    return os.path.exists(os.path.join(folder, "backend", "theano_backend.py"))


def models(name):
    """Return the model classes that a module defines."""
    module = sys.modules[name]
    for class_name in ("Network", "Model", "Trainer"):
        cls = module.__dict__.get(class_name)
        if cls is not None and cls.__module__ == name:
            yield cls


def add_callback(name, make):
    """Add a callback of ours to every list of callbacks; ``make`` derives it from Keras's class."""
    lists = sys.modules[name].__dict__.get("CallbackList")
    if name in CALLBACKS and lists is not None and lists.__module__ == name:
        _add_to(lists, make(_base(name)))


def _base(name):
    if name == "keras.src.callbacks.callback_list":
        from keras.src.callbacks.callback import Callback

        return Callback
    return sys.modules[name].Callback


def _add_to(lists, callback):
    original = lists.__init__

    @functools.wraps(original)
    def initialise(self, callbacks=None, *args, **kwargs):
        listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
        callbacks = [one for one in listed if one is not None]
        if not any(isinstance(one, callback) for one in callbacks):
            callbacks.append(callback())
        original(self, callbacks, *args, **kwargs)

    lists.__init__ = initialise
