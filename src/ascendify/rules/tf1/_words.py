"""Where a word that the network compares comes from: constants, or a placeholder for strings."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ascendify.rules.helpers import TEXT
from ascendify.rules.kit import CallSite, File
from ascendify.rules.kit.bindings import bindings
from ascendify.rules.tensorflow import dtypes
from ascendify.source.flow import backward
from ascendify.source.flow.outside import Outside
from ascendify.source.flow.uses import ValueUses, uses
from ascendify.source.module import Module
from ascendify.source.nodes import keyword_value
from ascendify.source.scopes import parent

PLACEHOLDERS = ("tf.placeholder", "tf.placeholder_with_default")
COMPARISONS = ("tf.equal", "tf.not_equal")
_MIGRATED = tuple(f"{TEXT}.{name.rpartition('.')[2]}" for name in COMPARISONS)
_LOOKS = Outside(looks=("builtins.isinstance", "builtins.print", "builtins.type", "builtins.str"))
_DEPTH = 8


@dataclass
class WordSources:
    """Where a word may come from."""

    placeholders: list[tuple[Module, ast.Call]] = field(default_factory=list)
    unknown: bool = False
    """It may be something else than a word that is written down or fed."""


def sources(file: File, node: ast.expr) -> WordSources:
    """Follow a word to where it is made."""
    found = WordSources()
    _follow(file, node, found, set(), _DEPTH)
    return found


def _follow(file: File, node: ast.expr, found: WordSources, seen: set[ast.AST], depth: int) -> None:
    if node in seen:
        return
    seen.add(node)
    if depth == 0:
        found.unknown = True
    elif isinstance(node, ast.Constant):
        found.unknown = found.unknown or not isinstance(node.value, (str, bytes))
    elif isinstance(node, ast.IfExp):
        for part in (node.body, node.orelse):
            _follow(file, part, found, seen, depth)
    elif isinstance(node, ast.Call):
        _follow_call(file, node, found, seen, depth)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        bound = bindings(file.resolver, file.module, node)
        found.unknown = found.unknown or not bound
        for module, binding in bound:
            owner = file.of(module)
            value = backward.assigned(binding)
            if value is not None:
                _follow(owner, value, found, seen, depth - 1)
            elif isinstance(binding.node, ast.arg):
                _follow_parameter(owner, binding.node, found, seen, depth - 1)
            else:
                found.unknown = True
    else:
        found.unknown = True


def _follow_call(
    file: File, call: ast.Call, found: WordSources, seen: set[ast.AST], depth: int
) -> None:
    name = file.name(call.func)
    if name == "tf.constant" and call.args:
        _follow(file, call.args[0], found, seen, depth)
    elif name in PLACEHOLDERS:
        found.placeholders.append((file.module, call))
    elif isinstance(call.func, ast.Attribute) and call.func.attr in ("lower", "upper", "strip"):
        _follow(file, call.func.value, found, seen, depth)
    else:
        found.unknown = True


def _follow_parameter(
    file: File, argument: ast.arg, found: WordSources, seen: set[ast.AST], depth: int
) -> None:
    given = list(backward.passed(file.resolver, file.module, argument, defaults=True))
    found.unknown = found.unknown or not given
    for module, value in given:
        if value is None:
            found.unknown = True
        else:
            _follow(file.of(module), value, found, seen, depth)


def is_fed_word(file: File, call: ast.Call) -> bool:
    """Whether a placeholder for strings is only compared with words and fed."""
    name = file.name(call.func)
    if name not in PLACEHOLDERS:
        return False
    args = CallSite(file, call, name).args
    if name == "tf.placeholder":
        dtype = args.value("dtype")
        if dtype is None or dtypes.named(file, dtype) != "string":
            return False
    else:
        default = args.value("input")
        if default is None or dtypes.of_tensor(file, default) != "string":
            return False
        if sources(file, default).unknown or sources(file, default).placeholders:
            return False
    found = _uses(file, call)
    compared = [use for use in found.calls if _is_comparison(file.of(use.module), use.call)]
    return (
        bool(compared)
        and len(compared) == len(found.calls)
        and found.escapes is None
        and not found.attributes
    )


def _uses(file: File, call: ast.Call) -> ValueUses:
    """The uses of a placeholder; as a key of a fed dictionary it does not leave our sight."""
    walk = uses(file.resolver, file.module, call, _LOOKS)
    if walk.escapes is not None and not _is_key(walk.escapes[1]):
        return walk
    return ValueUses(walk.calls, walk.attributes)


def _is_key(node: ast.AST) -> bool:
    """Whether a node is a key of a dictionary that is written out, as feeds are."""
    around = parent(node)
    return isinstance(around, ast.Dict) and node in around.keys


def _is_comparison(file: File, call: ast.Call) -> bool:
    """Whether a call compares, with a word on one side at least."""
    name = file.name(call.func)
    if name not in COMPARISONS and name not in _MIGRATED:
        return False
    sides = [keyword_value(call, "x"), keyword_value(call, "y"), *call.args[:2]]
    return any(
        side is not None and not (known := sources(file, side)).unknown and not known.placeholders
        for side in sides
    )
