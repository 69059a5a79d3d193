"""Gelu written out: functions whose formula is one of its two forms, whatever they are called."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from ascendify.rules.kit import File
from ascendify.rules.kit.names import of_either
from ascendify.rules.tensorflow import algebra
from ascendify.rules.tensorflow.algebra import Formula, NotAlgebra, Reader, number, variable
from ascendify.source.nodes import function_around

_COMPUTING = (ast.Assign, ast.AnnAssign)
_SCOPES = frozenset({"tf.name_scope", "tf.variable_scope", "tf.compat.v2.name_scope"})


@dataclass(frozen=True)
class Gelu:
    """A function or lambda that computes gelu."""

    node: Union[ast.FunctionDef, ast.Lambda]
    parameter: str
    is_exact: bool
    """Whether it is the form with erf; else it is the one with tanh."""
    body: Body

    @property
    def title(self) -> str:
        """How to name it to the user."""
        return (
            f"The function {self.node.name}"
            if isinstance(self.node, ast.FunctionDef)
            else "The lambda"
        )


def find(file: File) -> Iterator[Gelu]:
    """Check the functions that call tanh or erf."""
    by_name = file.module.index.calls_by_name
    functions = dict.fromkeys(
        function_around(call) for name in ("tanh", "erf") for call in by_name.get(name, ())
    )
    for node in functions:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield from _forms(file, node)


def _forms(file: File, node: Union[ast.FunctionDef, ast.Lambda]) -> Iterator[Gelu]:
    """Compare the returned expression with both forms of gelu."""
    body = _read(file, node)
    if body is None or body.result is None:
        return
    for parameter in body.parameters:
        x = variable(parameter)
        if body.result.close_to(_tanh_form(x)):
            yield Gelu(node, parameter, False, body)
        elif body.result.close_to(_erf_form(x)):
            yield Gelu(node, parameter, True, body)


@dataclass
class Body:
    """The expression that a function computes, and the statements that do it."""

    parameters: tuple[str, ...]
    names: dict[str, Formula]
    before: list[ast.stmt] = field(default_factory=list)
    """Assignments right before the return."""
    elsewhere: list[ast.stmt] = field(default_factory=list)
    """Assignments in an outer block."""
    last: Union[ast.Return, ast.expr, None] = None
    result: Formula | None = None


def _read(file: File, node: Union[ast.FunctionDef, ast.Lambda]) -> Body | None:
    """The function's formula, None when it does anything but compute one."""
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    parameters = tuple(item.arg for item in given)
    body = Body(parameters, {name: variable(name) for name in parameters})
    try:
        if isinstance(node, ast.Lambda):
            body.last = node.body
            body.result = Reader(file, body.names).read(node.body)
        elif not _read_block(file, node.body, body):
            return None
    except NotAlgebra:
        return None
    return body


def _read_block(file: File, block: list[ast.stmt], body: Body) -> bool:
    """Read assignments up to a return, also inside a name scope."""
    for number_, statement in enumerate(block):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, _COMPUTING) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if len(targets) != 1 or not isinstance(targets[0], ast.Name):
                return False
            body.names[targets[0].id] = Reader(file, body.names).read(statement.value)
            body.before.append(statement)
        elif isinstance(statement, ast.Return) and statement.value is not None:
            body.last = statement
            body.result = Reader(file, body.names).read(statement.value)
            return number_ == len(block) - 1
        elif isinstance(statement, ast.With) and _is_scope(file, statement):
            body.elsewhere, body.before = body.before, []
            return number_ == len(block) - 1 and _read_block(file, statement.body, body)
        else:
            return False
    return False


def _is_scope(file: File, node: ast.With) -> bool:
    return all(
        isinstance(item.context_expr, ast.Call)
        and of_either(file.name(item.context_expr.func)) in _SCOPES
        and item.optional_vars is None
        for item in node.items
    )


def _tanh_form(x: Formula) -> Formula:
    inner = algebra.add(x, algebra.multiply(number(0.044715), algebra.power(x, number(3))))
    return _halved(x, "tanh", algebra.multiply(number(math.sqrt(2 / math.pi)), inner))


def _erf_form(x: Formula) -> Formula:
    return _halved(x, "erf", algebra.multiply(number(math.sqrt(0.5)), x))


def _halved(x: Formula, function: str, inner: Formula) -> Formula:
    """``x / 2 * (1 + function(inner))``."""
    sum_ = algebra.add(number(1), algebra.applied(function, inner))
    return algebra.multiply(algebra.multiply(number(0.5), x), sum_)
