"""Name the NPU in mixed precision functions that take a device type."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _edits
from ascendify.source.nodes import given_value

RULE = Rule(
    code="TORCH-AMP-2",
    title="Set the NPU as the device type of mixed precision",
    why=(
        "torch.autocast('cuda') only warns and does nothing where there is no GPU, and a "
        "torch.amp.GradScaler is for GPUs unless it gets another device: the model then trains in "
        "float32 or without loss scaling, and no error says so."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="with torch.autocast('cuda', dtype=torch.float16):\n    ...",
    after="with torch.autocast('npu', dtype=torch.float16):\n    ...",
)

_SHARDED = "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler"
_PARAMETERS = {
    "torch.autocast": "device_type",
    "torch.amp.GradScaler": "device",
    _SHARDED: "device",
    "torch.amp.custom_fwd": "device_type",
    "torch.amp.custom_bwd": "device_type",
    "torch.amp.is_autocast_available": "device_type",
    "torch.is_autocast_enabled": "device_type",
    "torch.set_autocast_enabled": "device_type",
    "torch.get_autocast_dtype": "device_type",
    "torch.set_autocast_dtype": "device_type",
}
"""Functions that take a device type, and the name of the parameter, which is the first one."""
_DEFAULTS = ("torch.amp.GradScaler", _SHARDED)
"""Classes that assume a GPU where no device is given."""
_SWITCHED = frozenset({"torch.autocast"})
"""Functions whose device transfer_to_npu replaces at run time."""


@RULE.call(*_PARAMETERS, *(f"{name}.__init__" for name in _DEFAULTS))
def name_npu(site: CallSite) -> Diagnoses:
    """Replace the literal, or add the device where a GPU is assumed."""
    called = site.name[: -len(".__init__")] if site.name.endswith(".__init__") else site.name
    file = site.file
    if file.facts.style == "transfer" and called in _SWITCHED:
        return
    given = _device(site, _PARAMETERS[called])
    shown = site.callee
    if given is not None:
        fix = site.fix()
        if _edits.name_npu(fix, given):
            yield RULE.auto(
                site,
                f"{shown} gets the device type of a GPU",
                done=f"Replaced 'cuda' by 'npu' in {file.brief(given)}.",
                fix=fix,
            )
    elif called in _DEFAULTS:
        yield from _without_device(site, shown)


def _device(site: CallSite, parameter: str) -> ast.expr | None:
    """The device type; ``GradScaler.__init__(self, ...)`` has the object before it."""
    explicit_self = site.name.endswith(".__init__") and not isinstance(site.receiver, ast.Call)
    return given_value(site.node, parameter, int(explicit_self))


def _without_device(site: CallSite, shown: str) -> Diagnoses:
    found = f"{shown} without a device is for GPUs and does nothing without one"
    if any(keyword.arg is None for keyword in site.node.keywords):
        yield RULE.manual(site, found, todo="Check that the ** arguments contain device='npu'.")
        return
    fix = site.fix()
    fix.add_argument(site.node, "device='npu'")
    yield RULE.auto(site, found, done="Added device='npu'.", fix=fix)
