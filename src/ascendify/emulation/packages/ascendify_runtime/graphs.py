"""The operators that one run of a session executes, where they run, and which code made them.

A :class:`SessionRun` is made once for each set of fetches and feeds; the checks of strict mode use
it.
"""

import fnmatch
import json
import os
import sys

from ascendify_runtime import findings

_HERE = os.path.dirname(os.path.abspath(__file__))
_DATA = os.path.join(_HERE, "data")
_SESSIONS, _EAGER = "operators.json", "operators_tf2.json"
"""Tables of operator types: for sessions, and for `tf.function` and eager code of TensorFlow 2."""
_STAND_INS = os.path.dirname(_HERE)
_STARTUP = os.path.join(os.path.dirname(_STAND_INS), "startup")
_GRADIENT_FILES = frozenset(
    (
        "gradients_util.py",
        "gradients_impl.py",
        "control_flow_state.py",
        "optimizer.py",
        "optimizer_v2.py",
        "backprop.py",
    )
)
_WRAPPER_FILES = frozenset(
    (
        "math_ops.py",
        "sparse_ops.py",
        "check_ops.py",
        "stateless_random_ops.py",
        "execute.py",
        "op_callbacks.py",
        "dispatch.py",
        "deprecation.py",
        "op_def_library.py",
        "ops.py",
        "func_graph.py",
        "traceback_utils.py",
        "tf_decorator.py",
        "tf_should_use.py",
        "op_selector.py",
    )
)
_TRAINING = ("Apply*", "ResourceApply*", "SparseApply*", "ResourceSparseApply*")
_VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp"))
_READINESS = "report_uninitialized_"
"""Part of the names of operators that test whether variables are initialised; sessions run such
tests by themselves."""

_tables = {}
_kinds = {}


def host_kind(operator_type):
    """Return why an operator type runs on the host; None if it runs on the device."""
    return _kind(operator_type, _SESSIONS)[0]


def refusal(operator_type, eager=False):
    """Return the row of the table that refuses an operator type; None if there is none.

    ``eager`` asks for the verdicts of TensorFlow 2 on eager code and on functions.
    """
    return _kind(operator_type, _EAGER if eager else _SESSIONS)[1]


def _table(name):
    """Return a table: operator types of the host, and those that the device refuses."""
    if name not in _tables:
        with open(os.path.join(_DATA, name), encoding="utf-8") as stream:
            _tables[name] = json.load(stream)
    return _tables[name]


def _kind(operator_type, name):
    found = _kinds.get((operator_type, name))
    if found is None:
        table = _table(name)
        host = None
        for kind, patterns in table["host"].items():
            if _matches(operator_type, patterns):
                host = kind
                break
        refused = None
        for row in table["refused"]:
            if _matches(operator_type, row["operators"]):
                refused = row
                break
        found = _kinds[operator_type, name] = (host, refused)
    return found


def _matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class Origin:
    """The code that made an operator of a graph, or that executes one eagerly (None)."""

    def __init__(self, operator=None):
        self.place = None
        """(path, line) of the user's innermost frame."""
        self.by_stand_in = False
        """Whether a stand-in made it for the user."""
        self.stand_in_files = ()
        self.library_files = ()
        """(path, function) of the frames between the user's frame and the operator."""
        self._read(operator)

    def _read(self, operator):
        between = []
        first = True
        frames = (
            _running_frames() if operator is None else reversed(findings.creation_frames(operator))
        )
        for path, line, function in frames:
            if is_stand_in(path):
                self.by_stand_in = self.by_stand_in or first
                between.append((path, function))
                first = False
            elif findings.is_user_file(path):
                self.place = (os.path.realpath(path), line)
                break
            elif "tensorflow" in path or os.sep + "keras" in path:
                between.append((path, function))
            elif first and os.sep + "site-packages" + os.sep in path:
                between.append((path, function))
        if self.place is None:
            self.place = findings.user_place(operator)
        self.library_files = tuple(between)
        self.stand_in_files = tuple(item for item in between if is_stand_in(item[0]))

    @property
    def direct(self):
        """Whether the user called the operator's own function, not a larger one that uses it."""
        return all(
            os.path.basename(path) in _WRAPPER_FILES or os.path.basename(path).startswith("gen_")
            for path, _ in self.library_files
        )

    @property
    def for_gradients(self):
        """Whether it belongs to a gradient or an update, which TensorFlow adds by itself."""
        return any(os.path.basename(path) in _GRADIENT_FILES for path, _ in self.library_files)

    @property
    def by_keras(self):
        """Whether Keras made it inside one of its layers or models."""
        return any(os.sep + "keras" in path for path, _ in self.library_files)


def _running_frames():
    """Yield the running frames outside of this package, the innermost first."""
    frame = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if os.path.dirname(path) != _HERE:
            yield path, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back


def is_plain(operator):
    """Whether an operator computes something; constants and identities are folded."""
    return operator.type not in ("Const", "Identity", "NoOp", "IdentityN")


def is_stand_in(path):
    """Whether a file is one of the stand-ins', or of our start-up code."""
    return path.startswith((_STAND_INS + os.sep, _STARTUP + os.sep))


class SessionRun:
    """The operators one ``Session.run`` executes."""

    of_function = False
    """Whether a traced ``tf.function`` executes them."""

    def __init__(self, fetched, targets, fed):
        self.fetched = list(fetched)
        self.fed = list(fed)
        self.targets = list(targets)
        self._fed = {id(tensor) for tensor in self.fed}
        self._origins = {}
        self.consumers = {}
        """id of a tensor -> the operators of this run that consume it."""
        self.operators = self._collect()
        self.is_fetched = {id(tensor) for tensor in self.fetched}

    def _collect(self):
        """Return the operators, each after its inputs; loops are cut at their back edge."""
        pending = [(tensor.op, False) for tensor in self.fetched if id(tensor) not in self._fed]
        pending += [(operator, False) for operator in self.targets]
        pending.reverse()
        seen = set()
        ordered = []
        while pending:
            operator, done = pending.pop()
            if done:
                ordered.append(operator)
                continue
            if id(operator) in seen:
                continue
            seen.add(id(operator))
            pending.append((operator, True))
            for tensor in operator.inputs:
                self.consumers.setdefault(id(tensor), []).append(operator)
                if id(tensor) not in self._fed:
                    pending.append((tensor.op, False))
            pending.extend((item, False) for item in operator.control_inputs)
        return ordered

    def origin(self, operator):
        """Return the code that made an operator; read once for each operator."""
        found = self._origins.get(id(operator))
        if found is None:
            found = self._origins[id(operator)] = Origin(operator)
        return found

    def device_consumers(self, tensor):
        """Return the operators of the device that consume a tensor."""
        return [item for item in self.consumers.get(id(tensor), ()) if self.on_device(item)]

    def on_device(self, operator):
        """Whether an operator runs on the device, judged by its type and by the user's request."""
        if host_kind(operator.type) is not None or _READINESS in operator.name:
            return False
        return not self.kept_on_host(operator)

    def refusal(self, operator):
        """Return the row of the table that refuses an operator; None if there is none."""
        return refusal(operator.type, eager=self.of_function)

    def reaches_device(self, operator):
        """Whether a result of an operator is fetched or consumed by an operator of the device."""
        return any(
            id(tensor) in self.is_fetched or self.device_consumers(tensor)
            for tensor in operator.outputs
        )

    def is_fed(self, tensor):
        """Whether the user feeds a tensor in this run."""
        return id(tensor) in self._fed

    @property
    def everything(self):
        """All operators, those of conditions and loops included."""
        return self.operators

    @property
    def is_for_the_host(self):
        """Whether everything in it runs on the host: filling a queue, starting an iterator."""
        return any(item.type.startswith(("QueueEnqueue", "QueueClose")) for item in self.targets)

    @property
    def has_variables(self):
        """Whether it uses variables, as runs of a network do."""
        return any(item.type in _VARIABLES for item in self.operators)

    @property
    def trains(self):
        """Whether it updates variables by an optimizer."""
        return any(_matches(item.type, _TRAINING) for item in self.operators)

    def kept_on_host(self, operator):
        """Whether the user has requested to keep an operator out of the device graph."""
        try:
            return bool(operator.get_attr("_without_npu_compile"))
        except ValueError:
            return False
