"""Import from torch_npu.npu instead of torch.cuda, under the same local names."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ascendify.catalog import names, torch_npu
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Fix, ImportSite, Rule, Status
from ascendify.rules.torch import _cuda, _imports
from ascendify.source.scopes import parent, scope_of

RULE = Rule(
    code="TORCH-IMP-3",
    title="Import from torch_npu.npu instead of torch.cuda",
    why=(
        "A name that is imported from torch.cuda is the GPU's function. torch.npu is another name "
        "for the module torch_npu.npu; importing from torch.npu instead would load a second copy "
        "of its submodules, with classes of their own."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="from torch.cuda import Stream, current_stream",
    after="from torch_npu.npu import Stream, current_stream",
)

_HOME = "torch_npu.npu"
"""The module to import names of torch.npu from."""


@dataclass
class _Sorted:
    """The names of one ``from`` statement, by the module they have for an NPU."""

    moved: dict[str, list[str]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    renamed: bool = False
    """Whether one of them has another name in that module."""


@RULE.imports(_cuda.CUDA, f"{_cuda.CUDA}.*")
def move(site: ImportSite) -> Diagnoses:
    """Change one statement at a time, at the first of its names from torch.cuda."""
    node = site.node
    if site.alias is not next((item for item in node.names if _is_ours(node, item)), None):
        return
    if isinstance(node, ast.Import):
        yield from _plain(site)
    elif any(item.name == "*" for item in node.names):
        yield _manual(site, "Import the names that are used one by one.")
    elif node.module == "torch":
        yield from _module(site)
    else:
        yield from _names(site)


@RULE.imports(f"{_cuda.NPU}.*")
def correct(site: ImportSite) -> Diagnoses:
    """Correct ``from torch.npu.amp import autocast``, which loads a second copy."""
    node = site.node
    if site.alias is not node.names[0]:
        return
    module = node.module or "" if isinstance(node, ast.ImportFrom) else site.alias.name
    if not module.startswith(f"{_cuda.NPU}.") or (isinstance(node, ast.Import) and node.names[1:]):
        return
    fix = site.fix()
    at = fix.module.start(node) + fix.module.segment(node).index(module)
    fix.replace_range(at, at + len(_cuda.NPU), _HOME)
    yield RULE.auto(
        site,
        f"{site.file.brief(node)} loads a second copy of the module",
        done=f"Imported it from {module.replace(_cuda.NPU, _HOME, 1)}.",
        fix=fix,
    )


def _is_ours(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether a name of a statement comes from torch.cuda, but not from torch.cuda.amp."""
    if isinstance(node, ast.Import):
        return _cuda.below(alias.name, _cuda.CUDA) and not _cuda.is_amp(alias.name)
    module = node.module or ""
    if module == "torch":
        return alias.name == "cuda"
    if module == _cuda.CUDA and [item.name for item in node.names] == ["amp"]:
        return False
    return _cuda.below(module, _cuda.CUDA) and not _cuda.is_amp(module)


def _names(site: ImportSite) -> Diagnoses:
    """``from torch.cuda import Stream, nvtx``."""
    file, node = site.file, site.node
    found = _sorted(file, node)
    if not found.moved:
        if _cuda.below(node.module, f"{_cuda.CUDA}.nvtx"):
            yield _manual(
                site,
                "Import mstx from torch_npu.npu and call its functions: mstx.range_push(message), "
                "mstx.range_pop().",
            )
        return
    fix = site.fix()
    _imports.move(fix, node, found.moved, found.left, found.renamed)
    yield _done(site, fix, " and ".join(found.moved))


def _sorted(file: File, node: ast.ImportFrom) -> _Sorted:
    result = _Sorted()
    switched = file.facts.style == "transfer"
    for item in node.names:
        name = names.canonical(f"{node.module}.{item.name}")
        target = torch_npu.counterpart(name)
        owner, _, last = (target or "").rpartition(".")
        is_renamed = last != item.name
        if target is None or owner == "torch.npu.mstx" or (switched and not is_renamed):
            result.left.append(_imports.spelled(item))
            continue
        local = item.asname or item.name
        result.renamed = result.renamed or is_renamed
        home = owner.replace(_cuda.NPU, _HOME, 1) if owner != "torch" else owner
        text = last if last == local else f"{last} as {local}"
        result.moved.setdefault(home, []).append(text)
    return result


def _module(site: ImportSite) -> Diagnoses:
    """Change ``from torch import cuda``, and rename its uses where npu is not taken."""
    file, node, alias = site.file, site.node, site.alias
    if file.facts.style == "transfer":
        return
    fix = site.fix()
    local = alias.asname or alias.name
    new = f"npu as {local}"
    if local == "cuda" and _may_rename(file, node):
        new = "npu"
        for use in scope_of(node).uses("cuda"):
            fix.replace(use, "npu")
    others = [_imports.spelled(item) for item in node.names if item is not alias]
    lines = [f"from torch import {', '.join(others)}"] if others else []
    fix.replace_statement(node, [*lines, f"from torch_npu import {new}"])
    yield _done(site, fix, "torch_npu")


def _may_rename(file: File, node: ast.ImportFrom) -> bool:
    """Whether every use of the name is visible and the new name is not taken."""
    scope = scope_of(node)
    return (
        len(scope.bindings.get("cuda", ())) == 1
        and "npu" not in file.module.all_names
        and not file.resolver.project.is_imported(file.path)
    )


def _plain(site: ImportSite) -> Diagnoses:
    """``import torch.cuda``, ``import torch.cuda as tc``."""
    file, node = site.file, site.node
    if file.facts.style == "transfer":
        return
    parts: list[str] = []
    extra: list[str] = []
    for item in node.names:
        target = torch_npu.counterpart(item.name) if _is_ours(node, item) else None
        if target is None:
            parts.append(_imports.spelled(item))
        elif not item.asname:
            parts.append("torch")
        elif target == "torch.npu.mstx":
            extra.append(f"from {_HOME} import mstx as {item.asname}")
        else:
            parts.append(f"{target.replace(_cuda.NPU, _HOME, 1)} as {item.asname}")
    parts = list(dict.fromkeys(parts))
    if parts == [_imports.spelled(item) for item in node.names]:
        return
    fix = site.fix()
    if parts == ["torch"] and _has_torch(node):
        fix.remove_statement(node)
        done = "Removed it: torch is imported already, and torch_npu adds torch.npu to it."
        yield RULE.auto(site, _found(site), done=done, fix=fix)
        return
    fix.replace_statement(node, [*([f"import {', '.join(parts)}"] if parts else []), *extra])
    yield _done(site, fix, "torch" if "torch" in parts else _HOME)


def _has_torch(node: ast.Import) -> bool:
    """Whether another statement of the same block imports torch."""
    body = getattr(parent(node), "body", [])
    return any(
        isinstance(other, ast.Import)
        and other is not node
        and any(item.name == "torch" and not item.asname for item in other.names)
        for other in body
    )


def _found(site: ImportSite) -> str:
    return f"{site.brief} imports names for GPUs"


def _done(site: ImportSite, fix: Fix, home: str) -> Diagnosis:
    done = f"Imported them from {home}."
    return RULE.auto(site, _found(site), done=done, fix=fix)


def _manual(site: ImportSite, todo: str) -> Diagnosis:
    return RULE.manual(site, _found(site), todo=todo)
