"""Capture losses, weights and checkpoints of programs that train with ``tf.GradientTape``.

A loss is what a tape computes the gradients of, if they are gradients of variables. Inside a
``tf.function`` an operator is added that passes the loss to Python.
"""

import atexit
import functools
import inspect
import sys

import numpy

from ascendify_startup import optimizer_updates
from ascendify_startup.capture_summaries import record_checkpoint
from ascendify_startup.final_weights import keep


def begin(recorder, state):
    """Watch tapes, optimizers and checkpoints."""
    import tensorflow
    from tensorflow.python.eager import backprop, def_function

    capture = _Capture(recorder, state)
    _watch_tapes(backprop.GradientTape, capture)
    _leave_xla_out(def_function.Function)
    optimizer_updates.watch(capture.updated)
    for cls in (tensorflow.train.Checkpoint, tensorflow.train.CheckpointManager):
        _watch_checkpoints(recorder, cls)
    atexit.register(capture.keep_weights)


class _Capture(object):
    def __init__(self, recorder, state):
        self._recorder = recorder
        self._state = state
        self._series = {}
        """Ids of the variables of a loss -> name of its series."""
        self._shapes = {}
        """Name of a series -> shapes of its gradients."""
        self._variables = {}
        self._observes = False
        self._summed = set()

    def loss(self, target, sources):
        """Record a loss now, or whenever its graph is executed."""
        import tensorflow as tf

        if self._state.fitting or self._state.evaluating:
            return  # Keras reports it to callbacks
        target = _single(target)
        variables = [one for one in tf.nest.flatten(sources) if _is_variable(one)]
        if target is None or not variables:
            return
        name = self._name(variables)
        self._watch_reductions(name, variables)
        dtype = target.dtype.name
        if tf.executing_eagerly():
            self._record(name, dtype, target.numpy())
        else:
            tf.numpy_function(functools.partial(self._record, name, dtype), [target], [])

    def _name(self, variables):
        key = tuple(id(one) for one in variables)
        if key not in self._series:
            number = len(self._series) + 1
            self._series[key] = "loss" if number == 1 else "loss %d" % number
        return self._series[key]

    def _watch_reductions(self, name, variables):
        """Find out how ranks combine the gradients of a loss, which tells how to combine it."""
        self._shapes.setdefault(name, [tuple(one.shape.as_list()) for one in variables])
        if not self._observes and "npu_device" in sys.modules:
            from ascendify_runtime import collective_use

            self._observes = True
            collective_use.observe(self._reduced)

    def _reduced(self, tensors, reduction):
        """Record the sum of gradients: the losses of the ranks add up to that of the batch."""
        shapes = [tuple(one.shape.as_list()) for one in tensors]
        for name, known in list(self._shapes.items()):
            if known == shapes and name not in self._summed:
                if reduction == "sum":
                    self._summed.add(name)
                    record = {"source": "combined", "series": "tape/" + name, "how": reduction}
                    self._recorder.write(record)
                return

    def _record(self, name, dtype, value):
        self._recorder.value("step", "batch", None)
        self._recorder.value("loss", "tape/" + name, float(value), dtype=dtype)

    def updated(self, variables):
        """Remember the variables that an optimizer updates."""
        if not self._state.fitting and not self._state.evaluating:
            self._variables.update((id(one), one) for one in variables)

    def keep_weights(self):
        """Write the values of these variables when the process exits."""
        import tensorflow as tf

        if not tf.executing_eagerly():
            return
        try:
            kept = {
                "%d %s" % (number, _plain_name(one)): numpy.asarray(one)
                for number, one in enumerate(self._variables.values())
            }
            keep(self._recorder, kept)
        except Exception as error:
            self._recorder.write({"source": "note", "text": "weights not read: %r" % (error,)})


def _single(target):
    """Return a scalar float tensor; None for anything else."""
    if isinstance(target, (list, tuple)):
        target = target[0] if len(target) == 1 else None
    dtype, shape = getattr(target, "dtype", None), getattr(target, "shape", None)
    if dtype is None or shape is None or not getattr(dtype, "is_floating", False):
        return None
    return target if getattr(shape, "rank", None) == 0 else None


def _is_variable(value):
    return hasattr(value, "assign") and hasattr(value, "trainable")


def _plain_name(variable):
    return getattr(variable, "path", None) or variable.name


def _watch_tapes(cls, capture):
    original = cls.gradient

    @functools.wraps(original)
    def gradient(self, target, sources, *args, **kwargs):
        result = original(self, target, sources, *args, **kwargs)
        capture.loss(target, sources)
        return result

    cls.gradient = gradient


def _leave_xla_out(cls):
    """Trace functions without XLA: it rounds differently, and cannot call Python for the loss."""
    original = cls.__init__
    names = list(inspect.signature(original).parameters)

    @functools.wraps(original)
    def initialise(self, *args, **kwargs):
        args = list(args)
        position = names.index("jit_compile") - 1 if "jit_compile" in names else None
        if position is not None and position < len(args):
            args[position] = None
        elif "jit_compile" in kwargs:
            kwargs["jit_compile"] = None
        original(self, *args, **kwargs)

    cls.__init__ = initialise


def _watch_checkpoints(recorder, cls):
    for name in ("save", "write"):
        if name in cls.__dict__:
            setattr(cls, name, _recorded(recorder, cls.__dict__[name]))


def _recorded(recorder, method):
    @functools.wraps(method)
    def call(self, *args, **kwargs):
        path = method(self, *args, **kwargs)
        if path is not None and isinstance(path, (str, bytes)):
            record_checkpoint(recorder, path)
        return path

    return call
