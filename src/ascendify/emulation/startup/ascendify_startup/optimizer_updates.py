"""Call functions whenever an optimizer has updated variables: of every Keras, and of TensorFlow 1.

Inside a ``tf.function`` that is once for each trace, in a graph of TensorFlow 1 once for each
optimizer; executed eagerly, for every step.
"""

import functools
import threading

from ascendify_startup import import_hooks

MODULES = (
    "tensorflow.python.keras.optimizer_v2.optimizer_v2",
    "keras.optimizer_v2.optimizer_v2",
    "keras.optimizers.optimizer_v2.optimizer_v2",
    "keras.optimizers.legacy.optimizer_v2",
    "keras.src.optimizers.legacy.optimizer_v2",
    "keras.optimizers.optimizer_experimental.optimizer",
    "keras.optimizers.optimizer",
    "keras.src.optimizers.optimizer",
    "keras.src.optimizers.base_optimizer",
    "tensorflow.python.training.optimizer",
)
"""Modules with the base class of optimizers, in all releases of Keras and TensorFlow."""
_CLASSES = ("OptimizerV2", "_BaseOptimizer", "Optimizer", "BaseOptimizer")
_observers = []
_running = threading.local()


def watch(observer):
    """Call ``observer(variables)`` after each update."""
    if not _observers:
        for name in MODULES:
            import_hooks.after(name, functools.partial(_watch_module, name))
    _observers.append(observer)


def mark_graphs(graph, name):
    """Set an attribute on a graph and on all graphs around it."""
    while graph is not None:
        setattr(graph, name, True)
        graph = getattr(graph, "outer_graph", None)


def _watch_module(name):
    import sys

    module = sys.modules[name]
    for class_name in _CLASSES:
        cls = module.__dict__.get(class_name)
        if isinstance(cls, type) and cls.__module__ == name:
            _watch_method(cls, "apply_gradients", _pairs_first)
            _watch_method(cls, "apply", _gradients_first)


def _watch_method(cls, name, read):
    method = cls.__dict__.get(name)
    if not callable(method):
        return

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if getattr(_running, "depth", 0):
            return method(self, *args, **kwargs)
        args, kwargs, variables = read(self, args, kwargs)
        _running.depth = 1
        try:
            result = method(self, *args, **kwargs)
        finally:
            _running.depth = 0
        for observer in _observers:
            observer(variables)
        return result

    setattr(cls, name, call)


def _pairs_first(optimizer, args, kwargs):
    """Return the arguments, with pairs that can be read twice, and the variables in them."""
    if args:
        pairs = list(args[0])
        return (pairs, *args[1:]), kwargs, [pair[1] for pair in pairs]
    pairs = list(kwargs.get("grads_and_vars", ()))
    return args, dict(kwargs, grads_and_vars=pairs), [pair[1] for pair in pairs]


def _gradients_first(optimizer, args, kwargs):
    """The same for ``apply(gradients, variables)`` of Keras 3."""
    given = args[1] if args[1:] else kwargs.get("trainable_variables")
    if given is None:
        given = getattr(optimizer, "_trainable_variables", ())
    return args, kwargs, list(given)
