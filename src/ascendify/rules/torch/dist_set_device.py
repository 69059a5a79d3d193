"""Report process groups that are created before the process sets its device."""

from __future__ import annotations

import ast
from typing import cast

from ascendify.catalog import gpu_variables
from ascendify.catalog.gpu_variables import VISIBLE
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.torch import _backends
from ascendify.source.flow import backward
from ascendify.source.inference.parameters import default
from ascendify.source.module import Module
from ascendify.source.nodes import keyword_value, last_name, position, root
from ascendify.source.scopes import FunctionNode, Scope, parent, scope_of

RULE = Rule(
    code="TORCH-DIST-3",
    title="Set the device before a process group is created",
    why=(
        "Without torch.npu.set_device every process uses NPU 0: they share its memory, and HCCL "
        "fails or hangs because all ranks are on one device."
    ),
    statuses=(Status.MANUAL,),
    before="dist.init_process_group('hccl')",
)

_OTHERS = ("gloo", "mpi", "ucc")
"""Backends that do not communicate between NPUs."""
_SETTERS = ("set_device", "set_device_index")
_HOPS = 2
"""How many imports are followed from a file to others."""


@RULE.call(_backends.INIT)
def report_missing(site: CallSite) -> Diagnoses:
    """Report the first call of a file, where no file it imports or is imported by sets a device."""
    file = site.file
    values = _values(file, next(_backends.given(site.node, 0), None))
    if values and all(str(value).lower() in _OTHERS for value in values):
        return
    if any(keyword.arg == "device_id" for keyword in site.node.keywords) or _is_set(file):
        return
    first = next(file.calls(_backends.INIT), site)
    if first.node is not site.node:
        return  # reported once a file
    rank = _local_rank(site)
    yield RULE.manual(
        site,
        f"nothing sets the device of the process before {site.callee}",
        todo=f"Call torch.npu.set_device({rank}) before it.",
    )


def _values(file: File, backend: ast.expr | None) -> tuple[object, ...]:
    """The backends that an argument may be; of a parameter that no visible call gives, its default.

    A function whose calls are not visible is started by ``Process(target=...)``, for example.
    """
    values = None if backend is None else file.literal(backend)
    if values is None and isinstance(backend, ast.Name):
        found = [item.node for item in backward.definitions(backend)]
        if len(found) == 1 and isinstance(found[0], ast.arg):
            function = cast(FunctionNode, scope_of(found[0]).node)
            usual = default(function.args, found[0])
            called = any(backward.passed(file.resolver, file.module, found[0], defaults=True))
            values = None if called or usual is None else file.literal(usual)
    return values or ()


def _is_set(file: File) -> bool:
    """Whether this file, or one that it imports or is imported by, sets a device."""
    project = file.resolver.project
    seen: dict[str, Module] = {file.path: file.module}
    border = [file.module]
    for _ in range(_HOPS):
        found = [
            other
            for module in border
            for other in (
                *project.importers(module.path),
                *map(project.module, project.imports(module.path, module.source.text)),
            )
            if other is not None and other.path not in seen
        ]
        seen.update({module.path: module for module in found})
        border = found
    return any(_sets(module) for module in seen.values())


def _sets(module: Module) -> bool:
    calls = module.index.calls_by_name
    if any(name in calls for name in _SETTERS) or "get_accelerator" in calls:
        return True
    return any(_shows_one(module, node) for node in module.index.of(ast.Subscript))


def _shows_one(module: Module, node: ast.Subscript) -> bool:
    """``os.environ["CUDA_VISIBLE_DEVICES"] = str(rank)``: the process sees its own device only."""
    owner = parent(node)
    return (
        isinstance(node.slice, ast.Constant)
        and node.slice.value in (VISIBLE, gpu_variables.visible_devices("torch"))
        and isinstance(owner, ast.Assign)
        and "rank" in module.segment(owner.value).lower()
    )


def _local_rank(site: CallSite) -> str:
    """An expression for the local rank that has a value at the call, or the variable for it."""
    scope = scope_of(site.node)
    for node in site.file.module.index.references:
        if last_name(node) not in ("local_rank", "LOCAL_RANK", "gpu"):
            continue
        base = root(node)
        if isinstance(base, ast.Name) and _has_value(scope, scope_of(node), base.id, site.node):
            return site.file.brief(node)
    bound = _bound_before(site)
    found = next((name for name in ("local_rank", "gpu") if name in bound), "")
    return found or _of_rank(site, bound) or "int(os.environ['LOCAL_RANK'])"


def _of_rank(site: CallSite, bound: set[str]) -> str:
    """The local rank computed from the rank, where the program starts or numbers its processes.

    Such a program need not have the variable ``LOCAL_RANK``, which torchrun sets.
    """
    given = keyword_value(site.node, "rank")
    if given is not None:
        simple = isinstance(given, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        rank = site.file.brief(given) if simple else f"({site.file.brief(given)})"
    elif "rank" in bound:
        rank = "rank"
    elif _stores_variable(site.file.module, "RANK"):
        rank = "int(os.environ['RANK'])"
    else:
        return ""
    return f"{rank} % torch.npu.device_count()"


def _stores_variable(module: Module, name: str) -> bool:
    """Whether a file sets an environment variable itself: ``os.environ["RANK"] = ...``."""
    return any(
        isinstance(node.ctx, ast.Store)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == name
        for node in module.index.of(ast.Subscript)
    )


def _has_value(here: Scope, there: Scope, name: str, call: ast.Call) -> bool:
    """Whether a name means the same at a call as elsewhere, and has got its value before."""
    home = here.find(name)
    if home is None or there.find(name) is not home:
        return False
    first = min((position(item.node) for item in home.bindings[name]), default=(0, 0))
    return home is not here or first < position(call)


def _bound_before(site: CallSite) -> set[str]:
    """The names that the scope of a call has bound before it."""
    bindings = scope_of(site.node).bindings
    return {
        name
        for name, items in bindings.items()
        if min(position(item.node) for item in items) < position(site.node)
    }
