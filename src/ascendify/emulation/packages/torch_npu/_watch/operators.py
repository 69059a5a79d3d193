"""Count every operator on the device by line and type, and check it the first time.

``check_operator`` is called before each kernel. An operator that was already seen at the same line
with the same type costs one dictionary lookup.
"""

import contextlib
import os

import torch
from ascendify_runtime import findings, hardware

from torch_npu._watch import support_table, user_lines

calls = {}
"""(operator, type, line of the program) -> how often."""
moves = {}
"""("to device" or "to host", line of the program) -> [how often, bytes]."""
waits = {}
"""(what the host waits for, line of the program) -> how often."""

TO_DEVICE = "to device"
TO_HOST = "to host"
_VALUE = "a value is read"
_COPY = "a tensor is copied to the host"
_COMPARISON = "two tensors are compared"
PRINTED = "a tensor is printed"
ALL = "the program waits for all operators"
_SIZE = "the size of a result is read"
_WAITS = {"_local_scalar_dense": _VALUE, "equal": _COMPARISON}
_COPIES = {"copy_": (1, 0), "_copy_from": (0, 1), "_copy_from_and_resize": (0, 1)}
"""Operators that copy, and the positions of source and target."""
_LIBRARIES_OWN = tuple(
    os.sep + os.path.join("torch", *parts) + os.sep
    for parts in (
        ("amp",),
        ("autograd",),
        ("distributed",),
        ("nn", "parallel"),
        ("nn", "utils"),
        ("optim",),
    )
)
"""Parts of torch that wait for the device by themselves."""
_DYNAMIC = {
    "nonzero": "torch.nonzero",
    "masked_select": "torch.masked_select",
    "_unique2": "torch.unique",
    "_unique": "torch.unique",
    "unique_dim": "torch.unique",
    "unique_consecutive": "torch.unique_consecutive",
    "unique_dim_consecutive": "torch.unique_consecutive",
}
_INDEXING = frozenset(("index", "index_put", "index_put_", "_index_put_impl_"))
_MASKS = (torch.bool, torch.uint8)
_HOLDING = frozenset(
    ("copy_", "_copy_from", "_copy_from_and_resize", "_to_copy", "clone", "empty", "empty_strided")
    + ("empty_like", "zero_", "fill_", "zeros_like", "ones_like", "full_like", "view", "set_")
    + ("as_strided", "_reshape_alias", "detach", "alias", "resize_", "lift_fresh")
    + ("zeros", "ones", "full", "scalar_tensor", "empty_permuted", "new_empty", "new_zeros")
    + ("new_ones", "new_full", "new_empty_strided", "expand", "_unsafe_view", "reshape")
    + ("_local_scalar_dense", "t", "transpose", "unsqueeze")
)
"""Operators that only store or pass on a value, of any type."""
_HOST_ONLY = frozenset(("_has_compatible_shallow_copy_type", "is_pinned", "record_stream"))
"""Queries of the host: nothing runs on the device."""
_WIDE = (torch.float64, torch.complex64, torch.complex128, torch.complex32)
_LAYOUTS = (torch.channels_last, torch.channels_last_3d)
_CONVOLVING = frozenset(("convolution", "convolution_overrideable", "_convolution"))
_SPARSE = frozenset(
    ("_to_sparse", "_to_sparse_csr", "_to_sparse_csc", "_to_sparse_bsr", "_to_sparse_bsc")
    + ("quantize_per_tensor", "quantize_per_channel")
)
"""Operators without an alternative: the device has no such layouts."""
_ADVICE = {
    torch.float64: "Make it float32 before it reaches the device: .float(), dtype=torch.float32.",
    torch.bfloat16: "Use float16, or test torch.npu.is_bf16_supported() first.",
}
_COMPLEX_ADVICE = "Compute with the real and the imaginary part as two float tensors."
_TYPE_ADVICE = "Cast it to a listed type, or keep it on the host."
_UNSUPPORTED_ADVICE = (
    "Use another operator, or compute this part on the host on purpose; where torch_npu falls back "
    "to the CPU by itself, TORCH_NPU_FALLBACK_CPU_DISABLE=1 makes that an error."
)
_DYNAMIC_ADVICE = (
    "Where it costs too much, keep a fixed shape: torch.where, masked_fill, gather, or a fixed "
    "number of elements."
)
_LAYOUT_ADVICE = "Leave memory_format out: the NPU chooses its layouts by itself."

_no_bfloat = not hardware.model().bfloat16
_strict = findings.strict()
_recorded = set()
_paused = []


def check_operator(operator, args, kwargs):
    """Count an operator, and check it if it is new."""
    name = support_table.name_of(operator)
    if name in _HOST_ONLY or _paused:
        return
    place = user_lines.current()
    first = _first_tensor(args)
    kind = first.dtype if first is not None else kwargs.get("dtype")
    if name == "_to_copy":
        kind = kwargs.get("dtype") or kind
    key = (operator, kind, place)
    known = calls.get(key)
    calls[key] = (known or 0) + 1
    if name in _COPIES:
        _count_copy(name, args, place)
    elif name == "_to_copy":
        _count_conversion(args[0], kwargs, place)
    elif name in _WAITS:
        wait(_WAITS[name], place)
    elif name in _DYNAMIC or (name in _INDEXING and _has_mask(args)):
        wait(_SIZE, place)
    if not _strict:
        return
    if known is None:
        _judge(operator, name, args, kwargs, kind, place)
    elif kwargs and kwargs.get("memory_format") in _LAYOUTS:
        # one line may copy twice, and change the layout only in the second copy
        _record_layout(place)


@contextlib.contextmanager
def unwatched():
    """Context in which operators are not counted."""
    _paused.append(True)
    try:
        yield
    finally:
        _paused.pop()


def wait(what, place):
    """Count a wait of the host for the device, unless torch itself causes it."""
    if not _is_user_code():
        return
    waits[what, place] = waits.get((what, place), 0) + 1


def _is_user_code():
    """Whether the user's program runs this, not an optimizer or a backward pass."""
    path, _ = user_lines.caller()
    return bool(path) and not any(part in path for part in _LIBRARIES_OWN)


def _first_tensor(args):
    for value in args:
        if isinstance(value, torch.Tensor):
            return value
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor):
            return value[0]
    return None


def _count_copy(name, args, place):
    source, target = (args[position] for position in _COPIES[name])
    if source.device.type != target.device.type:
        _count_move(target.device.type, target.numel() * target.element_size(), place)


def _count_conversion(source, kwargs, place):
    """Count a conversion by ``to``, ``cpu`` or ``npu``, if it changes the device."""
    device = kwargs.get("device")
    if device is not None and torch.device(device).type != source.device.type:
        kind = kwargs.get("dtype") or source.dtype
        _count_move(torch.device(device).type, source.numel() * kind.itemsize, place)


def _count_move(target, size, place):
    direction = TO_HOST if target == "cpu" else TO_DEVICE
    entry = moves.setdefault((direction, place), [0, 0])
    entry[0] += 1
    entry[1] += size
    if direction == TO_HOST:
        wait(_COPY, place)


def _judge(operator, name, args, kwargs, kind, place):
    row = support_table.row_of(operator, args)
    if name not in _HOLDING:
        if name == "where" and len(args) > 1 and isinstance(args[1], torch.Tensor):
            kind = args[1].dtype
        _judge_support(name, row, kwargs, place)
        _judge_type(name, row, kind, place)
    elif kind is torch.bfloat16 and _no_bfloat:
        _judge_type(name, None, kind, place)
    _judge_shape(name, args, place)
    _judge_layout(name, args, kwargs, place)


def _judge_support(name, row, kwargs, place):
    if row is None or (row.argument and kwargs.get(row.argument) is None):
        return
    if row.support == "unsupported":
        status = findings.BLOCKER if name in _SPARSE else findings.MANUAL
        found = "{} runs on the device, and the vendor lists it as not supported".format(row.api)
        todo = "{}. {}".format(row.note, _UNSUPPORTED_ADVICE) if row.note else _UNSUPPORTED_ADVICE
        findings.record_once_a_line("EMU-TORCH-OP-1", status, found, todo, _place(place))
    elif row.note and row.api not in _recorded and _is_user_code():
        _recorded.add(row.api)
        found = "{} is supported with restrictions: {}".format(row.api, row.note)
        findings.record("EMU-TORCH-OP-2", findings.INFO, found, "", _place(place))


def _judge_type(name, row, kind, place):
    if kind is torch.bfloat16:
        if _no_bfloat:
            found = "{} runs with bfloat16, which the {} does not have".format(
                _called(row, name), hardware.model().family
            )
            findings.record_once_a_line(
                "EMU-TORCH-SOC-1", findings.BLOCKER, found, _ADVICE[kind], _place(place)
            )
        return  # newer hardware has it, even where the vendor's lists do not name it
    if row is None or kind is None:
        return
    listed = not row.types or kind in row.types
    called = "{} runs with {}".format(row.api, str(kind).removeprefix("torch."))
    if kind in _WIDE and not listed:
        found = called + " tensors, which the vendor does not list for it"
        todo = _ADVICE.get(kind, _COMPLEX_ADVICE)
        findings.record_once_a_line("EMU-TORCH-TYPE-1", findings.MANUAL, found, todo, _place(place))
    elif kind is torch.float64:
        found = called + " tensors, which an NPU computes slowly or on the host"
        findings.record_once_a_line(
            "EMU-TORCH-TYPE-2", findings.INFO, found, _ADVICE[kind], _place(place)
        )
    elif not listed:
        names = ", ".join(sorted(str(one).removeprefix("torch.") for one in row.types))
        found = "{} tensors; the vendor lists {}".format(called, names)
        findings.record_once_a_line(
            "EMU-TORCH-TYPE-2", findings.INFO, found, _TYPE_ADVICE, _place(place)
        )


def _judge_shape(name, args, place):
    what = _DYNAMIC.get(name)
    if what is None and name in _INDEXING and _has_mask(args):
        what = "indexing with a mask"
    if what is not None:
        found = "the shape of the result of {} depends on the values".format(what)
        findings.record_once_a_line(
            "EMU-TORCH-SHAPE-1", findings.INFO, found, _DYNAMIC_ADVICE, _place(place)
        )


def _has_mask(args):
    indices = args[1] if len(args) > 1 and isinstance(args[1], (list, tuple)) else ()
    return any(isinstance(one, torch.Tensor) and one.dtype in _MASKS for one in indices)


def _judge_layout(name, args, kwargs, place):
    is_channels_last = kwargs.get("memory_format") in _LAYOUTS
    if not is_channels_last and name in _CONVOLVING:
        # of the weight only: pictures that were permuted have the same strides, and are no request
        is_channels_last = any(
            isinstance(one, torch.Tensor)
            and one.dim() in (4, 5)
            and one.is_contiguous(memory_format=_LAYOUTS[one.dim() - 4])
            and not one.is_contiguous()
            for one in args[1:2]
        )
    if is_channels_last:
        _record_layout(place)


def _record_layout(place):
    findings.record_once_a_line(
        "EMU-TORCH-LAYOUT-1",
        findings.MANUAL,
        "a tensor on the device is channels_last, which an NPU does not support",
        _LAYOUT_ADVICE,
        _place(place),
    )


def _called(row, name):
    return row.api if row is not None else "aten::" + name


def _place(place):
    return place if place is not user_lines.NOWHERE else None
