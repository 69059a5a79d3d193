"""Operators of the device inside Keras models that are built from symbolic inputs."""

import functools

import tensorflow as tf

_symbols = {}


def npu_symbol_register(names, func):
    """Register a function under one name or several."""
    for name in [names] if isinstance(names, str) else names:
        _symbols[name] = func


def get_npu_symbol_from_name(name):
    """Return the function with a name, None if there is none."""
    return _symbols.get(name)


def get_one_name_for_npu_symbol(symbol):
    """Return a name of a function, None if it is not registered."""
    return next((name for name, known in _symbols.items() if known is symbol), None)


class NpuOpLambda(tf.keras.layers.Layer):
    """A layer that calls an operator of the device."""

    def __init__(self, function, **kwargs):
        kwargs.setdefault("name", None)
        super(NpuOpLambda, self).__init__(**kwargs)
        self.function = (
            get_npu_symbol_from_name(function) if isinstance(function, str) else function
        )

    def call(self, *args, **kwargs):
        """Call the operator."""
        kwargs.pop("training", None)  # Keras adds it
        return self.function(*args, **kwargs)

    def get_config(self):
        """Return the name of the operator, from which the layer can be made again."""
        config = super(NpuOpLambda, self).get_config()
        return dict(config, function=get_one_name_for_npu_symbol(self.function))


def npu_functional_support(op):
    """Let a function take symbolic inputs of Keras, too: it then becomes a layer."""
    npu_symbol_register(["npu." + op.__name__, op.__name__], op)

    @functools.wraps(op)
    def wrapper(*args, **kwargs):
        if args and _is_symbolic(args[0]):
            return NpuOpLambda(op)(*args, **kwargs)
        return op(*args, **kwargs)

    return wrapper


def _is_symbolic(value):
    return type(value).__name__ == "KerasTensor"
