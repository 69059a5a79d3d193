"""Find the canonical name for every dotted path to an object of a framework."""

from __future__ import annotations

import re
from functools import cache

from ascendify.catalog._data import TENSORFLOW, TENSORFLOW2, TORCH, framework, table

_ROOTS = {
    "tensorflow": "tf",
    "tensorflow_core": "tf",
    "tf": "tf",
    "tf_slim": "tf.contrib.slim",
    "tensorflow_estimator": "tensorflow_estimator",
}
"""First parts of TensorFlow's paths, and their canonical form."""
_ROOTS2 = {**_ROOTS, "tensorflow": "tf2", "tensorflow_core": "tf2", "tf2": "tf2"}
"""Roots of canonical names, for code that is written for TensorFlow 2."""

_PRIVATE = re.compile(
    r"tensorflow_estimator\b|tf2?\.(python|core)\b|tf\.contrib\..*\.python\b|torch\..*\._"
)
"""Modules whose names are not part of the public API."""

_COMPAT = re.compile(r"tf2?\.compat\.(v[12])(?=\.|$)")
_COMPAT_ROOTS = {"v1": "tf", "v2": "tf2"}
"""The modules that ``compat.v1`` and ``compat.v2`` stand for in an installed TensorFlow 2."""

_known: dict[str, dict[str, str]] = {TENSORFLOW: {}, TENSORFLOW2: {}}


def canonical(dotted: str, release: str = TENSORFLOW) -> str:
    """The one name rules and tables use for a dotted path.

    Names of TensorFlow 1 start with ``tf.``; ``compat.v1`` and private paths become the shortest
    public name, and public aliases of one object become one name (``tf.math.log`` is ``tf.log``).
    ``tf.compat.v2`` and ``tf.contrib`` names keep their spelling. What is below a known name stays
    below it, and what is unknown is only spelled with ``tf.``.

    Names of TensorFlow 2 start with ``tf2.``. Which of the two ``tensorflow.X`` is depends on the
    release that the code is written for; there ``tensorflow.compat.v1.X`` is ``tf.X`` in both, and
    ``tensorflow.compat.v2.X`` is ``tf2.X`` in code for TensorFlow 2.

    PyTorch names start with ``torch.``; ``torch_npu.npu`` is ``torch.npu``, and names of
    ``torch.cuda`` stay there, whatever else the object is called.
    """
    known = _known[release]
    name = known.get(dotted)
    if name is None:
        if release == TENSORFLOW2 or dotted.startswith("tf2."):
            name = _canonical_in_tf2(dotted)
        else:
            name = _canonical(dotted)
        known[dotted] = name
    return name


def primary(name: str) -> str:
    """The name under which an object is described, for a canonical name.

    Differs from it only where one object has several public spellings that reports keep apart:
    ``tf.contrib.slim.conv2d`` is ``tf.contrib.layers.conv2d``, ``tf.compat.v2.concat`` is
    ``tf.concat``. A ``compat.v2`` name of something TF 2 changed is its own.
    """
    if name.startswith("torch.cuda."):
        return _follow(TORCH, "same", name) or name
    if name.startswith("tf.contrib."):
        return _follow(TENSORFLOW, "same", name) or name
    if name.startswith("tf.compat.v2."):
        followed = _follow(TENSORFLOW, "same", name)
        if followed is not None:
            return followed
        return name if _is_own_v2(name) else canonical("tf." + name[len("tf.compat.v2.") :])
    return name


def lacking(name: str) -> str:
    """The release that lacks a name of TensorFlow 2: ``2.6``, ``2.15``, empty when neither does.

    2.6 is what the NPU's adapter is for. What is below a class is not told apart.
    """
    if not name.startswith("tf2."):
        return ""
    module, _, last = name.rpartition(".")
    releases: dict[str, dict[str, str]] = table("names-tf2")["lacking"]
    lacking_it = (
        release for release, names in releases.items() if last in names.get(module, "").split()
    )
    return next(lacking_it, "")


def all_lacking(release: str) -> tuple[str, ...]:
    """Every name that one release of TensorFlow 2 lacks and another has."""
    modules: dict[str, str] = table("names-tf2")["lacking"][release]
    return tuple(f"{module}.{last}" for module, lasts in modules.items() for last in lasts.split())


def aliases(name: str) -> tuple[str, ...]:
    """Other public names of the object a canonical name means, shortest first.

    ``tf.compat.v1`` is left out: every ``tf`` name has one there.
    """
    target = primary(name)
    known = framework(target)
    if known is None:
        return ()
    found = {target, *_spellings(known).get(target, ())} - {name}
    return tuple(sorted(found, key=lambda item: (item.count("."), len(item), item)))


@cache
def _spellings(known: str) -> dict[str, list[str]]:
    """Canonical name -> the other public names of one framework."""
    result: dict[str, list[str]] = {}
    for section in ("moved", "same"):
        for module in table(f"names-{known}")[section]:
            if not _PRIVATE.match(module):
                for attribute, target in _unpacked(known, section, module).items():
                    result.setdefault(target, []).append(f"{module}.{attribute}")
    return result


def _canonical(dotted: str) -> str:
    root, dot, rest = dotted.partition(".")
    if root not in _ROOTS:
        return _torch_canonical(dotted) if framework(dotted) == TORCH else dotted
    name = _ROOTS[root] + dot + rest
    while name.startswith("tf.compat.v1.") or name == "tf.compat.v1":
        name = "tf" + name[len("tf.compat.v1") :]
    for module, public in table("names-tf1")["modules"].items():
        if name == module or name.startswith(module + "."):
            name = public + name[len(module) :]
    if name.startswith("tf.compat.v2."):
        return name
    return _follow(TENSORFLOW, "moved", name) or name


def _canonical_in_tf2(dotted: str) -> str:
    root, dot, rest = dotted.partition(".")
    if root not in _ROOTS2:
        return _canonical(dotted)
    name = _ROOTS2[root] + dot + rest
    while (inner := _COMPAT.match(name)) is not None:
        name = _COMPAT_ROOTS[inner[1]] + name[inner.end() :]
    if name.startswith("tf.") or name == "tf":
        return canonical(name)
    for module, public in table("names-tf2")["modules"].items():
        if name == module or name.startswith(module + "."):
            name = public + name[len(module) :]
    return _follow(TENSORFLOW2, "moved", name) or name


def _torch_canonical(name: str) -> str:
    for module, public in table("names-torch")["modules"].items():
        if name == module or name.startswith(module + "."):
            name = public + name[len(module) :]
    return _follow(TORCH, "moved", name) or name


def _follow(known: str, section: str, name: str) -> str | None:
    """The name with its longest known beginning replaced, None when no beginning is known."""
    modules = table(f"names-{known}")[section]
    end = len(name)
    while (dot := name.rfind(".", 0, end)) > 0:
        module = name[:dot]
        if module in modules:
            attribute, below, rest = name[dot + 1 :].partition(".")
            target = _unpacked(known, section, module).get(attribute)
            if target is not None:
                return target + below + rest
        end = dot
    return None


@cache
def _unpacked(known: str, section: str, module: str) -> dict[str, str]:
    """Attribute -> name for one module; ``a=b`` is an attribute whose name ends differently."""
    result: dict[str, str] = {}
    for prefix, words in table(f"names-{known}")[section][module].items():
        for word in words.split():
            attribute, _, last = word.partition("=")
            result[attribute] = f"{prefix}.{last or attribute}"
    return result


def _is_own_v2(name: str) -> bool:
    """Whether a ``compat.v2`` name has no counterpart under ``tf``, nor its class or module."""
    own = table("names-tf1")["own_v2"]
    parts = name.split(".")
    return any(
        parts[end] in own.get(".".join(parts[:end]), "").split() for end in range(2, len(parts))
    )
