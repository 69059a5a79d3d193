"""Measure ``Session.run`` if it trains, also inside MonitoredSession and estimators.

A run trains if its fetches depend on an update of an optimizer: an operator that only optimizers
use, or any update together with gradients. The fetches themselves are not changed.
"""

import os
import re
import time
import weakref

from ascendify_startup import capture_gradients
from ascendify_startup.capture_gradients import losses_of
from ascendify_startup.fetches import (
    ancestors,
    element,
    elements,
    is_scalar_float,
    series,
    walk,
)
from ascendify_startup.measure import name_containing, number

_OF_OPTIMIZERS = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]")
_UPDATES = re.compile(r"Assign|(Resource)?(Scatter)")
_INPUTS = re.compile(r"IteratorGetNext|Queue(DequeueMany|DequeueUpTo)|OneShotIterator")
_BATCHES = re.compile(r"(Padded|MapAnd|Parallel)?(AndBatch|Batch)Dataset")
_OFFLOADED = re.compile(r"(^|/)IterationOp(_\d+)?$")
"""The operator of iteration offload: one run of it is several steps, as the options say."""


def begin(meter):
    """Watch every session."""
    from tensorflow.python.client import session

    capture_gradients.begin()
    watch = _Watch(meter)
    original = session.BaseSession.run

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        plan = meter.safely(watch.plan, self, fetches)
        if plan is None:
            return original(self, fetches, feed_dict, options, run_metadata)
        started = time.perf_counter()
        values = original(self, fetches, feed_dict, options, run_metadata)
        meter.safely(watch.measure, self, plan, started, fetches, values, feed_dict)
        return values

    session.BaseSession.run = run


class _Watch(object):
    def __init__(self, meter):
        self._meter = meter
        self._plans = weakref.WeakKeyDictionary()

    def plan(self, session, fetches):
        """Return the plan of these fetches, None if they do not train."""
        if self._meter.fitting or self._meter.evaluating:
            return None
        graph = session.graph
        key = tuple(_fetch_key(fetch) for fetch, _, _ in walk(fetches))
        plans = self._plans.setdefault(graph, {})
        if key not in plans:
            plans[key] = _Plan(graph, fetches)
        return plans[key] if plans[key].training else None

    def measure(self, session, plan, started, fetches, values, feed_dict):
        """Measure a training run that has just finished."""
        loss = accuracy = None
        if plan.loss is not None or plan.accuracy is not None:
            single = [value for _, _, value in walk(fetches, values)]
            loss = None if plan.loss is None else number(single[plan.loss])
            accuracy = None if plan.accuracy is None else number(single[plan.accuracy])
        self._meter.step(
            started,
            count=_offloaded_steps(session) if plan.offloaded else 1,
            samples=_leading(feed_dict) or plan.batch,
            loss=loss,
            accuracy=accuracy,
        )


def _fetch_key(fetch):
    """Return a key for a fetch without looking it up in the graph: this is done in every run."""
    if isinstance(fetch, str):
        return fetch
    # a sparse tensor has no name, but its operation has one
    return getattr(fetch, "name", None) or getattr(getattr(fetch, "op", None), "name", str(fetch))


class _Plan(object):
    """Properties of one list of fetches: whether it trains, batch size, loss and accuracy."""

    def __init__(self, graph, fetches):
        operations = [operation for _, operation in elements(graph, fetches)]
        gradients = losses_of(graph)
        losses = set()
        applies = updates = False
        self.batch = None
        for operation in ancestors(operations):
            if operation.name in gradients:
                losses.add(gradients[operation.name])
            applies = applies or bool(_OF_OPTIMIZERS.match(operation.type))
            updates = updates or bool(_UPDATES.match(operation.type))
            if self.batch is None and _INPUTS.match(operation.type):
                self.batch = _static_batch(operation)
        self.training = applies or (updates and bool(losses))
        self.offloaded = any(_OFFLOADED.search(one.name) for one in operations)
        if self.training and self.batch is None:
            self.batch = _batch_of_datasets(graph)
        names, minimised = {}, None
        for place, (fetch, key, _) in enumerate(walk(fetches)):
            tensor = element(graph, fetch)
            if tensor is not None and is_scalar_float(tensor):
                names[key or series(tensor)] = place
                if tensor.name in losses:
                    minimised = place
        called_loss = names.get(name_containing(names, "loss", "cost"))
        self.loss = called_loss if minimised is None else minimised
        """Index of the fetch that is the loss: what the optimizer minimises, else by its name."""
        self.accuracy = names.get(name_containing(names, "accura", "acc"))


def _static_batch(operation):
    for tensor in operation.outputs:
        dims = tensor.shape.dims
        if dims:
            return getattr(dims[0], "value", dims[0])
    return None


def _batch_of_datasets(graph):
    """Return the batch size of the graph's datasets, if it is the same for all."""
    from tensorflow.python.framework import tensor_util

    sizes = set()
    for operation in graph.get_operations():
        if _BATCHES.match(operation.type):
            sizes.update(
                int(value)
                for value in map(tensor_util.constant_value, operation.inputs[1:3])
                if value is not None and value.ndim == 0 and value.dtype.kind == "i"
            )
    return sizes.pop() if len(sizes) == 1 else None


def _leading(feed_dict):
    """Return the most frequent first dimension of the fed arrays; ties go to the largest array."""
    found = {}
    for value in (feed_dict or {}).values():
        shape = getattr(value, "shape", None)
        if shape is None and isinstance(value, (list, tuple)):
            shape = (len(value),)
        if shape:
            times, largest = found.get(shape[0], (0, 0))
            found[shape[0]] = times + 1, max(largest, getattr(value, "size", shape[0]))
    return int(max(found, key=found.get)) if found else None


def _offloaded_steps(session):
    """Return the steps of a device in one run; 1 in the emulation, which calls for each step."""
    if os.environ.get("ASCENDIFY_JOB"):
        return 1
    for entry in session._config.graph_options.rewrite_options.custom_optimizers:
        if entry.name == "NpuOptimizer" and "iterations_per_loop" in entry.parameter_map:
            return max(1, entry.parameter_map["iterations_per_loop"].i)
    return 1
