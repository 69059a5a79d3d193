"""Find strings that may name a GPU: ``'cuda'``, ``'cuda:0'``, ``f'cuda:{i}'``, ``'cuda:%d' % i``.

Only the form of a string is checked here; ``_device_uses`` finds out what it is used for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import File, Fix
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import position
from ascendify.source.scopes import parent

GPU, NPU = "cuda", "npu"
_DEVICE = re.compile(rf"{GPU}(?::?\d*)?")
"""A device, or the beginning of one that is assembled."""
_PLAIN = re.compile(rf"{GPU}(?::\d*)?")
_OPENING = re.compile(rf"[A-Za-z]*(?:'''|\"\"\"|'|\"){GPU}")
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ 0#]*\d*[dsri]")
_BRACES = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class Designator:
    """A string that may name a device."""

    literal: ast.expr
    """The literal that contains cuda: a constant or an f-string."""
    whole: ast.expr
    """The expression whose value is the name of the device."""

    @property
    def is_plain(self) -> bool:
        """Whether one literal is the whole name."""
        return self.literal is self.whole and isinstance(self.literal, ast.Constant)

    @property
    def text(self) -> str:
        """The text of a plain literal, empty for an assembled name."""
        value = getattr(self.literal, "value", "") if self.is_plain else ""
        return value if isinstance(value, str) else ""


def all_of(file: File) -> tuple[Designator, ...]:
    """Every such string in a file, in source order."""
    return file.resolver.once(_collected, file.module)


def _collected(_: Resolver, module: Module) -> tuple[Designator, ...]:
    if GPU not in module.source.text:
        return ()
    found = [
        item
        for node in module.index.of(ast.Constant)
        if isinstance(node.value, str) and node.value.startswith(GPU)
        for item in _constant(node)
    ]
    found.extend(item for node in module.index.of(ast.JoinedStr) for item in _formatted(node))
    found = [item for item in found if _OPENING.match(module.segment(item.literal))]
    return tuple(sorted(found, key=lambda item: position(item.literal)))


def _constant(node: ast.Constant) -> Iterator[Designator]:
    owner = parent(node)
    if isinstance(owner, (ast.JoinedStr, ast.FormattedValue, ast.Expr)):
        # part of an f-string, or a docstring
        return
    value: str = node.value  # type: ignore[assignment]  # only strings come here
    if isinstance(owner, ast.BinOp) and owner.left is node and isinstance(owner.op, ast.Mod):
        if _DEVICE.fullmatch(_PERCENT.sub("0", value)):
            yield Designator(node, owner)
    elif isinstance(owner, ast.BinOp) and owner.left is node and isinstance(owner.op, ast.Add):
        if _DEVICE.fullmatch(value):
            yield Designator(node, _sum(owner))
    elif isinstance(owner, ast.Attribute) and owner.attr == "format":
        call = parent(owner)
        if isinstance(call, ast.Call) and _DEVICE.fullmatch(_BRACES.sub("0", value)):
            yield Designator(node, call)
    elif _PLAIN.fullmatch(value) or _is_template(value):
        yield Designator(node, node)


def _formatted(node: ast.JoinedStr) -> Iterator[Designator]:
    pieces = [getattr(item, "value", "") if isinstance(item, ast.Constant) else "0"
              for item in node.values]  # fmt: skip
    if isinstance(parent(node), ast.FormattedValue) or not node.values:
        return
    if isinstance(node.values[0], ast.Constant) and _DEVICE.fullmatch("".join(pieces)):
        owner = parent(node)
        is_sum = isinstance(owner, ast.BinOp) and owner.left is node
        yield Designator(node, _sum(owner) if is_sum else node)  # type: ignore[arg-type]  # a sum


def _is_template(value: str) -> bool:
    """Whether a string is formatted later: ``template = 'cuda:{}'``."""
    filled = _BRACES.sub("0", _PERCENT.sub("0", value))
    return filled != value and bool(_DEVICE.fullmatch(filled))


def _sum(node: ast.BinOp) -> ast.BinOp:
    """The whole of ``'cuda' + ':' + str(i)``."""
    owner = parent(node)
    while isinstance(owner, ast.BinOp) and owner.left is node and isinstance(owner.op, ast.Add):
        node, owner = owner, parent(owner)
    return node


def rename(fix: Fix, literal: ast.expr) -> None:
    """Replace ``cuda`` by ``npu`` at the beginning of a literal."""
    start = fix.module.start(literal)
    match = _OPENING.match(fix.module.segment(literal))
    if match is None:
        raise ValueError(f"not a string that begins with {GPU}: {fix.module.segment(literal)}")
    end = start + match.end()
    fix.replace_range(end - len(GPU), end, NPU)


def renamed(text: str) -> str:
    """A text with npu instead of the first cuda, for messages."""
    return text.replace(GPU, NPU, 1)


def lists_npu(group: ast.AST) -> bool:
    """Whether a list, or the values of a dictionary, contain an NPU."""
    items = group.values if isinstance(group, ast.Dict) else getattr(group, "elts", [group])
    return any(
        isinstance(item, ast.Constant) and re.fullmatch(rf"{NPU}(?::\d*)?", str(item.value))
        for item in items
    )


def add_beside(fix: Fix, literal: ast.expr) -> None:
    """Insert the NPU after the GPU in a list."""
    end = fix.module.end(literal)
    fix.replace_range(end, end, f", {renamed(fix.module.segment(literal))}")
