"""Measure steps of programs that train with ``tf.GradientTape``, eagerly or in a ``tf.function``.

Executed eagerly, a step ends when an optimizer has updated the variables. A function trains if an
optimizer was called in its trace; each call of it is a step.
"""

import functools
import threading
import time

from ascendify_startup import optimizer_updates
from ascendify_startup.measure import number

_TRAINS = "_ascendify_is_step"


def begin(meter):
    """Watch optimizers and functions."""
    from tensorflow.python.eager import context, def_function

    _Steps(meter, context).watch(def_function.Function)


class _Steps(object):
    def __init__(self, meter, context):
        self._meter = meter
        self._context = context
        self._calls = threading.local()

    def watch(self, cls):
        """Measure calls of functions from now on."""
        optimizer_updates.watch(self._updated)
        original = cls.__call__
        steps = self

        @functools.wraps(original)
        def call(function, *args, **kwargs):
            if steps._is_measured_elsewhere():
                return original(function, *args, **kwargs)
            started = time.perf_counter()
            steps._calls.function = function
            try:
                result = original(function, *args, **kwargs)
            finally:
                steps._calls.function = None
            if getattr(function, _TRAINS, False):
                steps._meter.safely(steps._measure, started, args, result)
            return result

        cls.__call__ = call

    def _is_measured_elsewhere(self):
        meter = self._meter
        inside = getattr(self._calls, "function", None) is not None
        return inside or meter.fitting or meter.evaluating or not self._context.executing_eagerly()

    def _updated(self, variables):
        if self._meter.fitting or self._meter.evaluating:
            return
        function = getattr(self._calls, "function", None)
        if function is not None:
            setattr(function, _TRAINS, True)
        elif self._context.executing_eagerly():
            self._meter.safely(self._meter.step)

    def _measure(self, started, args, result):
        loss = _scalar(result) if self._meter.loss_is_due() else None
        self._meter.step(started, 1, _leading(args), loss)


def _scalar(result):
    """Return the first float scalar of what a function returned."""
    import tensorflow as tf

    for one in tf.nest.flatten(result):
        shape = getattr(one, "shape", None)
        if getattr(shape, "rank", None) == 0 and one.dtype.is_floating:
            return number(one)
    return None


def _leading(args):
    """Return the first dimension of the first tensor, or of what an iterator yields."""
    import tensorflow as tf

    for one in tf.nest.flatten(args):
        spec = getattr(one, "element_spec", one)
        for part in tf.nest.flatten(spec):
            shape = getattr(part, "shape", None)
            if shape is not None and len(shape) and shape[0]:
                return int(shape[0])
    return None
