"""Rewrite arguments for transfer_to_npu: every "cuda" becomes "npu".

This is as coarse as in torch_npu: "cuda" is replaced in every text that is passed by position, so
that torch.load("/data/cuda/model.pt") opens /data/npu/model.pt.
"""

import functools

import torch

_NAMES = ("device", "device_type", "map_location", "device_id")


def device(value):
    """Return a torch.device of cuda as one of npu; anything else unchanged."""
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("npu") if value.index is None else torch.device("npu", value.index)
    return value


def positional(value, numbers=False):
    """Rewrite an argument passed by position; with ``numbers``, integers are devices."""
    if isinstance(value, str):
        return value.replace("cuda", "npu")
    if isinstance(value, torch.device):
        return device(value)
    if numbers and isinstance(value, int) and not isinstance(value, bool):
        return "npu:%d" % value
    if isinstance(value, dict):
        return _table(value)
    return value


def _table(value):
    return {
        key.replace("cuda", "npu") if isinstance(key, str) else key: (
            item.replace("cuda", "npu") if isinstance(item, str) else item
        )
        for key, item in value.items()
    }


def _named(value):
    if type(value) is str:
        return value.replace("cuda", "npu")
    if type(value) is int:
        return "npu:%d" % value
    if type(value) is dict:
        return _table(value)
    return device(value)


def devices(function, numbers=None):
    """Wrap a function to rewrite the devices in its arguments."""
    if numbers is None:
        numbers = getattr(function, "__name__", "") in ("to", "to_empty")

    @functools.wraps(function)
    def rewritten(*arguments, **named):
        arguments = [positional(value, numbers) for value in arguments]
        for name in _NAMES:
            if named.get(name) is not None:
                named[name] = _named(named[name])
        listed = named.get("device_ids")
        if isinstance(listed, (list, tuple)):
            named["device_ids"] = type(listed)(positional(value, numbers) for value in listed)
        return function(*arguments, **named)

    return rewritten


def backends(function):
    """Wrap a function to replace nccl by hccl in its arguments."""

    def changed(value):
        if type(value) is str:
            return value.replace("nccl", "hccl").replace("cuda", "npu")
        return value

    @functools.wraps(function)
    def rewritten(*arguments, **named):
        if "backend" in named:
            named["backend"] = changed(named["backend"])
        return function(*[changed(value) for value in arguments], **named)

    return rewritten
