"""The state of autocast: the functions that mean a GPU without saying so are told the device."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status, names
from ascendify.rules.torch import _release, _words

RULE = Rule(
    code="TORCH-AMP-3",
    title="Ask autocast about the NPU",
    why=(
        "torch.get_autocast_gpu_dtype(), and torch.is_autocast_enabled() without an argument, "
        "answer for GPUs: beside an NPU they say float16 and False whatever autocast does there."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="dtype = torch.get_autocast_gpu_dtype()",
    after="dtype = torch.get_autocast_dtype('npu')",
)

_RENAMED = {
    "torch.get_autocast_gpu_dtype": "get_autocast_dtype",
    "torch.set_autocast_gpu_dtype": "set_autocast_dtype",
}
_ARGUMENTS = {
    "torch.get_autocast_gpu_dtype": 0,
    "torch.set_autocast_gpu_dtype": 1,
    "torch.is_autocast_enabled": 0,
    "torch.set_autocast_enabled": 1,
}
"""How many arguments each has while it means a GPU."""
_TAKES_DEVICE = "2.4"
"""The first PyTorch in which they take a device; torch.npu has functions of its own in all."""


@RULE.call(*_ARGUMENTS)
def tell_device(site: CallSite) -> Diagnoses:
    """Give the device type, by the name that takes one."""
    node = site.node
    if len(node.args) != _ARGUMENTS[site.name] or node.keywords:
        return
    if node.args and isinstance(node.args[0], ast.Starred):
        return
    file = site.file
    fix = site.fix()
    new = _RENAMED.get(site.name)
    last = new or site.name.rpartition(".")[2]
    if not _release.has_torch(file, _TAKES_DEVICE):
        written = f"{names.torch(file, fix, node)}.npu.{last}"
        fix.replace(node.func, written)
        found, done = f"{file.brief(node)} speaks of GPUs", f"Replaced it by {written}."
        yield RULE.auto(site, found, done=done, fix=fix)
        return
    if new is not None and isinstance(node.func, ast.Attribute):
        _words.rename(fix, node.func, new)
    elif new is not None:
        fix.replace(node.func, f"{names.torch(file, fix, node)}.{new}")
    if node.args:
        start = fix.module.start(node.args[0])
        fix.replace_range(start, start, "'npu', ")
    else:
        fix.add_argument(node, "'npu'")
    yield RULE.auto(
        site,
        f"{file.brief(node)} speaks of GPUs",
        done=f"Made it {last}('npu'{', ...' if node.args else ''}).",
        fix=fix,
    )


@RULE.reference(*_RENAMED)
def passed_on(site: Site) -> Diagnoses:
    """The function itself is handed to something."""
    around = site.parent
    if isinstance(around, ast.Call) and around.func is site.node:
        return
    new = _RENAMED[site.name]
    yield RULE.manual(
        site, f"{site.text} speaks of GPUs", todo=f"Pass {_passed(site, new)} instead."
    )


def _passed(site: Site, name: str) -> str:
    if _release.has_torch(site.file, _TAKES_DEVICE):
        return f"functools.partial(torch.{name}, 'npu')"
    return f"torch.npu.{name}"
