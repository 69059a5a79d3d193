"""Checks of sessions in strict mode: how they are opened, what they run, whether they are closed.

``watch_session`` is called for every session that the patched constructor made. A graph is checked
once for each set of fetches and feeds; a repeated step costs one dictionary lookup and a check of
the fed shapes.
"""

import atexit
import gc
import os
import re
import sys
import weakref

from ascendify_runtime import findings, graphs, options, rank_graphs, shapes, shown, unsupported
from ascendify_runtime.framework import tf

_WATCH = "_ascendify_watch"
_BaseSession = tf.Session.__mro__[1]
_SESSION_FILES = ("session.py", "contextlib.py", "functools.py", "tf_decorator.py", "wrappers.py")
_NOT_THE_USERS = frozenset(("npu_clear_session",))
"""Functions of the stand-ins that pass a session to Keras; the user cannot close it."""

_OVERFLOW_TEST = "gradients_are_finite"
"""The function of the stand-ins that emulates reading the device's overflow flag."""
_OFF = {"remapping": (2,), "memory_optimization": (1, 2)}
"""Values that mean OFF: RewriterConfig.OFF, or the values of the field's own enumeration."""

_open = []


def watch_session(session, config):
    """Check a new session and everything it runs; ``config`` is the one it was made with."""
    if not findings.strict():
        return
    place = findings.user_place()
    _check_settings(config, place)
    options.check(config, place)
    setattr(session, _WATCH, _Watch(config))
    if _is_the_users():
        _open.append((weakref.ref(session), place))


def check_environment():
    """Record what is wrong with the environment of this rank."""
    for found, todo in _environment_problems(os.environ):
        findings.record("EMU-ENV-1", findings.MANUAL, found, todo)


def _environment_problems(environment):
    job = environment.get("JOB_ID", "")
    if job and (not re.fullmatch(r"[A-Za-z0-9_-]+", job) or re.fullmatch(r"0[0-9]+", job)):
        yield (
            "JOB_ID is {!r}".format(job),
            "Use letters, digits, - and _, and no number that starts with 0.",
        )
    rank, size = environment.get("RANK_ID", ""), environment.get("RANK_SIZE", "")
    if size and not (size.isdigit() and int(size) > 0):
        yield "RANK_SIZE is {!r}, no number of ranks".format(size), "Give the number of ranks."
        return
    if rank.isdigit() and size and int(rank) >= int(size):
        found = "RANK_ID is {}, and with RANK_SIZE {} ranks count from 0 to {}"
        yield found.format(rank, size, int(size) - 1), "Give each process a rank in that range."
    if size and int(size) > 1 and not rank and not environment.get("POD_NAME"):
        found = "RANK_SIZE is {}, and RANK_ID is not set: every process takes itself for rank 0"
        yield found.format(size), "Export RANK_ID, from 0 on, for each process."
    if size and environment.get("CM_WORKER_SIZE"):
        found = "RANK_SIZE and CM_WORKER_SIZE are both set, and exclude each other"
        yield found, "Set RANK_* with a rank table, or CM_* without one."
    for name in ("ASCEND_DEVICE_ID", "DEVICE_ID"):
        device = environment.get(name, "")
        if device and not device.isdigit():
            yield "{} is {!r}, no device number".format(name, device), "Give a number from 0 on."


def _check_settings(config, place):
    if not options.entries(config):
        _record_no_entry("the session is opened without the NpuOptimizer entry", place)
        return
    if len(options.entries(config)) > 1:
        found = "the session config has {} NpuOptimizer entries; the last value of a key wins"
        _record_setting(found.format(len(options.entries(config))), "Merge them.", place)
    rewriter = config.graph_options.rewrite_options
    for name in ("remapping", "memory_optimization"):
        if getattr(rewriter, name) not in _OFF[name]:
            found = "{} is on although the session has the NpuOptimizer entry".format(name)
            todo = "Set config.graph_options.rewrite_options.{} = RewriterConfig.OFF.".format(name)
            _record_setting(found, todo, place)
    jit = config.graph_options.optimizer_options.global_jit_level
    if jit not in (0, -1):
        todo = "Leave global_jit_level at OFF."
        _record_setting("XLA is switched on (global_jit_level={})".format(jit), todo, place)
    if not config.allow_soft_placement:
        todo = "Set config.allow_soft_placement = True."
        _record_setting("soft placement is off", todo, place)


def _record_setting(found, todo, place):
    findings.record("EMU-SESS-2", findings.MANUAL, found, todo, place)


def _record_no_entry(found, place):
    findings.record(
        "EMU-SESS-1",
        findings.MANUAL,
        found + ", so it runs on the host CPU",
        "Import npu_bridge.npu_init before the first session, or pass npu_config_proto().",
        place,
    )


class _Watch:
    """The runs of one session that were checked, and their fed shapes."""

    def __init__(self, config):
        self.on_host = options.value(config, "use_off_line") is False
        self.mixed = bool(options.value(config, "mix_compile_mode"))
        self.open_shapes = bool(
            options.value(config, "compile_dynamic_mode") or options.value(config, "dynamic_dims")
        )
        self._seen = {}
        """(ids of fetches, targets and feeds) -> shapes of the feeds."""

    def see(self, fetched, targets, items):
        """Check a run the first time, and the shapes of its feeds every time."""
        if self.on_host:
            return
        key = (
            tuple(map(id, fetched)),
            tuple(map(id, targets)),
            tuple(id(tensor) for tensor, _ in items),
        )
        feeds = self._seen.get(key)
        if feeds is None:
            feeds = self._seen[key] = shapes.Feeds()
            self._check(fetched, targets, [tensor for tensor, _ in items])
        shown.note_feeds(items)
        if not self.open_shapes:
            feeds.check(items)

    def _check(self, fetched, targets, fed):
        run = graphs.SessionRun(fetched, targets, fed)
        shown.note_run(run)
        if run.is_for_the_host:
            return
        unsupported.check(run, self.mixed)
        if not self.open_shapes:
            shapes.check(run, self.mixed)
        _check_initialisers(run)
        _check_overflow(run)
        rank_graphs.note(run)


def _check_initialisers(run):
    """Record one run of the user that initialises both variables and an iterator."""
    if not _is_the_users():
        return
    iterators = [item for item in run.operators if item.type == "MakeIterator"]
    assigned = [
        item
        for item in run.operators
        if item.type in ("Assign", "AssignVariableOp") and item.name.endswith("/Assign")
    ]
    if iterators and assigned:
        found = "one run initialises variables and the iterator {!r}".format(iterators[0].name)
        findings.record(
            "EMU-SESS-4",
            findings.MANUAL,
            found,
            "Run the initializer of the iterator in a sess.run of its own.",
        )


def _check_overflow(run):
    """Record one run that applies gradients of several optimizers with overflow checks."""
    watching = [
        operator
        for operator in run.operators
        if operator.type == "All"
        and operator.inputs[0].op.type == "Pack"
        and any(name == _OVERFLOW_TEST for _, name in run.origin(operator).stand_in_files)
    ]
    if len(watching) > 1:
        places = [run.origin(operator).place or ("", 0) for operator in watching]
        lines = " and ".join(
            "{}:{}".format(os.path.basename(path), line) for path, line in sorted(set(places))
        )
        findings.record(
            "EMU-SESS-5",
            findings.MANUAL,
            "one run applies gradients under {} overflow checks ({})".format(len(watching), lines),
            "Apply the gradients of each optimizer in a sess.run of its own.",
        )


def _is_the_users():
    """Whether the running call came from the user's program, not from inside TensorFlow."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if graphs.is_stand_in(path):
            if frame.f_code.co_name in _NOT_THE_USERS:
                return False
        elif os.path.basename(path) not in _SESSION_FILES:
            return findings.is_user_file(path)
        frame = frame.f_back
    return False


def _record_unclosed():
    if hasattr(sys, "last_type"):
        return  # the program failed before it could close its sessions
    for reference, place in _open:
        session = reference()
        closed = session is None or session._closed
        shown.note_session(place, closed)
        if not closed:
            findings.record(
                "EMU-SESS-3",
                findings.MANUAL,
                "the session opened here is never closed",
                "Open it with `with`, or call close() when the work is done.",
                place,
            )
    shown.write()


def _install():
    """Watch sessions from now on; record those that are open already."""
    run, make, initialise = (
        _BaseSession._do_run,
        _BaseSession._make_callable_from_options,
        _BaseSession.__init__,
    )

    def do_run(self, handle, target_list, fetch_list, feed_dict, *rest):
        watch = getattr(self, _WATCH, None)
        if watch is not None and handle is None:
            items = [(_tensor(key), tuple(value.shape)) for key, value in feed_dict.items()]
            watch.see(fetch_list, target_list, items)
        return run(self, handle, target_list, fetch_list, feed_dict, *rest)

    def make_callable(self, callable_options):
        made = make(self, callable_options)
        watch = getattr(self, _WATCH, None)
        return made if watch is None else _Callable(made, watch, self.graph, callable_options)

    def session_init(self, target="", graph=None, config=None):
        initialise(self, target, graph, config)
        if not options.entries(config):
            _record_no_entry("a session is opened without npu_bridge", findings.user_place())

    _BaseSession._do_run = do_run
    _BaseSession._make_callable_from_options = make_callable
    _BaseSession.__init__ = session_init
    atexit.register(_record_unclosed)
    check_environment()
    for item in gc.get_objects():
        if isinstance(item, _BaseSession) and not item._closed:
            _record_no_entry("a session is opened before npu_bridge.npu_init is imported", None)


class _Callable:
    """The callable of a session that Keras uses for a step, with the same checks as a run."""

    def __init__(self, made, watch, graph, callable_options):
        self._made = made
        self._watch = watch
        element = graph.as_graph_element
        self._fetched = [element(name) for name in callable_options.fetch]
        self._targets = [element(name, allow_tensor=False) for name in callable_options.target]
        self._fed = [element(name) for name in callable_options.feed]
        connected = [element(item.to_tensor) for item in callable_options.tensor_connection]
        self._connected = [(tensor, ()) for tensor in connected]

    def __call__(self, *args, **kwargs):
        items = [
            (tensor, tuple(getattr(value, "shape", ()))) for tensor, value in zip(self._fed, args)
        ]
        self._watch.see(self._fetched, self._targets, items + self._connected)
        return self._made(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._made, name)


def _tensor(key):
    return key.deref() if hasattr(key, "deref") else key


if findings.strict():
    _install()
