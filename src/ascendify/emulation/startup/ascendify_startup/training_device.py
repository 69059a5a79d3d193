"""Report a program that has trained without the NPU: no code of it has used the device.

A session uses the NPU if its configuration has the NpuOptimizer entry. Eager code and functions use
it after ``npu_device.open().as_default()``, and inside the scope of an open device. In strict mode
it is a finding; where losses are captured, a record beside them.
"""

import atexit
import os
import re
import sys
import weakref

from ascendify_startup import capture_gradients, import_hooks, optimizer_updates
from ascendify_startup.fetches import ancestors, elements, walk

TRAINS = "_ascendify_trains"
"""Attribute of a traced graph in which an optimizer updates variables."""
_OF_OPTIMIZERS = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]")
_UPDATES = re.compile(r"Assign|(Resource)?(Scatter)")


_recorders = []
_watches = []


def begin(recorder=None):
    """Watch sessions and optimizers; ``recorder`` gets a record of training without the NPU."""
    if recorder is not None:
        _recorders.append(recorder)
    if _watches:
        return
    watch = _Watch()
    _watches.append(watch)
    import_hooks.after("tensorflow", watch.sessions)
    optimizer_updates.watch(watch.update)
    atexit.register(watch.report)


class _Watch(object):
    def __init__(self):
        self._on_npu = 0
        self._on_host = 0
        self._eager = 0
        self._place = None
        self._plans = weakref.WeakKeyDictionary()

    def update(self, variables):
        """Count an update by an optimizer; those of TensorFlow 1 count when a session runs them."""
        from tensorflow.python.framework import ops

        if not ops.executing_eagerly_outside_functions():
            return
        optimizer_updates.mark_graphs(ops.get_default_graph(), TRAINS)
        device = sys.modules.get("npu_device.npu_device")
        self._eager += 1
        self._count(device is not None and device._is_in_use())

    def _count(self, on_npu):
        if on_npu:
            self._on_npu += 1
            return
        self._on_host += 1
        if self._place is None:
            from ascendify_runtime import findings

            self._place = findings.user_place()

    def sessions(self):
        """Count the runs of sessions that train."""
        from tensorflow.python.client import session

        capture_gradients.begin()
        base = session.BaseSession
        run, make = base.run, base._make_callable_from_options
        watch = self

        def counted_run(self, fetches, *args, **kwargs):
            key = tuple(_key(fetch) for fetch, _, _ in walk(fetches))
            if watch.trains(self.graph, key, fetches):
                watch._count(_is_npu_session(self))
            return run(self, fetches, *args, **kwargs)

        def counted_callable(self, options):
            names = [*options.fetch, *options.target]
            if watch.trains(self.graph, tuple(names), names):
                watch._count(_is_npu_session(self))
            return make(self, options)

        base.run = counted_run
        base._make_callable_from_options = counted_callable

    def trains(self, graph, key, fetches):
        """Whether fetches depend on an update of an optimizer."""
        known = self._plans.setdefault(graph, {})
        if key not in known:
            known[key] = _trains(graph, fetches)
        return known[key]

    def report(self):
        """Record it when the process exits."""
        if hasattr(sys, "last_type"):
            return  # the program failed, maybe before it came to the NPU
        from ascendify_runtime import collective_use, findings

        if self._on_host and not self._on_npu:
            reason = _reason(self._eager)
            for recorder in _recorders:
                recorder.write({"source": "never on NPU", "text": reason})
            findings.record(
                "EMU-NPU-1",
                findings.BLOCKER,
                "the program trains, but never on the NPU: " + reason,
                "Migrate the project, or see which code opens the NPU and why it does not run.",
                self._place,
            )
        size = os.environ.get("RANK_SIZE", "")
        several = size.isdigit() and int(size) > 1
        if not (several and self._eager and self._on_npu):
            return
        if not collective_use.has_reduced():
            findings.record(
                "EMU-HCCL-3",
                findings.MANUAL,
                "{} ranks train and reduce no gradient: each trains a model of its own".format(
                    size
                ),
                "Wrap the optimizer in npu_distributed_keras_optimizer_wrapper, or call "
                "npu_device.distribute.all_reduce on the gradients.",
            )
        elif not collective_use.has_broadcast():
            findings.record(
                "EMU-HCCL-5",
                findings.MANUAL,
                "{} ranks train and broadcast no variable: each may start from weights of its "
                "own".format(size),
                "Call npu_device.distribute.broadcast(model.variables, root_rank=0) when the "
                "model is built and restored, before its first step.",
            )


def _reason(eager):
    if eager and "npu_device" not in sys.modules:
        return "it does not import npu_device"
    if eager:
        return "npu_device.open().as_default() is not called before the training"
    if "npu_bridge" in sys.modules:
        return "no session that trains has the NpuOptimizer entry"
    package = "npu_bridge" if _is_v1() else "npu_device.compat.v1"
    return "it does not import {}.npu_init".format(package)


def _is_v1():
    return sys.modules["tensorflow"].__version__.startswith("1.")


def _key(fetch):
    if isinstance(fetch, str):
        return fetch
    return getattr(fetch, "name", None) or getattr(getattr(fetch, "op", None), "name", str(fetch))


def _trains(graph, fetches):
    gradients = capture_gradients.losses_of(graph)
    learns = updates = False
    for operation in ancestors([operation for _, operation in elements(graph, fetches)]):
        if _OF_OPTIMIZERS.match(operation.type):
            return True
        updates = updates or bool(_UPDATES.match(operation.type))
        learns = learns or operation.name in gradients
    return learns and updates


def _is_npu_session(session):
    config = getattr(session, "_config", None)
    if config is None:
        return False
    entries = config.graph_options.rewrite_options.custom_optimizers
    return any(entry.name == "NpuOptimizer" for entry in entries)
