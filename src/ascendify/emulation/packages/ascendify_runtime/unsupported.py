"""Find types and operators that the device does not support, where they enter the network."""

from ascendify_runtime import findings

WIDE = ("float64", "complex64", "complex128", "variant")
_CASTS = frozenset(("Cast",))
_PASSIVE = frozenset(("Const", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault"))
"""Operators that only hold a value: they matter only if the device consumes the value."""
_CALLERS = frozenset(
    (
        "Identity",
        "While",
        "StatelessWhile",
        "If",
        "StatelessIf",
        "PartitionedCall",
        "StatefulPartitionedCall",
    )
)
"""Operators that hand a value on; what they call is checked by itself."""
TYPE_ADVICE = {
    "float64": "Cast it to tf.float32 on the host: in the input pipeline, or in NumPy.",
    "complex64": "Compute with the real and the imaginary part as two float tensors.",
    "complex128": "Compute with the real and the imaginary part as two float tensors.",
    "variant": "Keep the operator out of the network.",
}
_SPARSE_ADVICE = (
    "The dataset yields sparse tensors: make them dense in the input pipeline (tf.sparse.to_dense, "
    "FixedLenFeature, padded_batch)."
)
_STRING_ADVICE = (
    "Turn it into a number on the host: feed an int8 for a phase, decode and parse in the input "
    "pipeline."
)


def check(run, mixed):
    """Record unsupported types and operators; in mixed computing some operators run on the host."""
    if not mixed:
        _check_types(run)
        if run.has_variables:
            _check_strings(run)
    _check_operators(run, mixed)


def _check_types(run):
    for tensor in run.fed:
        _record_type(run, tensor)
    for operator in run.operators:
        if not run.on_device(operator):
            if operator.type.startswith("IteratorGetNext"):
                for tensor in operator.outputs:
                    _record_type(run, tensor)
            continue
        for tensor in operator.outputs:
            name = _type_name(tensor)
            if name not in WIDE or any(_type_name(item) == name for item in operator.inputs):
                continue
            _record_type(run, tensor)


def _record_type(run, tensor):
    name = _type_name(tensor)
    if name not in WIDE:
        return
    operator = tensor.op
    takers = run.device_consumers(tensor)
    boundary = not run.on_device(operator) or run.is_fed(tensor) or operator.type in _PASSIVE
    if boundary and not takers:
        return
    if boundary and all(item.type in _CASTS for item in takers):
        return
    if operator.type == "Const" and _follows_others(run, tensor):
        return
    if operator.type.startswith("TensorList") or run.kept_on_host(operator):
        return
    if name == "variant" and all(map(_takes_lists, takers or [operator])):
        return
    maker = operator
    if operator.type == "ReadVariableOp":
        maker = operator.inputs[0].op
    origin = run.origin(maker)
    if origin.by_stand_in or origin.for_gradients:
        return
    found = "{} makes a {} tensor, which an NPU does not support".format(_called(maker), name)
    sparse = name == "variant" and operator.type.startswith("IteratorGetNext")
    todo = _SPARSE_ADVICE if sparse else TYPE_ADVICE[name]
    findings.record_once_a_line("EMU-TYPE-1", findings.BLOCKER, found, todo, origin.place)


def _takes_lists(operator):
    """Whether an operator works on the list of a TensorArray, or hands it on, as loops do.

    Conditions and calls hand on what their bodies keep for gradients, too, and return it to a
    function around, where this graph has no operator that takes it. Bodies are checked themselves.
    """
    return operator.type.startswith("TensorList") or operator.type in _CALLERS


def _follows_others(run, constant):
    """Whether a constant only follows the type of its partner, as the 2 of ``x * 2``."""
    return all(
        any(item.op.type != "Const" and item.dtype == constant.dtype for item in taker.inputs)
        for taker in run.device_consumers(constant)
    )


def _check_strings(run):
    candidates = [tensor for tensor in run.fed if _type_name(tensor) == "string"]
    for operator in run.operators:
        getter = operator.type.startswith("IteratorGetNext")
        if not run.on_device(operator) and not getter:
            continue
        if any(_type_name(item) == "string" for item in operator.inputs):
            continue
        candidates += [item for item in operator.outputs if _type_name(item) == "string"]
    for tensor in candidates:
        taker = _string_taker(run, tensor)
        origin = run.origin(tensor.op)
        if taker is None or origin.by_stand_in or run.kept_on_host(taker):
            continue
        found = "the string of {} reaches {}, an operator of the network".format(
            _called(tensor.op), _called(taker)
        )
        findings.record_once_a_line(
            "EMU-TYPE-2", findings.BLOCKER, found, _STRING_ADVICE, origin.place
        )


def _string_taker(run, tensor):
    """Return the first operator of the device that computes with a string."""
    pending = [tensor]
    seen = set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for operator in run.device_consumers(current):
            strings = [item for item in operator.outputs if _type_name(item) == "string"]
            if not strings and run.refusal(operator) is None:
                return operator
            pending += strings
    return None


def _check_operators(run, mixed):
    for operator in run.operators:
        row = run.refusal(operator)
        if row is None or (mixed and row["mixed"]):
            continue
        if row.get("network") and not run.has_variables:
            continue
        if run.kept_on_host(operator) or not run.reaches_device(operator) and operator.outputs:
            continue
        origin = run.origin(operator)
        if origin.by_stand_in or (row.get("direct") and not origin.direct):
            continue
        if operator.type.startswith("QueueDequeue") and _is_simple_batch(operator, origin):
            continue
        found = "{} runs in the network: {}".format(_called(operator), row["reason"])
        findings.record_once_a_line(row["code"], row["status"], found, row["todo"], origin.place)


def _is_simple_batch(operator, origin):
    """Whether it is ``tf.train.batch`` with one thread, which the platform accepts."""
    if not any(function in ("batch", "maybe_batch") for _, function in origin.library_files):
        return False
    queue = operator.inputs[0].op
    for runner in operator.graph.get_collection("queue_runners"):
        if (
            getattr(runner.queue, "queue_ref", None) is not None
            and runner.queue.queue_ref.op is queue
        ):
            return len(runner.enqueue_ops) == 1
    return False


def _called(operator):
    return "{} ({!r})".format(operator.type, operator.name)


def _type_name(tensor):
    return tensor.dtype.base_dtype.name
