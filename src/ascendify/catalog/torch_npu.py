"""Counterparts of names of ``torch.cuda`` in ``torch.npu``, and advice for the others."""

from __future__ import annotations

from functools import cache
from typing import Any

from ascendify.catalog import names, replacements, types
from ascendify.catalog._data import table

_CUDA, _NPU = "torch.cuda", "torch.npu"


@cache
def counterpart(api: str) -> str | None:
    """The name to write for a CUDA name on an NPU, None when there is none.

    Mostly ``torch.npu.X`` for ``torch.cuda.X``, or the name that torch_npu has instead. Methods and
    modules have counterparts too: ``torch.npu.Stream.wait_stream``, ``torch.npu.amp``.
    """
    name = types.member(names.canonical(api))
    replaced: str | None = _api()["counterparts"].get(name)
    if replaced is not None:
        return replaced
    if name != _CUDA and not name.startswith(_CUDA + "."):
        return None
    moved = _NPU + name[len(_CUDA) :]
    if name in _api()["modules"].split() or moved in _names():
        return moved
    owner, _, last = name.rpartition(".")
    if owner == _CUDA and last in _api()["private"].split():
        return moved
    if types.is_class(owner) and owner in _mapped():
        return f"{_mapped()[owner]}.{last}"
    general = names.primary(name)
    return general if general != name else None


def advice(api: str) -> str:
    """A sentence on what to do about a CUDA name without a counterpart; empty for other names."""
    name = types.member(names.canonical(api))
    if counterpart(name) is not None:
        return ""
    found = replacements.find("cuda", name)
    return "" if found is None else found.todo


def exists(api: str) -> bool:
    """Whether torch_npu has something of this name: ``torch.npu.X`` or ``torch_npu.X``."""
    name = names.canonical(api)
    return name.startswith(("torch.npu.", "torch_npu.")) and name in _names()


@cache
def _names() -> frozenset[str]:
    return frozenset(
        f"{module}.{word}" for module, words in _api()["names"].items() for word in words.split()
    )


@cache
def _mapped() -> dict[str, str]:
    """Classes of ``torch.cuda`` whose methods torch_npu's class has as well."""
    classes = ("Stream", "Event", "ExternalStream", "MemPool", "StreamContext", "device")
    found = {f"{_CUDA}.{name}": f"{_NPU}.{name}" for name in classes}
    found.update({f"{_CUDA}.amp.{name}": f"{_NPU}.amp.{name}" for name in ("GradScaler",)})
    found[f"{_CUDA}.CUDAGraph"] = f"{_NPU}.NPUGraph"
    return found


def _api() -> dict[str, Any]:
    return table("torch-npu-api")
