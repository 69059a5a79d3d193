"""Small functions on syntax tree nodes that many modules share.

What stands around a node, what a call is given, what a function declares. No names are resolved
here and no values inferred.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Union, cast

from ascendify.source.scopes import FunctionNode, ancestors, nearest, parent

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
ImportNode = Union[ast.Import, ast.ImportFrom]
_BLOCKS = ("body", "orelse", "finalbody")


# names and literals


def last_name(node: ast.AST | None) -> str:
    """``c`` of ``a.b.c``, ``a`` of ``a``; empty for anything else."""
    name: str = getattr(node, "attr", "") or getattr(node, "id", "")
    return name


def root(node: ast.expr) -> ast.expr:
    """The start of an attribute chain: ``a`` of ``a.b.c``, ``f()`` of ``f().b``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def root_name(node: ast.expr) -> ast.Name | None:
    """The variable an attribute chain starts with, None where it starts with something else."""
    found = root(node)
    return found if isinstance(found, ast.Name) else None


def whole(node: ast.expr) -> ast.expr:
    """The whole attribute chain that a node is part of: ``a.b.c`` for ``a.b``."""
    while isinstance(around := parent(node), ast.Attribute):
        node = around
    return node


def attributes(chain: ast.expr) -> list[str]:
    """The attributes that follow the start of a chain: ``b``, ``c`` of ``a.b.c``."""
    names: list[str] = []
    while isinstance(chain, ast.Attribute):
        names.insert(0, chain.attr)
        chain = chain.value
    return names


def string(node: ast.AST | None) -> str | None:
    """The text of a string literal, None for anything else."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def is_literal(node: ast.AST | None, value: object) -> bool:
    """Whether a node is exactly the given literal: None, True or False."""
    return isinstance(node, ast.Constant) and node.value is value


def is_minus_one(node: ast.AST) -> bool:
    """Whether a node is written ``-1``."""
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and node.operand.value == 1
    )


def strings(nodes: Iterable[ast.AST]) -> list[str]:
    """The texts of the string literals among some nodes."""
    return [text for text in map(string, nodes) if text is not None]


def position(node: ast.AST) -> tuple[int, int]:
    """Line and column, for comparing places in one file."""
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def assigned_name(node: ast.AST) -> ast.Name | None:
    """The variable an expression is assigned to, where that is all the statement does."""
    owner = parent(node)
    target = only_target(owner) if getattr(owner, "value", None) is node else None
    return target if isinstance(target, ast.Name) else None


def only_target(statement: ast.AST) -> ast.expr | None:
    """The target of an assignment that has one; None for any other statement."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return targets[0] if len(targets) == 1 else None


# calls


def call_of(node: ast.AST) -> ast.Call | None:
    """The call whose function a node is."""
    around = parent(node)
    return around if isinstance(around, ast.Call) and around.func is node else None


def is_called(node: ast.AST) -> bool:
    """Whether a node is the function of a call."""
    return call_of(node) is not None


def keyword_value(call: ast.Call, name: str) -> ast.expr | None:
    """The value a call gives by this name."""
    return next((item.value for item in call.keywords if item.arg == name), None)


def given_value(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """The value a call gives by this name or, where it gives none, at this position."""
    found = keyword_value(call, name)
    return call.args[position] if found is None and len(call.args) > position else found


def values_given(call: ast.Call) -> list[ast.expr]:
    """Every argument of a call, positional ones first."""
    return [*call.args, *(item.value for item in call.keywords)]


def receiver(call: ast.Call) -> ast.expr | None:
    """The object that a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


# definitions


def positional_parameters(function: FunctionNode) -> list[ast.arg]:
    """The parameters of a function that can be given by position."""
    return [*function.args.posonlyargs, *function.args.args]


def defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    """Parameters that have a default, with it."""
    first = [*arguments.posonlyargs, *arguments.args]
    yield from zip(first[len(first) - len(arguments.defaults) :], arguments.defaults)
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if value is not None:
            yield argument, value


def decorators(node: ast.AST) -> set[str]:
    """The last components of a definition's decorators."""
    return {last_name(item) for item in getattr(node, "decorator_list", ())}


# surroundings


def is_inside(node: ast.AST, outer: ast.AST) -> bool:
    """Whether a node is inside another."""
    return any(item is outer for item in ancestors(node))


def functions_around(node: ast.AST) -> Iterator[FunctionNode]:
    """The functions and lambdas around a node, the innermost first."""
    return (item for item in ancestors(node) if isinstance(item, FUNCTIONS))


def function_around(node: ast.AST) -> FunctionNode | None:
    """The innermost function around a node, None at module level."""
    return cast("FunctionNode | None", nearest(node, FUNCTIONS, "function_around"))


def class_around(node: ast.AST) -> ast.ClassDef | None:
    """The innermost class around a node."""
    return cast("ast.ClassDef | None", nearest(node, (ast.ClassDef,), "class_around"))


def conditions_around(node: ast.AST) -> Iterator[ast.expr]:
    """The tests of the branches and conditional expressions around a node."""
    return (item.test for item in ancestors(node) if isinstance(item, (ast.If, ast.IfExp)))


def block_of(statement: ast.stmt) -> list[ast.stmt]:
    """The list of statements a statement is one of."""
    owner = parent(statement)
    blocks: Iterator[Any] = (getattr(owner, name, None) for name in _BLOCKS)
    found = (
        block
        for block in blocks
        if isinstance(block, list) and place_in(block, statement) is not None
    )
    return next(found, [statement])


def place_in(block: Sequence[ast.stmt], statement: ast.AST) -> int | None:
    """The index of a statement in a block, None where it is none of its statements.

    Blocks are in the order of the text, so half of one is passed over at each step.
    """
    wanted = position(statement)
    low, high = 0, len(block)
    while low < high:
        middle = (low + high) // 2
        if position(block[middle]) < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < len(block) and block[low] is statement else None


def following(statement: ast.stmt) -> list[ast.stmt]:
    """The statements after one in its block."""
    block = block_of(statement)
    return block[(place_in(block, statement) or 0) + 1 :]


def statement_at(tree: ast.Module, line: int) -> ast.stmt | None:
    """The innermost statement that covers a line; of several on one line the first."""
    found: ast.stmt | None = None
    inner: ast.AST | None = tree
    while inner is not None:
        blocks = (getattr(inner, name, None) for name in (*_BLOCKS, "handlers"))
        parts = (_part_at(block, line) for block in blocks if isinstance(block, list))
        inner = next((part for part in parts if part is not None), None)
        found = inner if isinstance(inner, ast.stmt) else found
    return found


def _part_at(block: Sequence[Any], line: int) -> ast.AST | None:
    """The first statement, or handler, of a block that covers a line."""
    low, high = 0, len(block)
    while low < high:
        middle = (low + high) // 2
        if block[middle].end_lineno < line:
            low = middle + 1
        else:
            high = middle
    return block[low] if low < len(block) and block[low].lineno <= line else None


def imported_names(node: ImportNode) -> list[str]:
    """The dotted names a statement imports, with leading dots when relative."""
    if isinstance(node, ast.ImportFrom):
        head = "." * node.level + (f"{node.module}." if node.module else "")
        return [f"{head}{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names]
