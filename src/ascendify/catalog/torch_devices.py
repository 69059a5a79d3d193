"""Parameters of PyTorch and of libraries built on it that take a device."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from ascendify.catalog._data import table

Parameters = dict[str, "int | None"]
"""Parameters that take a device, with their places; None where one can only be given by name."""
_MODULES = ("torch.cuda.", "torch.npu.", "torch_npu.npu.")


def parameters(name: str) -> Parameters | None:
    """The parameters of a canonical name that take a device, None when nothing is known of it."""
    found = _table()["parameters"].get(name)
    if found is not None:
        return cast(Parameters, found)
    if not name.startswith(_MODULES):
        return None
    function = name.rpartition(".")[2]
    if function in _words("cuda_second"):
        return {"device": 1}
    return {"device": 0 if function in _words("cuda") else None}


def takes(name: str, parameter: str | None, place: int | None) -> bool:
    """Whether an argument of a call of a canonical name is a device."""
    known = parameters(name) or {}
    if parameter is None:
        return place is not None and place in known.values()
    ours = name.partition(".")[0] in ("torch", "torch_npu")
    return parameter in known or (ours and is_device_parameter(parameter))


def is_device_parameter(parameter: str) -> bool:
    """Whether a parameter of this name means a device wherever PyTorch has one."""
    return parameter in _words("everywhere")


def methods() -> dict[str, Parameters]:
    """Methods that take a device and that only objects of PyTorch, or their wrappers, have."""
    return cast("dict[str, Parameters]", _table()["methods"])


def is_library(name: str) -> bool:
    """Whether a dotted name is of a package whose devices are PyTorch's."""
    return name.partition(".")[0] in _words("libraries")


def is_foreign(name: str) -> bool:
    """Whether a dotted name belongs to a package with its own kind of devices."""
    return name.partition(".")[0] in _words("foreign")


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(_table()[key].split())


def _table() -> dict[str, Any]:
    return table("torch-devices")
