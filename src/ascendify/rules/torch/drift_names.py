"""Replace names that current releases of libraries no longer have."""

from __future__ import annotations

import ast

from ascendify.catalog import replacements
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
    guards,
)
from ascendify.rules.torch import _drift, _imports, _release
from ascendify.source.flow import backward
from ascendify.source.nodes import receiver
from ascendify.source.scopes import scope_of

RULE = Rule(
    code="TORCH-DRIFT-2",
    title="Use names that current releases have",
    why=_drift.WHY,
    statuses=(Status.AUTO, Status.MANUAL),
    raises=True,
    before="labels = np.zeros(8, dtype=np.int)",
    after="labels = np.zeros(8, dtype=int)",
    framework="torch",
)

_BUILTINS = {f"numpy.{name}": name for name in ("int", "float", "bool", "object", "complex", "str")}
_RENAMED = {
    "PIL.Image.ANTIALIAS": "LANCZOS",
    "PIL.Image.LINEAR": "BILINEAR",
    "PIL.Image.CUBIC": "BICUBIC",
}
"""Attributes that keep their module."""
_ABSTRACT = tuple(
    f"collections.{name}"
    for name in ("Iterable", "Mapping", "Sequence", "Callable", "Hashable", "MutableMapping")
)
_REMOVED = replacements.texts("removed")
_MODULES = ("torch._six", "imp", "distutils", "sklearn.externals.joblib", "torchtext.legacy")
_GONE_WITH_PYTHON = {"imp": "3.12", "distutils": "3.12"}
"""Modules of the standard library, and the Python that no longer has them."""
_WITHOUT_VERBOSE = "2.7"
_LOADER = "torch.utils.data.DataLoader"


@RULE.reference(*_BUILTINS, *_RENAMED, *_ABSTRACT)
def rename(site: Site) -> Diagnoses:
    """Rename a mention through the module; a name that was imported is reported at the import."""
    if not isinstance(site.node, ast.Attribute):
        return
    new = _new(site)
    if new is None:
        return
    fix = site.fix()
    fix.replace(site.node, new)
    spelled = site.brief
    yield _drift.rewrite_or_report(
        RULE, site.file, site.node, f"{spelled} was removed from current releases", new, fix
    )


def _new(site: Site) -> str | None:
    """What to write; None where the program uses that name for something else."""
    owner, _, _ = site.text.rpartition(".")
    if site.name in _BUILTINS:
        word = _BUILTINS[site.name]
        return None if scope_of(site.node).find(word) is not None else word
    if site.name in _RENAMED:
        return f"{owner}.{_RENAMED[site.name]}"
    return f"{owner}.abc.{site.name.rpartition('.')[2]}"


_NAMES = tuple(name for name in _REMOVED if not name.startswith(_MODULES))


@RULE.reference(*_NAMES)
def report_removed(site: Site) -> Diagnoses:
    """Report what has no equal replacement; a name that was imported, at the import."""
    if not isinstance(site.node, ast.Attribute):
        return
    yield RULE.manual(
        site,
        f"{site.brief} was removed from current releases",
        todo=_REMOVED[site.name],
        cause=site.name,
    )


@RULE.imports(*(f"{name}.*" for name in _MODULES), *_ABSTRACT, *_NAMES)
def report_module(site: ImportSite) -> Diagnoses:
    """Report imports of what was removed, except in a ``try`` that handles the error."""
    if guards.may_fail(site.node):
        return
    if site.name == "torch._six.inf" and len(site.node.names) == 1:
        yield _infinity(site)
        return
    gone = _GONE_WITH_PYTHON.get(site.name.partition(".")[0])
    if gone is not None and not _release.runs_with_python(site.file.facts, gone):
        return
    entry = replacements.find("removed", site.name)
    yield RULE.manual(
        site,
        f"{site.brief} fails on current releases",
        todo="Import it from collections.abc." if entry is None else entry.todo,
    )


def _infinity(site: ImportSite) -> Diagnosis:
    """``from torch._six import inf``: the standard library has it."""
    new = f"from math import {_imports.spelled(site.alias)}"
    fix = site.fix()
    fix.replace(site.node, new)
    found = f"{site.brief} fails on current releases"
    return _drift.rewrite_or_report(RULE, site.file, site.node, found, new, fix)


@RULE.call("torch.stft")
def report_transform(site: CallSite) -> Diagnoses:
    """Report a Fourier transform without ``return_complex``."""
    if "return_complex" not in site.args and not site.args.starred:
        yield RULE.manual(
            site,
            f"{site.callee} without return_complex fails on real inputs since PyTorch 2.0",
            todo="Write torch.view_as_real(torch.stft(..., return_complex=True)): same result.",
        )


@RULE.call("torch.optim.lr_scheduler.*")
def drop_verbose(site: CallSite) -> Diagnoses:
    """Remove ``verbose`` of schedulers, which only printed."""
    given = next((item for item in site.node.keywords if item.arg == "verbose"), None)
    if given is None or not _release.has_torch(site.file, _WITHOUT_VERBOSE):
        return
    fix = site.fix()
    fix.remove_arguments(site.node, [Argument("verbose", given.value, given)])
    yield _drift.rewrite_or_report(
        RULE,
        site.file,
        site.node,
        f"{site.callee} has no verbose since PyTorch {_WITHOUT_VERBOSE}",
        "the call without it; get_last_lr() returns the learning rate",
        fix,
    )


@RULE.file
def call_next(file: File) -> Diagnoses:
    """Replace ``batches.next()`` of a loader's iterator, a name of Python 2."""
    for call in file.module.index.calls_by_name.get("next", ()):
        owner = receiver(call)
        if owner is None or call.args or call.keywords or not _iterates_loader(file, owner):
            continue
        fix = file.fix()
        new = f"next({file.text(owner)})"
        fix.replace(call, new)
        found = f"{file.brief(call)} fails: iterators of a DataLoader have no next() any more"
        yield _drift.rewrite_or_report(RULE, file, call, found, new, fix)


def _iterates_loader(file: File, node: ast.expr) -> bool:
    """Whether an expression is ``iter(loader)`` or ``loader.__iter__()``, or a name of it."""
    made = backward.only_value(node) if isinstance(node, ast.Name) else node
    if not isinstance(made, ast.Call):
        return False
    if isinstance(made.func, ast.Attribute) and made.func.attr == "__iter__":
        return bool(file.is_a(made.func.value, _LOADER))
    is_iter = file.name(made.func) == "builtins.iter" and len(made.args) == 1
    return is_iter and bool(file.is_a(made.args[0], _LOADER))
