"""Remove DataParallel, or report how to train with one process for each NPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    Rule,
    Site,
    Status,
    names,
)
from ascendify.rules.torch import _backends, _batches, _parallel
from ascendify.source.nodes import is_called, only_target
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TORCH-DIST-5",
    title="Train on several NPUs with one process each, not with DataParallel",
    why=(
        "torch.nn.DataParallel splits batches among the devices of one process with CUDA "
        "functions that have no NPU counterpart; its forward fails even with a single NPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    raises=True,
    before="model = nn.DataParallel(model).cuda()\nsave(model.module.state_dict())",
    after="model = model.cuda()\nsave(model.state_dict())",
    safety=(
        "One process uses one NPU, and the batch size is then that of one device. Keys of "
        "checkpoints have no prefix 'module.' any more."
    ),
)

_BESIDE = '''def {name}(value, model):
    """Move tensors, also those in lists and dictionaries, to the device of a model."""
    if isinstance(value, @TORCH.Tensor):
        return value.to(next(model.parameters()).device)
    if isinstance(value, dict):
        return {{key: {name}(item, model) for key, item in value.items()}}
    if isinstance(value, (list, tuple)):
        return [{name}(item, model) for item in value]
    return value'''
_WRAPPER = "torch.nn.DataParallel"
_OWN = ("device_ids", "output_device", "src_device_obj", "gather", "scatter", "replicate")
"""Attributes that the wrapper has and models lack."""
_KEYS = (
    "The keys of checkpoints lose their prefix 'module.': remove it from the keys of older ones "
    "before they are loaded. "
)
_DISTRIBUTED = (
    "torch.nn.parallel.DistributedDataParallel",
    "apex.parallel.DistributedDataParallel",
)


@RULE.call(_WRAPPER)
def unwrap_or_report(site: CallSite) -> Diagnoses:
    """Use the model itself, also where ``.module`` is read; report what cannot be followed."""
    file = site.file
    model = site.args.value("module")
    if model is None:
        yield _manual(site, "the model", "model")
        return
    moved = _assigned(site.node) or _assigned(_moved(site.node))
    target = "" if moved is None else file.text(moved)
    name = file.brief(model, 40)
    inner = list(_parallel.inner_uses(file, target)) if target else []
    if not _is_followed(site, target, inner):
        yield _manual(site, name, target or name)
        return
    fix = site.fix()
    if moved is not None and target == file.text(model) and _assigned(site.node) is moved:
        fix.remove_statement(site.node)
    else:
        fix.replace(site.node, fix.operand(model))
    for use in inner:
        fix.replace(use, target)
    counted = _parallel.is_counted(file, site.node)
    moved_inputs = [] if counted else list(_inputs(file, target))
    if moved_inputs:
        first = moved_inputs[0][0]
        helper = _BESIDE.replace("@TORCH", names.torch(file, fix, first))
        beside = fix.define(helper, "beside", first)
        for _, value in moved_inputs:
            fix.replace(value, f"{beside}({file.text(value)}, {target})")
    done = f"Removed it: {name} trains on one NPU"
    done += ", as it did on a machine with one device." if counted else "."
    if inner:
        lines = ", ".join(str(line) for line in sorted({use.lineno for use in inner})[:8])
        done += f" Wrote {target} for {target}.module (line {lines})."
    if moved_inputs:
        lines = ", ".join(str(line) for line in sorted({one.lineno for one, _ in moved_inputs})[:8])
        done += f" Moved batches to its device, as DataParallel did (line {lines})."
    yield RULE.fixed(
        site,
        f"{site.brief} uses all devices in one process, where there are several",
        done=done,
        todo=(_beside(site) if counted else _KEYS) + _several(site),
        fix=fix,
    )


def _inputs(file: File, target: str) -> Iterator[tuple[ast.Call, ast.expr]]:
    """What a loader yields and the model is given as it is: DataParallel moves it to its device."""
    for call in file.module.index.calls_by_name.get(target.rpartition(".")[2], ()):
        if file.text(call.func) == target:
            for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                for value in _leaves(argument):
                    if _batches.holds(file, value):
                        yield call, value


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """The names and elements in lists, tuples and dictionaries of an argument."""
    if isinstance(node, (ast.List, ast.Tuple)):
        for item in node.elts:
            yield from _leaves(item)
    elif isinstance(node, ast.Dict):
        for item in node.values:
            yield from _leaves(item)
    elif isinstance(node, (ast.Name, ast.Subscript)):
        yield node


def _is_followed(site: CallSite, target: str, inner: list[ast.Attribute]) -> bool:
    """Whether every use of the wrapper is known that the model itself does not have."""
    file = site.file
    ready = [_assigned(call.node) or _assigned(_moved(call.node)) for call in _ready(file)]
    if inner and any(node is not None and file.text(node) == target for node in ready):
        return False  # .module is that of another wrapper too
    targets = {
        file.text(node)
        for call in file.calls(_WRAPPER)
        if (node := _assigned(call.node) or _assigned(_moved(call.node))) is not None
    }
    if any(node.attr in _OWN and file.text(node.value) in targets for node in _attributes(file)):
        return False
    return not (_parallel.is_used_elsewhere(file, target) or _parallel.others(file, targets))


def _attributes(file: File) -> list[ast.Attribute]:
    return [node for node in file.module.index.references if isinstance(node, ast.Attribute)]


def _ready(file: File) -> Iterator[CallSite]:
    """Calls that wrap a model for one process per device already."""
    return file.calls(*_DISTRIBUTED)


def _several(site: CallSite) -> str:
    """What to do for several NPUs."""
    ready = next(_ready(site.file), None)
    if ready is not None and next(site.file.calls(_backends.INIT), None) is not None:
        return (
            "For several NPUs, start one process per NPU so that the program reaches "
            f"{site.file.brief(ready.node.func)} on line {ready.node.lineno}."
        )
    if site.file.facts.add_distribution:
        return ""
    return "For several NPUs, migrate with --distributed add: one process for each."


def _beside(site: CallSite) -> str:
    """A remark on other statements under the same condition."""
    body = getattr(parent(statement(site.node)), "body", [])
    others = [item for item in body if item is not statement(site.node)]
    counts = [item for item in others if not isinstance(item, ast.Expr)]
    if not counts:
        return ""
    return f"Check {site.file.brief(counts[0])}, which still runs under this condition. "


def _assigned(call: ast.Call) -> ast.expr | None:
    """The only name or attribute that the result of a call is assigned to."""
    around = parent(call)
    return only_target(around) if getattr(around, "value", None) is call else None


def _moved(call: ast.Call) -> ast.Call:
    """The whole of ``DataParallel(m).to(device)`` for the call in it."""
    around = parent(call)
    while isinstance(around, ast.Attribute) and isinstance(parent(around), ast.Call):
        call = parent(around)  # type: ignore[assignment]  # just seen to be a call
        around = parent(call)
    return call


def _manual(site: CallSite, name: str, target: str) -> Diagnosis:
    file = site.file
    return RULE.manual(
        site,
        f"{site.brief} does not run on NPUs",
        todo=(
            f"For one NPU, remove it: {_without(file, site.node, name, target)} {_several(site)}"
        ),
        effort=Effort.HOURS,
    )


def _without(file: File, call: ast.Call, name: str, target: str) -> str:
    whole = statement(call)
    if isinstance(whole, ast.Assign) and target == name and whole.value is call:
        text = "delete the line"
    else:
        text = f"use {name} itself"
    uses = list(_parallel.inner_uses(file, target))
    if uses:
        lines = ", ".join(str(line) for line in sorted({use.lineno for use in uses})[:8])
        text += f", and write {target} for {target}.module (line {lines})"
    return text + "; the keys of checkpoints lose their prefix 'module.'."


@RULE.reference(_WRAPPER)
def report_mention(site: Site) -> Diagnoses:
    """Report a derived class or a class that is passed on; note a type test."""
    file = site.file
    around = site.parent
    if is_called(site.node):
        return
    if isinstance(around, ast.ClassDef):
        yield RULE.manual(
            site,
            f"{around.name} is a DataParallel, which does not run on NPUs",
            todo=(
                "Use torch.nn.parallel.DistributedDataParallel, with one process per NPU, instead "
                f"of {around.name}; move what it does with batches to the sampler."
            ),
            effort=Effort.HOURS,
        )
    elif _is_test(file, site.node):
        yield RULE.info(
            site, f"{file.brief(_test(site.node))} is never true on NPUs, where it is not used"
        )
    else:
        yield RULE.manual(
            site,
            f"{file.brief(parent(site.node))} passes on DataParallel, which does not run on NPUs",
            todo="Pass on torch.nn.parallel.DistributedDataParallel, with one process per NPU.",
            effort=Effort.HOURS,
        )


def _test(node: ast.AST) -> ast.AST:
    around = parent(node)
    return parent(around) if isinstance(around, ast.Tuple) else around


def _is_test(file: File, node: ast.expr) -> bool:
    """Whether it is in a test: ``isinstance(m, DataParallel)``, ``type(m) == DataParallel``."""
    around = _test(node)
    if isinstance(around, ast.Compare):
        return True
    return (
        isinstance(around, ast.Call)
        and file.name(around.func) in ("builtins.isinstance", "builtins.issubclass")
        and node is not around.func
    )
