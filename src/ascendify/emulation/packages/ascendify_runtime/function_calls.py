"""Calls of `tf.function` as the adapter makes them: functions inside a function are inlined.

Inside the trace of an outer function the Python function of an inner one is called directly. If
that raises any error, for example because AutoGraph does not convert it there, the usual nested
call follows.
"""

import contextlib
import functools
import os
import threading

from absl import logging
from tensorflow.python.eager import context
from tensorflow.python.framework import ops, random_seed

from ascendify_runtime import findings, lost_state

_OWN_COUNT = "_ascendify_random_operations"
"""Attribute of a graph: how many random operators our start-up module has numbered in it."""
_local = threading.local()


def on_device(call):
    """Return the replacement of `Function.__call__`; ``call`` is TensorFlow's."""

    @functools.wraps(call)
    def call_on_device(self, *args, **kwargs):
        lost_state.refuse_lost(self)
        outer = getattr(_local, "outer", None)
        if outer is not None:
            return _inline(call, self, outer, args, kwargs)
        _local.outer = _name(self)
        try:
            result = call(self, *args, **kwargs)
        finally:
            _local.outer = None
        if findings.strict() and context.executing_eagerly():
            from ascendify_runtime import eager_operators, functions

            if not eager_operators.runs_on_host():
                functions.check_calls(self, args, kwargs)
        return result

    return call_on_device


def _inline(call, function, outer, args, kwargs):
    logging.info("Inlining nested tf function %s under %s on npu", _name(function), outer)
    graph = ops.get_default_graph()
    before = graph.version
    try:
        with _seeds_of_a_new_graph(graph):
            return function.python_function(*args, **kwargs)
    except Exception:  # as the adapter does, whatever the error: the usual call raises it again
        logging.info(
            "Bypass inlining nested tf function %s under %s on npu", _name(function), outer
        )
        _record_left_operators(graph, before, function)
        return call(function, *args, **kwargs)


def _name(function):
    return getattr(function.python_function, "__name__", "function")


@contextlib.contextmanager
def _seeds_of_a_new_graph(graph):
    """Number random operators as in a graph of the function's own.

    A random operator without a seed derives one from the number of random operators before it in
    its graph. Inlined functions have no graph, and would draw other numbers than in the original.
    """
    counts = getattr(random_seed, "_graph_to_seed_dict", {})
    theirs, ours = counts.get(graph), getattr(graph, _OWN_COUNT, None)
    try:
        if theirs is not None:
            counts[graph] = 0
        if ours is not None:
            setattr(graph, _OWN_COUNT, 0)
        yield
    finally:
        if theirs is not None:
            counts[graph] = theirs
        else:
            counts.pop(graph, None)
        if ours is not None:
            setattr(graph, _OWN_COUNT, ours)
        elif hasattr(graph, _OWN_COUNT):
            delattr(graph, _OWN_COUNT)


def _record_left_operators(graph, before, function):
    """Record state that a failed attempt to inline changes in addition."""
    if not findings.strict() or graph.building_function is False:
        return
    left = [
        item.type
        for item in graph.get_operations()
        if item._id > before
        and item.type.startswith(("Assign", "ResourceApply", "ResourceScatter"))
    ]
    if left:
        findings.record(
            "EMU-FUNC-1",
            findings.BLOCKER,
            "the adapter calls {}, a tf.function, inside another one; the call fails after it has "
            "updated {} variable{}, and is then repeated: they are updated twice".format(
                _name(function), len(left), "s" * (len(left) > 1)
            ),
            "Leave @tf.function off functions that another tf.function calls.",
            _place(function),
        )


def _place(function):
    code = getattr(function.python_function, "__code__", None)
    return None if code is None else (os.path.realpath(code.co_filename), code.co_firstlineno)
