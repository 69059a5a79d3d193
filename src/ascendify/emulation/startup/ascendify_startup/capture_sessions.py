"""Capture results of ``Session.run``: losses, metrics fetched with a training step, weights."""

import atexit
import re
import weakref

import numpy

from ascendify_startup.capture_gradients import losses_of
from ascendify_startup.fetches import (
    ancestors,
    element,
    elements,
    is_scalar_float,
    scalars,
    series,
    walk,
)
from ascendify_startup.final_weights import keep

METRIC = re.compile(
    r"loss|cost|error|accura|metric|perplexity|(^|[/_])(acc|err|mse|mae|auc|nll)", re.I
)
"""Names of scalars that are recorded even if they are fetched without a training step."""
DECODING = {
    "CTCBeamSearchDecoder": ("beam_width", "merge_repeated", "top_paths"),
    "CTCGreedyDecoder": ("merge_repeated",),
    "EditDistance": ("normalize",),
}
"""Operators that give the same for most inputs, an untrained network's blanks say, whatever their
attributes are: these are recorded."""
UPDATING = (
    "Assign",
    "Apply",
    "ResourceApply",
    "SparseApply",
    "ResourceSparseApply",
    "Scatter",
    "ResourceScatter",
)


def begin(recorder, state):
    """Watch every session."""
    from tensorflow.python.client import session

    watch = _Watch(recorder, state, session.BaseSession)
    session.BaseSession.run = watch.run_method()
    session.BaseSession.close = watch.close_method()
    atexit.register(watch.end)


class _Watch(object):
    def __init__(self, recorder, state, cls):
        self._recorder = recorder
        self._state = state
        self._run = cls.run
        self._close = cls.close
        self._depth = 0
        self._plans = weakref.WeakKeyDictionary()
        self._trained = weakref.WeakSet()
        self._global_steps = weakref.WeakKeyDictionary()
        self._steps = 0

    def run_method(self):
        """Return the replacement of ``BaseSession.run``."""
        watch = self
        original = self._run

        def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
            plan = watch.plan(self, fetches, feed_dict)
            if plan is None:
                return original(self, fetches, feed_dict, options, run_metadata)
            values, extra = original(self, [fetches, plan.extra], feed_dict, options, run_metadata)
            watch.record(self, plan, fetches, values, extra)
            return values

        return run

    def close_method(self):
        """Return the replacement of ``BaseSession.close``."""
        watch = self
        original = self._close

        def close(self):
            watch.record_decoding(self)
            watch.keep_weights(self)
            original(self)

        return close

    def end(self):
        """Write the weights of sessions that were never closed, when the process exits."""
        for session in list(self._trained):
            self.record_decoding(session)
            self.keep_weights(session)

    def record_decoding(self, session):
        """Record the attributes of operators that decode."""
        if session.graph not in self._plans:
            return
        for operation in session.graph.get_operations():
            for name in DECODING.get(operation.type, ()):
                value = operation.get_attr(name)
                record = {"source": "attribute", "of": "%s.%s" % (operation.type, name)}
                self._recorder.write(dict(record, value=value))

    def plan(self, session, fetches, feed_dict):
        """Return what to fetch in addition and what to record, None for nothing."""
        if self._state.fitting:
            return None
        graph = session.graph
        fetched = list(elements(graph, fetches))
        key = (graph.version, tuple(name for name, _ in fetched))
        if self._state.evaluating:
            self._state.batches[key] += 1
            return None
        plans = self._plans.setdefault(graph, {})
        if key not in plans:
            plans[key] = _Plan(graph, [operation for _, operation in fetched])
        plan = plans[key]
        return plan if plan.training or plan.learning or _fetches_metric(graph, fetches) else None

    def record(self, session, plan, fetches, values, extra):
        """Record the results of a run."""
        step = None
        if plan.training:
            self._trained.add(session)
            step = self._record_step(session)
        recorded = set()
        for tensor, key, value in scalars(session.graph, fetches, values):
            name = key or series(tensor)
            in_training = plan.training or plan.learning
            if tensor.name in recorded or not (in_training or METRIC.search(name)):
                continue
            recorded.add(tensor.name)
            source = "loss" if tensor.name in plan.losses else "fetch"
            self._record_value(source, name, value, step, tensor)
        for tensor, value in zip(plan.extra, extra):
            if tensor.name not in recorded:
                self._record_value("loss", series(tensor), value, step, tensor)

    def _record_value(self, source, name, value, step, tensor):
        if numpy.ndim(value) == 0:
            dtype = tensor.dtype.base_dtype.name
            self._recorder.value(source, name, float(value), step, dtype=dtype)

    def _record_step(self, session):
        """Count a training step; return the global step as its number, if it has changed."""
        self._steps += 1
        number = self._global_step(session)
        self._recorder.value("step", "global_step", number, self._steps)
        before = self._global_steps.get(session)
        self._global_steps[session] = number
        return number if number and number != before else None

    def _global_step(self, session):
        from tensorflow.python.framework import errors, ops

        found = session.graph.get_collection(ops.GraphKeys.GLOBAL_STEP)
        if len(found) != 1:
            return None
        try:
            return int(self._run(session, found[0]))
        except errors.FailedPreconditionError:
            return None  # never initialised, so the program does not use it

    def keep_weights(self, session):
        """Write the trainable variables of a session that trained."""
        if session not in self._trained:
            return
        self._trained.discard(session)
        try:
            keep(self._recorder, self._weights(session))
        except Exception as error:
            self._recorder.write({"source": "note", "text": "weights not read: %r" % (error,)})

    def _weights(self, session):
        from tensorflow.python.framework import ops

        variables = session.graph.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES)
        names = [variable.op.name for variable in variables]
        return dict(zip(names, self._run(session, variables)))


class _Plan(object):
    """Properties of one list of fetches: whether it trains, and on which losses."""

    def __init__(self, graph, operations):
        gradients = losses_of(graph)
        names = set()
        updates = False
        for operation in ancestors(operations):
            if operation.name in gradients:
                names.add(gradients[operation.name])
            updates = updates or operation.type.startswith(UPDATING)
        self.training = bool(names) and updates
        # training without an optimizer, such as clustering
        self.learning = updates and not gradients
        self.losses = names if self.training else set()
        fetched = {operation.name for operation in operations}
        self.extra = []
        for name in sorted(self.losses):
            tensor = graph.get_tensor_by_name(name)
            if tensor.op.name not in fetched and _fetchable(graph, tensor, operations):
                self.extra.append(tensor)


def _fetchable(graph, tensor, operations):
    """Whether the loss can be fetched in addition, without an error and without more input."""
    if not graph.is_fetchable(tensor) or tensor.op._get_control_flow_context() is not None:
        return False
    needed = {one.name for one in ancestors([tensor.op]) if one.type.startswith("Placeholder")}
    return not needed or needed <= {one.name for one in ancestors(operations)}


def _fetches_metric(graph, fetches):
    for fetch, key, _ in walk(fetches):
        tensor = element(graph, fetch)
        if tensor is not None and is_scalar_float(tensor) and METRIC.search(key or series(tensor)):
            return True
    return False
