"""Report modules and functions whose names show that they were compiled for GPUs."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import libraries
from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status, guards
from ascendify.source.flow import backward

RULE = Rule(
    code="TORCH-DEV-9",
    title="Replace what was compiled for GPUs",
    why=(
        "A compiled module such as focal_loss_cuda is machine code for GPUs, and libcudart is "
        "their runtime library. An NPU machine has neither."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="import focal_loss_cuda",
)

_WORD = re.compile(r"(?:^|[^a-z])cuda(?:[^a-z]|$)|cuda(?=[A-Z])|CUDA", re.I)
_FUNCTION = re.compile(r"\w+_cuda|cuda_\w+|cuda[A-Z]\w*")
_LIBRARY = re.compile(r"(?:.*/)?lib(?:cuda|cudart|cublas|cudnn|nccl|nvrtc|nvToolsExt)\b.*")
_OPERATOR = re.compile(r"aten::cudnn_\w+")
_WAY = (
    "Write what it does with PyTorch's operators, look for one of torch_npu's (npu_*), or build an "
    "operator for NPUs with torch_npu.utils.cpp_extension.NpuExtension."
)


@RULE.file
def report_imports(file: File) -> Diagnoses:
    """Report imports of modules that are neither the project's nor known packages."""
    for node in file.module.index.imports:
        for alias in node.names:
            module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
            if getattr(node, "level", 0) or not _is_compiled(file, module):
                continue
            may_fail = guards.may_fail(node)
            yield RULE.finding(
                Status.INFO if may_fail else Status.MANUAL,
                file.at(node),
                f"{module} was compiled for GPUs, according to its name"
                + ("; the program goes on without it" if may_fail else ""),
                todo="" if may_fail else _WAY,
            )
            break


@RULE.call("importlib.import_module")
def report_import_module(site: CallSite) -> Diagnoses:
    """Report such an import by ``importlib.import_module``."""
    name = site.file.literal(site.node.args[0]) if site.node.args else None
    if name is None or len(name) != 1 or not _is_compiled(site.file, str(name[0])):
        return
    yield RULE.manual(
        site,
        f"{name[0]} was compiled for GPUs, according to its name",
        todo=_WAY,
        effort=Effort.HOURS,
    )


@RULE.call("ctypes.CDLL", "ctypes.cdll.LoadLibrary", "ctypes.PyDLL")
def report_library(site: CallSite) -> Diagnoses:
    """Report GPU libraries that are loaded with ctypes."""
    name = site.file.literal(site.node.args[0]) if site.node.args else None
    if name is not None and any(_LIBRARY.fullmatch(str(item)) for item in name):
        yield RULE.manual(
            site,
            f"{site.brief} loads a library of NVIDIA",
            todo="Remove it together with the calls into it; an NPU needs no such setting.",
        )


@RULE.file
def report_operators(file: File) -> Diagnoses:
    """Report operators of cuDNN that are used by name."""
    if "aten::cudnn" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Constant):
        if isinstance(node.value, str) and _OPERATOR.fullmatch(node.value):
            yield RULE.manual(
                file.at(node),
                f"{file.brief(node)} is an operator of cuDNN",
                todo="Use the function of torch.nn.functional that computes the same, and make "
                "sure that no NPU tensor reaches this place.",
                effort=Effort.HOURS,
            )


@RULE.file
def report_functions(file: File) -> Diagnoses:
    """Report calls of external functions whose names say cuda."""
    if "cuda" not in file.module.source.text:
        return
    for call in file.module.index.calls:
        func = call.func
        if not isinstance(func, ast.Attribute) or not _FUNCTION.fullmatch(func.attr):
            continue
        if _comes_from_outside(file, func):
            yield RULE.manual(
                file.at(func),
                f"{file.brief(func)}() is a function for GPUs",
                todo=_WAY,
                effort=Effort.HOURS,
            )


def _is_compiled(file: File, module: str) -> bool:
    if not _WORD.search(module) or _is_known(module):
        return False
    return file.resolver.project.locate(file.path, module) is None


def _is_known(name: str) -> bool:
    return name.partition(".")[0] in ("torch", "torch_npu") or libraries.is_known(name)


def _comes_from_outside(file: File, func: ast.Attribute) -> bool:
    """Whether a function belongs to an external module or to a library loaded with ctypes."""
    name = file.name(func)
    if name is not None:
        return not _is_known(name)
    if not isinstance(func.value, ast.Name):
        return False
    bindings = backward.bindings(func.value)
    return any(
        (item.kind == "import" and not _has(file, item.origin, func.attr))
        or (item.kind == "assign" and _is_library(file, item.value))
        for item in bindings
    )


def _has(file: File, origin: str, name: str) -> bool:
    """Whether a module of the project has a name; one without source may be built later."""
    located = file.resolver.project.locate(file.path, origin)
    if located is None or located[0] is None:
        return located is not None
    module = file.resolver.project.module(located[0])
    return bool(located[2]) or module is None or name in module.all_names


def _is_library(file: File, value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and (file.name(value.func) or "").startswith("ctypes.")
