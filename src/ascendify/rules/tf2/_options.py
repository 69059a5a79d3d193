"""Global options of npu_device in a user's program: where each is set or read, and its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ascendify.catalog import options
from ascendify.catalog.options import Option
from ascendify.rules.kit import File
from ascendify.source.flow import backward

GETTERS = ("npu_device.global_options", "npu_device.npu_device.global_options")
_DEPTH = 4


@dataclass(frozen=True)
class OptionUse:
    """``npu_device.global_options().<path>``, set or read."""

    path: str
    """The attributes below the options: ``dump_config.dump_path``."""
    node: ast.Attribute


@cache
def by_attribute() -> Mapping[str, Option]:
    """Attribute in npu_device -> option."""
    return {found.global_option: found for found in options.all_options() if found.global_option}


@cache
def groups() -> frozenset[str]:
    """Attributes that hold further options: ``dump_config``."""
    paths = (path.split(".") for path in by_attribute())
    return frozenset(".".join(parts[:end]) for parts in paths for end in range(1, len(parts)))


def stores(file: File) -> Iterator[OptionUse]:
    """Every assignment to a global option."""
    if "global_options" in file.module.source.text:
        for node in file.module.index.stores:
            path = _path(file, node, _DEPTH)
            if path:
                yield OptionUse(path, node)


def reads(file: File) -> Iterator[OptionUse]:
    """Every global option that is read, groups left out."""
    if "global_options" in file.module.source.text:
        for node in file.module.index.references:
            if isinstance(node, ast.Attribute):
                path = _path(file, node, _DEPTH)
                if path in by_attribute():
                    yield OptionUse(path, node)


def _path(file: File, node: ast.expr, depth: int) -> str:
    """The attributes of an expression below the options; empty if it is not one of the options."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    above = _root(file, node, depth)
    return "" if above is None else ".".join([*filter(None, [above]), *parts])


def _root(file: File, node: ast.expr, depth: int) -> str | None:
    """The start of an attribute chain: the options, or a variable for a group of them."""
    if isinstance(node, ast.Call):
        return "" if file.name(node.func) in GETTERS else None
    if not isinstance(node, ast.Name) or depth <= 0:
        return None
    bindings = backward.bindings(node)
    value = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
    if isinstance(value, ast.Call):
        return _root(file, value, depth - 1)
    return (_path(file, value, depth - 1) or None) if isinstance(value, ast.Attribute) else None
