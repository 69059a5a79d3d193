"""Checks of strict mode for `tf.function`: what the device is given as a graph.

Every trace is checked once, after the call that made it. A later call of the same function costs
one look at its number of traces.
"""

import tensorflow as tf
from tensorflow.python.framework import ops, tensor_util
from tensorflow.python.ops import gen_resource_variable_ops

from ascendify_runtime import findings, graphs, offloaded_loops, rank_graphs, shapes, unsupported

_TRACES = "_ascendify_traces"
_TRAINS = "_ascendify_trains"
"""Attribute of a graph in which our start-up module saw an optimizer."""
_CACHES = (
    "_stateful_fn",
    "_stateless_fn",
    "_variable_creation_fn",
    "_no_variable_creation_fn",
)
"""Attributes of a function that hold traces, in the releases up to about 2.12."""
_MOST_TRACES = 4
"""Traces for the same tensors that are usual: with and without ``training``, each once more where
the first call makes variables."""
_LOOPS = ("While", "StatelessWhile")
_USES_OF_VARIABLES = ("ReadVariableOp", "AssignVariableOp", "ResourceGather")
_INPUT = ("IteratorGetNext", "IteratorGetNextAsOptional", "IteratorGetNextSync")


def check_calls(function, args, kwargs):
    """Check the traces of a function that are new since its last call, and its loops."""
    state = getattr(function, _TRACES, None)
    if state is None:
        state = _State()
        setattr(function, _TRACES, state)
    count = function.experimental_get_tracing_count()
    if count != state.count:
        state.count = count
        for concrete in _concrete_functions(function):
            if id(concrete.graph) not in state.checked:
                state.checked[id(concrete.graph)] = concrete.graph
                run = FunctionRun(concrete.graph)
                for known in state.runs[:1]:
                    shapes.check_retrace(run, known)
                state.runs.append(run)
                _check_python_arguments(function, state.runs)
                state.loops += _check(run)
    for loop in state.loops:
        loop.check(args, kwargs)


def _check_python_arguments(function, runs):
    """Record a function that is traced again and again although tensors keep their shapes."""
    same = [one for one in runs if shapes.have_same_arguments(one, runs[-1])]
    if len(same) == _MOST_TRACES + 1:
        findings.record(
            "EMU-FUNC-2",
            findings.MANUAL if runs[-1].trains else findings.INFO,
            "{}, a tf.function, is traced again and again for tensors of the same shapes: its "
            "other arguments, Python numbers or objects, change".format(
                getattr(function.python_function, "__name__", "function")
            ),
            "Pass numbers that change as tensors: tf.constant(step).",
        )


class _State:
    """What is known of one function."""

    def __init__(self):
        self.count = 0
        self.checked = {}
        """Graphs that were checked, by id; kept so that no other graph gets the id."""
        self.runs = []
        self.loops = []


def _concrete_functions(function):
    """Return the traces of a function, without making a new one."""
    found = []
    cache = getattr(function, "_function_cache", None)
    if cache is not None:
        found += cache.values()
    for name in _CACHES:
        traced = getattr(function, name, None)
        cache = getattr(traced, "_function_cache", None)
        for attribute in ("all_values", "values"):
            if hasattr(cache, attribute):
                found += getattr(cache, attribute)()
                break
        else:
            if hasattr(traced, "_list_all_concrete_functions"):
                found += traced._list_all_concrete_functions()
    for name in ("_concrete_stateful_fn", "_concrete_variable_creation_fn"):
        found += filter(None, [getattr(function, name, None)])
    return [one for one in found if hasattr(one, "graph")]


def _check(run):
    """Check one trace; return its loops over iterators."""
    unsupported.check(run, mixed=False)
    shapes.check(run, mixed=False)
    for inner in run.inner:
        unsupported.check(inner, mixed=False)
        shapes.check(inner, mixed=False)
    rank_graphs.note(run)
    return _loops(run.graph, run)


class FunctionRun(graphs.SessionRun):
    """The operators that one call of a traced function executes."""

    of_function = True

    def __init__(self, graph, outer=None):
        self.graph = graph
        self._outer = outer
        self.is_body = outer is not None
        """Whether it is the body of a condition or a loop."""
        captured = {id(tensor) for tensor in graph.internal_captures}
        fed = [tensor for tensor in graph.inputs if id(tensor) not in captured]
        outputs = [one for one in graph.outputs if one is not None and one.graph is graph]
        super(FunctionRun, self).__init__(outputs, list(graph.control_outputs), fed)
        self.inner = [] if outer is not None else list(self._inner_runs())

    def _inner_runs(self):
        """Yield the bodies of conditions and loops, at any depth."""
        waiting, seen = [self], set()
        while waiting:
            run = waiting.pop()
            for graph in _bodies(run):
                if id(graph) not in seen:
                    seen.add(id(graph))
                    body = FunctionRun(graph, self)
                    waiting.append(body)
                    yield body

    @property
    def trains(self):
        """Whether an optimizer updates variables in it."""
        inner = getattr(self, "inner", ())
        graph = self.graph if self._outer is None else self._outer.graph
        return (
            getattr(graph, _TRAINS, False)
            or super(FunctionRun, self).trains
            or any(super(FunctionRun, body).trains for body in inner)
        )

    @property
    def has_variables(self):
        """Whether it uses variables, as networks do."""
        return any(item.type in _USES_OF_VARIABLES for item in self.everything)

    @property
    def everything(self):
        """All operators, those of conditions and loops included."""
        return self.operators + [item for body in self.inner for item in body.operators]


def _bodies(run):
    """Yield the graphs of the functions that operators call, except those of input pipelines."""
    for operator in run.operators:
        if graphs.host_kind(operator.type) is not None:
            continue
        for attribute in operator.op_def.attr:
            if attribute.type not in ("func", "list(func)"):
                continue
            value = operator.get_attr(attribute.name)
            for one in value if isinstance(value, list) else [value]:
                name = getattr(one, "name", one)
                graph = _graph_of(operator.graph, name)
                if graph is not None:
                    yield graph


def _graph_of(graph, name):
    while graph is not None:
        function = graph._get_function(name) if name else None
        found = getattr(function, "graph", None)
        if found is not None and hasattr(found, "inputs"):
            return found
        graph = getattr(graph, "outer_graph", None)
    return None


def _loops(graph, run):
    """Return the loops over `tf.range` that take their input from an iterator."""
    found = []
    for operator in run.operators:
        if operator.type not in _LOOPS:
            continue
        bodies = [FunctionRun(body, run) for body in _bodies(_Single(operator))]
        if any(item.type in _INPUT for body in bodies for item in body.operators):
            found.append(_Loop(graph, operator, run.origin(operator).place))
    return found


class _Single:
    """One operator in the form of a run."""

    def __init__(self, operator):
        self.operators = [operator]


class _Loop:
    """A loop that the device runs as a whole."""

    def __init__(self, graph, operator, place):
        self._place = place
        self._steps = _trip_count(graph)

    def check(self, args, kwargs):
        """Record that the device runs another number of steps."""
        steps = self._steps(args, kwargs)
        size = offloaded_loops.size()
        if steps == size:
            return
        meant = "an unknown number of" if steps is None else str(steps)
        findings.record_once_a_line(
            "EMU-LOOP-1",
            findings.BLOCKER,
            "the loop takes its input from an iterator and is meant to run {} steps; the device "
            "runs it NPU_LOOP_SIZE times, which is {}".format(meant, size),
            "Call npu_device.set_npu_loop_size(steps) before each call, with the steps of that "
            "call, or export NPU_LOOP_SIZE.",
            self._place,
        )


def _trip_count(graph):
    """Return a function that gives the steps of a call, None if they are not known.

    The only range of a graph ends at a constant, at an argument or at a variable, such as
    ``steps_per_execution`` of Keras.
    """
    ranges = [item for item in graph.get_operations() if item.type == "Range"]
    if len(ranges) != 1:
        return _unknown
    start, limit, _ = ranges[0].inputs
    known = [tensor_util.constant_value(one) for one in (start, limit)]
    if known[1] is not None:
        steps = int(known[1]) - int(known[0] or 0)
        return lambda args, kwargs: steps
    source = limit
    while source.op.type in ("Cast", "Identity"):
        source = source.op.inputs[0]
    if source.op.type == "ReadVariableOp":
        return _steps_in_variable(graph, source.op)
    return _steps_in_argument(graph, source)


def _unknown(args, kwargs):
    return None


def _steps_in_variable(graph, read):
    for outside, inside in zip(graph.external_captures, graph.internal_captures):
        if inside is read.inputs[0] and isinstance(outside, ops.EagerTensor):
            dtype = read.outputs[0].dtype
            return lambda args, kwargs: int(
                gen_resource_variable_ops.read_variable_op(outside, dtype)
            )
    return _unknown


def _steps_in_argument(graph, source):
    captured = {id(one) for one in graph.internal_captures}
    numbers = [one for one in graph.inputs if id(one) not in captured and _is_count(one)]
    positions = [position for position, one in enumerate(numbers) if one is source]

    def steps(args, kwargs):
        given = [one for one in tf.nest.flatten((args, kwargs)) if _is_number(one)]
        if positions and positions[0] < len(given):
            return int(given[positions[0]])
        return None

    return steps


def _is_number(value):
    return isinstance(value, ops.EagerTensor) and _is_count(value)


def _is_count(tensor):
    return tensor.shape.rank == 0 and tensor.dtype.is_integer
