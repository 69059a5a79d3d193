"""Use torch_npu.profiler, which records the NPU, instead of torch.profiler."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, ImportSite, Rule, Site, Status
from ascendify.rules.torch import _cuda, _edits, _imports
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module

RULE = Rule(
    code="TORCH-PROF-1",
    title="Profile with torch_npu.profiler",
    why=(
        "Without a GPU torch.profiler records only the CPU. torch_npu.profiler has the same "
        "profile, schedule and handler, and ProfilerActivity.NPU instead of CUDA."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before=(
        "with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as prof:\n"
        "    step()"
    ),
    after=(
        "with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU]) "
        "as prof:\n    step()"
    ),
    safety=(
        "CANN's profiler writes the trace, in more files; open it with MindStudio Insight or "
        "TensorBoard."
    ),
)

_TORCH, _NPU = "torch.profiler", "torch_npu.profiler"
_MOVED = ("profile", "schedule", "tensorboard_trace_handler", "ProfilerAction", "ProfilerActivity",
          "supported_activities", "_KinetoProfile")  # fmt: skip
_NAMES = tuple(f"{_TORCH}.{name}" for name in _MOVED)
_ACTIVITY = f"{_TORCH}.ProfilerActivity"
_SHARED = ("CPU", "CUDA")
"""Activities that torch_npu.profiler has, under this or another name."""
_REFUSED = ("use_cuda", "acc_events", "post_processing_timeout_s", "experimental_config")
"""Arguments that torch_npu's profile does not accept, or accepts with another type."""


@RULE.reference(*_NAMES, f"{_ACTIVITY}.*", *(f"{_TORCH}.{name}.*" for name in ("profile",)))
def move(site: Site) -> Diagnoses:
    """Rename names that are used through the module; for imported ones the import changes."""
    file = site.file
    if not _is_for_devices(file):
        return
    if site.name.startswith(f"{_ACTIVITY}.") and site.name.rpartition(".")[2] not in _SHARED:
        return  # of other accelerators
    spelled = site.brief
    fix = site.fix()
    parts = _cuda.chain(site.node)
    module = next((part for part in parts if file.name(part) == _TORCH), None)
    if module is not None:
        fix.replace(module, f"{fix.use('torch_npu')}.profiler")
    cuda = next((part for part in parts if file.name(part) == f"{_ACTIVITY}.CUDA"), None)
    if isinstance(cuda, ast.Attribute):
        _edits.rename(fix, cuda, "NPU")
    if not fix.edits:
        return
    new = spelled if module is None else spelled.replace(file.brief(module), _NPU, 1)
    new = new.replace("ProfilerActivity.CUDA", "ProfilerActivity.NPU")
    yield RULE.auto(
        site,
        f"{spelled} records CPU and GPUs, not the NPU",
        done=f"Replaced it by {new}.",
        fix=fix,
    )


@RULE.imports(*_NAMES)
def move_import(site: ImportSite) -> Diagnoses:
    """Change ``from torch.profiler import profile``, one statement at a time."""
    file, node = site.file, site.node
    if not isinstance(node, ast.ImportFrom) or not _is_for_devices(file):
        return
    if site.alias is not next(item for item in node.names if item.name in _MOVED):
        return
    moved = [_imports.spelled(item) for item in node.names if item.name in _MOVED]
    left = [_imports.spelled(item) for item in node.names if item.name not in _MOVED]
    fix = site.fix()
    _imports.move(fix, node, {_NPU: moved}, left, renamed=False)
    yield RULE.auto(
        site,
        f"{file.brief(node)} imports a profiler for CPU and GPUs",
        done=f"Imported {', '.join(moved)} from {_NPU}.",
        fix=fix,
    )


@RULE.call(f"{_TORCH}.profile", f"{_NPU}.profile")
def remove_arguments(site: CallSite) -> Diagnoses:
    """Remove arguments that only torch's profile accepts."""
    given = [item for item in site.args if item.name in _REFUSED and item.keyword is not None]
    given = [item for item in given if not _is_for_npu(site.file, item.value)]
    if not given or not _is_for_devices(site.file):
        return
    fix = site.fix()
    fix.remove_arguments(site.node, given)
    names = ", ".join(item.name for item in given)
    yield RULE.auto_check(
        site,
        f"{site.callee} gets {names}, which are for GPUs",
        done=f"Removed {names}.",
        todo=(
            "For the settings of experimental_config, pass "
            "torch_npu.profiler._ExperimentalConfig(profiler_level=..., aic_metrics=...)."
            if "experimental_config" in names
            else ""
        ),
        fix=fix,
    )


def _is_for_npu(file: File, value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and (file.name(value.func) or "").startswith(_NPU)


def _is_for_devices(file: File) -> bool:
    """Whether the file profiles more than the CPU, and transfer_to_npu is not used."""
    return file.facts.style != "transfer" and file.resolver.once(_profiles_devices, file.module)


def _profiles_devices(resolver: Resolver, module: Module) -> bool:
    """False where activities are always passed and never contain CUDA."""
    named = {resolver.spelled(module, node) for node in module.index.references}
    if f"{_ACTIVITY}.CUDA" in named or f"{_NPU}.profile" in named:
        return True
    if f"{_ACTIVITY}.CPU" not in named:
        return True
    return any(
        not any(keyword.arg in ("activities", None) for keyword in call.keywords)
        for call in module.index.calls
        if resolver.spelled(module, call.func) == f"{_TORCH}.profile"
    )
