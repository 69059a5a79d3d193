"""Mixed precision by device type: autocast('cuda') and its kin speak of the NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _words

RULE = Rule(
    code="TORCH-AMP-2",
    title="Name the NPU where mixed precision asks for a device type",
    why=(
        "torch.autocast('cuda') only warns and does nothing where there is no GPU, and a "
        "torch.amp.GradScaler is one for GPUs unless it is told otherwise: both are silent ways "
        "to train in float32 or without loss scaling."
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
"""What takes a device type, and the parameter it goes to, always the first one."""
_DEFAULTS = ("torch.amp.GradScaler", _SHARDED)
"""What takes a GPU for granted where no device is given."""
_SWITCHED = frozenset({"torch.autocast"})
"""What torch_npu's switch translates at run time."""


@RULE.call(*_PARAMETERS, *(f"{name}.__init__" for name in _DEFAULTS))
def name_npu(site: CallSite) -> Diagnoses:
    """Change the literal, or give the device that is taken for granted."""
    called = site.name[: -len(".__init__")] if site.name.endswith(".__init__") else site.name
    file = site.file
    if file.facts.style == "transfer" and called in _SWITCHED:
        return
    given = _device(site, _PARAMETERS[called])
    shown = site.callee
    if given is not None:
        literals = [item for item in _words.strings(given) if _words.is_device(item.value)]
        fix = site.fix()
        if literals and all(_words.replace_word(fix, item, "cuda", "npu") for item in literals):
            yield RULE.auto(
                site,
                f"{shown} is asked for the device type of a GPU",
                done=f"Replaced 'cuda' by 'npu' in {file.brief(given)}.",
                fix=fix,
            )
    elif called in _DEFAULTS:
        yield from _without_device(site, shown)


def _device(site: CallSite, parameter: str) -> ast.expr | None:
    call: ast.Call = site.node
    keyword = next((item for item in call.keywords if item.arg == parameter), None)
    if keyword is not None:
        return keyword.value
    first = _explicit_self(site)
    return call.args[first] if len(call.args) > first else None


def _explicit_self(site: CallSite) -> int:
    """1 for ``GradScaler.__init__(self, ...)``, whose first argument is the object."""
    owner = site.receiver
    return int(site.name.endswith(".__init__") and not isinstance(owner, ast.Call))


def _without_device(site: CallSite, shown: str) -> Diagnoses:
    found = f"{shown} without a device is one for GPUs and turns itself off without one"
    if any(keyword.arg is None for keyword in site.node.keywords):
        yield RULE.manual(site, found, todo="Make sure that the ** arguments bring device='npu'.")
        return
    fix = site.fix()
    fix.add_argument(site.node, "device='npu'")
    yield RULE.auto(site, found, done="Added device='npu'.", fix=fix)
