"""Pass the NPU to functions about autocast that refer to a GPU by default."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Site, Status, names
from ascendify.rules.torch import _edits, _release
from ascendify.source.nodes import is_called

RULE = Rule(
    code="TORCH-AMP-3",
    title="Query autocast for the NPU",
    why=(
        "torch.get_autocast_gpu_dtype(), and torch.is_autocast_enabled() without an argument, "
        "refer to GPUs: they return float16 and False, whatever autocast does on an NPU."
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
"""How many arguments each has in the form that refers to a GPU."""
_TAKES_DEVICE = "2.4"
"""The first PyTorch in which they take a device; torch.npu has its own in every release."""


@RULE.call(*_ARGUMENTS)
def pass_device(site: CallSite) -> Diagnoses:
    """Pass the device type, to the function that takes one."""
    node = site.node
    if len(node.args) != _ARGUMENTS[site.name] or node.keywords:
        return
    if node.args and isinstance(node.args[0], ast.Starred):
        return
    file = site.file
    found = f"{file.brief(node)} refers to GPUs"
    fix = site.fix()
    new = _RENAMED.get(site.name)
    last = new or site.name.rpartition(".")[2]
    if not _release.has_torch(file, _TAKES_DEVICE):
        written = f"{names.torch(file, fix, node)}.npu.{last}"
        fix.replace(node.func, written)
        yield RULE.auto(site, found, done=f"Replaced it by {written}.", fix=fix)
        return
    if new is not None and isinstance(node.func, ast.Attribute):
        _edits.rename(fix, node.func, new)
    elif new is not None:
        fix.replace(node.func, f"{names.torch(file, fix, node)}.{new}")
    if node.args:
        start = fix.module.start(node.args[0])
        fix.replace_range(start, start, "'npu', ")
    else:
        fix.add_argument(node, "'npu'")
    done = f"Replaced it by {last}('npu'{', ...' if node.args else ''})."
    yield RULE.auto(site, found, done=done, fix=fix)


@RULE.reference(*_RENAMED)
def report_passed_on(site: Site) -> Diagnoses:
    """Report a function that is passed on instead of called."""
    if is_called(site.node):
        return
    new = f"torch.npu.{_RENAMED[site.name]}"
    if _release.has_torch(site.file, _TAKES_DEVICE):
        new = f"functools.partial(torch.{_RENAMED[site.name]}, 'npu')"
    yield RULE.manual(site, f"{site.text} refers to GPUs", todo=f"Pass {new} instead.")
