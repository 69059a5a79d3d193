"""Checks of strict mode for operators that are executed eagerly, one by one, on the device.

TensorFlow calls back after each operator that the thread of ``as_default()`` executes. Input
pipelines run in threads of their own, and bodies of `tf.py_function` with the CPU as their device:
neither is checked. A `tf.function` is one operator here; :mod:`ascendify_runtime.functions` checks
what is inside.
"""

from tensorflow.python.eager import context
from tensorflow.python.framework import dtypes, op_callbacks

from ascendify_runtime import findings, graphs, unsupported

_WIDE = {getattr(dtypes, name).as_datatype_enum: name for name in unsupported.WIDE}
_MOVES = frozenset(
    (
        "Cast",
        "_EagerConst",
        "Const",
        "Identity",
        "IdentityN",
        "EagerConst",
        "Shape",
        "ShapeN",
        "Size",
        "Rank",
        "ReadVariableOp",
        "VarHandleOp",
        "DestroyResourceOp",
    )
)
"""Operators that only hold a tensor, ask for its shape, or cast it away."""
_IGNORED, _CHECKED = 0, 1
_kinds = {}
"""Operator type -> ``_IGNORED``, ``_CHECKED``, or the row of the table that refuses it."""


def watch():
    """Check each operator that this thread executes from now on."""
    if findings.strict() and _see not in context.context().op_callbacks:
        op_callbacks.add_op_callback(_see)


def runs_on_host():
    """Whether the program has chosen the CPU for what this thread executes now."""
    name = context.context().device_name
    return bool(name) and "CPU" in name.upper()


def _see(op_type, inputs, attrs, outputs, op_name=None, graph=None):
    """Check an operator; TensorFlow calls it, and keeps the results if it returns None."""
    if graph is not None:
        return
    kind = _kinds.get(op_type)
    if kind is None:
        kind = _kinds[op_type] = _kind(op_type)
    if kind is _IGNORED:
        return
    if kind is not _CHECKED:
        _record_operator(op_type, kind)
    for tensor in (*outputs, *inputs):
        if _type_of(tensor) in _WIDE:
            _record_type(op_type, _WIDE[_type_of(tensor)])
            return


def _kind(op_type):
    op_type = _text(op_type)
    if op_type in _MOVES or graphs.host_kind(op_type) is not None:
        return _IGNORED
    if op_type.startswith("__") or op_type.endswith("PartitionedCall"):
        return _IGNORED
    row = graphs.refusal(op_type, eager=True)
    if row is None:
        return _CHECKED
    # the host computes the others by itself, without a graph that would have to be split
    return row if row["code"] == "EMU-OP-1" else _IGNORED


def _text(op_type):
    return op_type.decode("utf-8") if isinstance(op_type, bytes) else op_type


def _type_of(tensor):
    read = getattr(tensor, "_datatype_enum", None)
    return None if read is None else read()


def _record_operator(op_type, row):
    origin = _device_origin()
    if origin is None or (row.get("direct") and not origin.direct):
        return
    findings.record_once_a_line(
        row["code"],
        row["status"],
        "{} is executed eagerly: {}".format(_text(op_type), row["reason"]),
        row["todo"],
        origin.place,
    )


def _record_type(op_type, name):
    origin = _device_origin()
    if origin is None or name == "variant":
        return
    findings.record_once_a_line(
        "EMU-TYPE-1",
        findings.MANUAL,
        "{} is executed eagerly with {}, which an NPU does not support".format(
            _text(op_type), name
        ),
        unsupported.TYPE_ADVICE[name],
        origin.place,
    )


def _device_origin():
    """Return the running code; None if it computes on the host, or is code of the stand-ins."""
    if runs_on_host():
        return None
    origin = graphs.Origin()
    return None if origin.by_stand_in else origin
