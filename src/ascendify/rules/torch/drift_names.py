"""Names that libraries have taken away and that another name replaces exactly."""

from __future__ import annotations

import ast

from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    ImportSite,
    Rule,
    Site,
    Status,
    guards,
)
from ascendify.rules.torch import _drift, _imports
from ascendify.source.scopes import scope_of

RULE = Rule(
    code="TORCH-DRIFT-2",
    title="Use names that current releases have",
    why=_drift.WHY,
    statuses=(Status.AUTO, Status.MANUAL),
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
_GONE = {
    "torch.symeig": "torch.linalg.eigh(A) gives the values and vectors of a symmetric matrix.",
    "torch.eig": "torch.linalg.eig(A) gives complex values and vectors.",
    "torch.lstsq": "torch.linalg.lstsq(A, B) takes the arguments the other way round.",
    "torch.solve": "torch.linalg.solve(A, B) takes the arguments the other way round.",
    "torch.matrix_rank": "torch.linalg.matrix_rank(A) does the same.",
    "torch.rfft": "torch.fft.rfft gives complex numbers; torch.view_as_real makes pairs of them.",
    "torch.irfft": "torch.fft.irfft takes complex numbers; torch.view_as_complex makes them.",
    "scipy.misc.imread": "imageio.imread reads pictures.",
    "scipy.misc.imresize": "PIL.Image.fromarray(x).resize(...) does the same.",
    "scipy.misc.imsave": "imageio.imwrite writes pictures.",
    "inspect.getargspec": "inspect.getfullargspec takes its place.",
    "time.clock": "time.perf_counter() measures intervals.",
}
_MODULES = {
    "torch._six": "string_classes is str, int_classes is int, inf is math.inf, and "
    "container_abcs is collections.abc.",
    "imp": "importlib has taken its place; Python 3.12 has no imp.",
    "distutils": "packaging.version.Version compares versions; Python 3.12 has no distutils.",
    "sklearn.externals.joblib": "import joblib does the same.",
}


@RULE.reference(*_BUILTINS, *_RENAMED, *_ABSTRACT)
def rename(site: Site) -> Diagnoses:
    """A mention through the module; what was imported by name is told at the import."""
    if not isinstance(site.node, ast.Attribute):
        return
    new = _new(site)
    if new is None:
        return
    fix = site.fix()
    fix.replace(site.node, new)
    spelled = site.brief
    yield _drift.mended(
        RULE, site.file, site.node, f"{spelled} is gone from current releases", new, fix
    )


def _new(site: Site) -> str | None:
    """What to write; None where a name of the user's stands in the way."""
    owner, _, _ = site.text.rpartition(".")
    if site.name in _BUILTINS:
        word = _BUILTINS[site.name]
        return None if scope_of(site.node).find(word) is not None else word
    if site.name in _RENAMED:
        return f"{owner}.{_RENAMED[site.name]}"
    return f"{owner}.abc.{site.name.rpartition('.')[2]}"


@RULE.reference(*_GONE)
def tell_gone(site: Site) -> Diagnoses:
    """Functions that another replaces, but not word for word."""
    yield RULE.manual(site, f"{site.brief} is gone from current releases", todo=_GONE[site.name])


@RULE.imports(*(f"{name}.*" for name in _MODULES), *_ABSTRACT)
def tell_module(site: ImportSite) -> Diagnoses:
    """Imports of modules that are gone; one in a ``try`` that expects it is no news."""
    if guards.may_fail(site.node):
        return
    if site.name == "torch._six.inf" and len(site.node.names) == 1:
        yield _infinity(site)
        return
    name = next((item for item in _MODULES if f"{site.name}.".startswith(f"{item}.")), None)
    yield RULE.manual(
        site,
        f"{site.brief} fails on current releases",
        todo=_MODULES[name] if name else "Import it from collections.abc.",
    )


def _infinity(site: ImportSite) -> Diagnosis:
    """``from torch._six import inf``: the standard library has it."""
    new = f"from math import {_imports.spelled(site.alias)}"
    fix = site.fix()
    fix.replace(site.node, new)
    found = f"{site.brief} fails on current releases"
    return _drift.mended(RULE, site.file, site.node, found, new, fix)


@RULE.call("torch.stft")
def tell_transform(site: CallSite) -> Diagnoses:
    """A Fourier transform that does not say what kind of numbers it gives."""
    if "return_complex" not in site.args and not site.args.starred:
        yield RULE.manual(
            site,
            f"{site.callee} without return_complex fails on real inputs since PyTorch 2.0",
            todo="Write torch.view_as_real(torch.stft(..., return_complex=True)), which gives what "
            "it gave.",
        )
