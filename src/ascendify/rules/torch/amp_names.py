"""Use torch.npu.amp instead of torch.cuda.amp."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import (
    Argument,
    CallSite,
    Diagnoses,
    Diagnosis,
    File,
    ImportSite,
    Rule,
    Site,
    Status,
    names,
)
from ascendify.rules.kit.imports import replace_alias
from ascendify.rules.torch import _edits, _imports, _release
from ascendify.source.nodes import is_called
from ascendify.source.scopes import Scope, scope_of

RULE = Rule(
    code="TORCH-AMP-1",
    title="Use mixed precision from torch.npu.amp",
    why=(
        "Without a GPU, torch.cuda.amp disables itself with no more than a warning: the model then "
        "trains in float32. torch.npu.amp has the same four names with the same arguments in every "
        "release of torch_npu, and its GradScaler also detects overflows on an Ascend 910A, whose "
        "arithmetic has no infinity. Its custom_fwd and custom_bwd are deprecated: those of "
        "torch.amp, which PyTorch has since 2.4, are used unless the project pins an older "
        "release."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="scaler = torch.cuda.amp.GradScaler(65536.0, 2.0, 0.5, 2000, args.amp)",
    after="scaler = torch.npu.amp.GradScaler(65536.0, 2.0, 0.5, 2000, enabled=args.amp)",
    safety=(
        "The fifth parameter of the NPU's GradScaler is dynamic, not enabled: a fifth positional "
        "argument is passed as enabled= by name. It prints a line when it skips a step."
    ),
)

_CUDA = "torch.cuda.amp"
_NPU = "torch_npu.npu"
_NAMES = frozenset({"autocast", "GradScaler", "custom_fwd", "custom_bwd"})
"""Names that both modules have."""
_CUSTOM = frozenset({"custom_fwd", "custom_bwd"})
_AMP = "torch.amp"
_DEVICE = "device_type='npu'"
_HOMES = frozenset({_CUDA, f"{_CUDA}.autocast_mode", f"{_CUDA}.grad_scaler"})
"""Modules these names can be imported from."""
_SCALER = f"{_CUDA}.GradScaler"
_FROM = re.compile(r"from\s+([\w.\s]+?)\s+import\b")
_ENABLED = 4
"""The position of ``enabled`` among the arguments of torch's GradScaler."""


@RULE.reference(_CUDA, f"{_CUDA}.*")
def rename(site: Site) -> Diagnoses:
    """Rename ``torch.cuda.amp.autocast`` where it is called, inherited from or passed on."""
    file = site.file
    if file.facts.style == "transfer":
        return
    cuda = _edits.link(file, site.node, "torch.cuda")
    last = site.name[len(_CUDA) + 1 :]
    if last and last.partition(".")[0] not in _NAMES:
        if cuda is not None:
            yield _no_counterpart(site, last)
        return
    if last in _CUSTOM and _takes_device(file, site.node):
        yield _with_device(site, cuda, last)
        return
    if cuda is None:
        return
    fix = site.fix()
    _edits.rename(fix, cuda, "npu")
    new = site.brief.replace(file.brief(cuda), file.brief(cuda)[:-4] + "npu", 1)
    yield RULE.auto(
        site,
        f"{site.brief} works on GPUs only and does nothing without one",
        done=f"Replaced it by {new}.",
        fix=fix,
    )


def _takes_device(file: File, node: ast.expr) -> bool:
    """Whether a decorator can be that of torch.amp; for an imported name, the import decides."""
    if isinstance(node, ast.Name):
        return _moves(file, scope_of(node).find(node.id), node.id)
    return _release.has_torch(file, "2.4")


def _moves(file: File, scope: Scope | None, name: str) -> bool:
    """Whether an imported decorator can come from torch.amp instead.

    Every use then gets a device argument, so no other file may import the name from this one.
    """
    if scope is None or len(scope.bindings[name]) != 1 or not _release.has_torch(file, "2.4"):
        return False
    return scope.bindings[name][0].origin.startswith(_CUDA) and not any(
        alias.name in (name, "*")
        for module in file.resolver.project.importers(file.path)
        for node in module.index.imports
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("torch")
        for alias in node.names
    )


def _with_device(site: Site, cuda: ast.Attribute | None, last: str) -> Diagnosis:
    """``@custom_fwd`` becomes ``@custom_fwd(device_type='npu')``, a call gets the argument."""
    file, node, around = site.file, site.node, site.parent
    fix = site.fix()
    new = file.text(node)
    if isinstance(node, ast.Attribute):
        torch = names.torch(file, fix, node) if cuda is None else file.text(cuda.value)
        new = f"{torch}.amp.{last}"
    if isinstance(around, ast.Call) and is_called(node):
        fix.add_argument(around, _DEVICE)
    else:
        new = f"{new}({_DEVICE})"
    if new != file.text(node):
        fix.replace(node, new)
    return RULE.auto(
        site,
        f"{file.brief(node)} works on GPUs only",
        done=f"Used that of {_AMP}, with {_DEVICE}.",
        fix=fix,
    )


@RULE.imports(_CUDA, f"{_CUDA}.*")
def import_from_npu(site: ImportSite) -> Diagnoses:
    """Change the imports of the module and of its names, one statement at a time."""
    file = site.file
    node = site.node
    if file.facts.style == "transfer" or site.alias is not _first(node):
        return
    found = f"{file.brief(node)} imports mixed precision for GPUs"
    if isinstance(node, ast.Import):
        yield from _plain_import(site, found)
        return
    if node.module == "torch.cuda":
        if len(node.names) == 1:
            yield _moved(site, found, _NPU)
        return
    missing = [alias.name for alias in node.names if alias.name not in (*_NAMES, "*")]
    if node.module not in _HOMES or missing:
        yield _no_counterpart(site, ", ".join(missing) or node.module)
        return
    scope = scope_of(node)
    custom = [
        alias
        for alias in node.names
        if alias.name in _CUSTOM and _moves(file, scope, alias.asname or alias.name)
    ]
    yield _split(site, found, custom) if custom else _moved(site, found, f"{_NPU}.amp")


def _split(site: ImportSite, found: str, custom: list[ast.alias]) -> Diagnosis:
    """Import the decorators from torch.amp, and the other names from the NPU's module."""
    fix = site.fix()
    homes: dict[str, list[str]] = {}
    for alias in site.node.names:
        home = _AMP if alias in custom else f"{_NPU}.amp"
        homes.setdefault(home, []).append(_imports.spelled(alias))
    _imports.move(fix, site.node, homes, [], renamed=False)
    done = f"Imported from {' and '.join(homes)} instead of {site.node.module}."
    return RULE.auto(site, found, done=done, fix=fix)


def _first(node: ast.Import | ast.ImportFrom) -> ast.alias | None:
    """The first name of a statement that is the module or comes from it."""
    if isinstance(node, ast.Import):
        return next((alias for alias in node.names if alias.name.startswith(_CUDA)), None)
    if node.module == "torch.cuda":
        return next((alias for alias in node.names if alias.name == "amp"), None)
    return node.names[0]


def _moved(site: ImportSite, found: str, module: str) -> Diagnosis:
    fix = site.fix()
    start = fix.module.start(site.node)
    written = _FROM.match(fix.module.segment(site.node))
    if written is not None:
        fix.replace_range(start + written.start(1), start + written.end(1), module)
    done = f"Imported from {module} instead of {site.node.module}."
    return RULE.auto(site, found, done=done, fix=fix)


def _plain_import(site: ImportSite, found: str) -> Diagnoses:
    """``import torch.cuda.amp as amp``; without ``as`` it only binds ``torch``."""
    if site.alias.name != _CUDA:
        yield _no_counterpart(site, site.alias.name)
        return
    fix = site.fix()
    if site.alias.asname is None and len(site.node.names) == 1 and _has_torch(site):
        fix.remove_statement(site.node)
        yield RULE.auto(site, found, done="Removed the import.", fix=fix)
        return
    new = f"{_NPU}.amp as {site.alias.asname}" if site.alias.asname else "torch"
    replace_alias(fix, site.node, site.alias, new)
    yield RULE.auto(site, found, done=f"Imported {new} instead.", fix=fix)


def _has_torch(site: ImportSite) -> bool:
    """Whether another statement binds ``torch``."""
    bindings = site.file.module.index.module.bindings.get("torch", ())
    return any(binding.node is not site.node for binding in bindings)


def _no_counterpart(site: Site, what: str) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.brief} uses {what}, which torch.npu.amp does not have",
        todo=(
            "Remove it: torch.npu.amp has autocast, GradScaler, custom_fwd and custom_bwd. To test "
            "whether mixed precision works, call torch.npu.is_available()."
        ),
    )


@RULE.call(_SCALER, f"{_SCALER}.__init__")
def name_enabled(site: CallSite) -> Diagnoses:
    """Pass the fifth argument by name, because the NPU's class has another parameter there."""
    file = site.file
    explicit = site.name.endswith(".__init__") and not isinstance(site.node.func.value, ast.Call)
    arguments = site.node.args[1:] if explicit else site.node.args
    if any(isinstance(item, ast.Starred) for item in arguments[: _ENABLED + 1]):
        yield RULE.manual(
            site,
            f"{site.brief} may get enabled by position from * arguments",
            todo="Pass enabled by name: the fifth parameter of the NPU's GradScaler is dynamic.",
        )
    elif len(arguments) == _ENABLED + 1 and not any(
        keyword.arg in ("enabled", "dynamic") for keyword in site.node.keywords
    ):
        fix = site.fix()
        fix.name_argument(Argument("enabled", arguments[_ENABLED]))
        yield RULE.auto(
            site,
            f"the fifth argument of {site.callee} is enabled on a GPU and dynamic on an NPU",
            done=f"Passed {file.brief(arguments[_ENABLED])} as enabled=, by name.",
            fix=fix,
        )
