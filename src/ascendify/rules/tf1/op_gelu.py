"""Gelu: make a function that computes its tanh form call the NPU's operator instead."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field
from typing import Union

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _algebra as algebra
from ascendify.rules.tf1 import _host
from ascendify.rules.tf1._algebra import Formula, NotAlgebra, Reader, number, variable
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TF1-OP-2",
    title="Use the NPU's gelu",
    why=(
        "Written out, gelu is eight operators that each read and write the whole tensor; the NPU "
        "has one. It is found by its formula, whatever the function is called."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before=(
        "def gelu(x):\n"
        "    cdf = 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))\n"
        "    return x * cdf"
    ),
    after="def gelu(x):\n    return npu_unary_ops.gelu(x)",
    safety="The operator computes the same formula; results agree to float rounding.",
)

_COMPUTING = (ast.Assign, ast.AnnAssign)
_SCOPES = frozenset({"tf.name_scope", "tf.variable_scope", "tf.compat.v2.name_scope"})


@RULE.file
def find_gelu(file: File) -> Diagnoses:
    """Check the functions that call tanh or erf."""
    by_name = file.module.index.calls_by_name
    functions = dict.fromkeys(
        function_around(call) for name in ("tanh", "erf") for call in by_name.get(name, ())
    )
    for node in functions:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield from use_npu_gelu(file, node)


def use_npu_gelu(file: File, node: Union[ast.FunctionDef, ast.Lambda]) -> Diagnoses:
    """Compare what the function returns with both forms of gelu."""
    body = _read(file, node)
    if body is None or body.result is None:
        return
    for parameter in body.parameters:
        x = variable(parameter)
        if body.result.close_to(_tanh_form(x)):
            yield from _replace(file, node, body, parameter)
        elif body.result.close_to(_erf_form(x)):
            yield RULE.info(
                file.at(node),
                f"{_title(node)} computes gelu in its exact form, with erf",
                todo=(
                    f"For speed, npu_unary_ops.gelu({parameter}) of npu_bridge.estimator."
                    "npu_unary_ops may replace it; it is the tanh form, which differs by up to "
                    "5e-4, so a trained model must be evaluated again."
                ),
            )


def _replace(file: File, node: ast.AST, body: _Body, parameter: str) -> Diagnoses:
    if body.last is None or _host.runs_on_host(file, body.last):
        return
    fix = file.fix()
    module = fix.use("npu_bridge.estimator.npu_unary_ops", "npu_unary_ops")
    call = f"{module}.gelu({parameter})"
    if isinstance(body.last, ast.Return):
        for statement in body.elsewhere:
            fix.remove_statement(statement)
        first = body.before[0] if body.before else body.last
        start, end = file.module.start(first), file.module.end(body.last)
        fix.replace_range(start, end, f"return {call}")
    else:
        fix.replace(body.last, call)
    yield RULE.auto(
        file.at(node),
        f"{_title(node)} computes gelu with single operators",
        done=f"Replaced the computation by {call}.",
        fix=fix,
    )


@dataclass
class _Body:
    """What a function computes and the statements that do it."""

    parameters: tuple[str, ...]
    names: dict[str, Formula]
    before: list[ast.stmt] = field(default_factory=list)
    """Assignments right before the return."""
    elsewhere: list[ast.stmt] = field(default_factory=list)
    """Assignments in an outer block."""
    last: Union[ast.Return, ast.expr, None] = None
    result: Formula | None = None


def _read(file: File, node: Union[ast.FunctionDef, ast.Lambda]) -> _Body | None:
    """The function's formula, None when it does anything but compute one."""
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    parameters = tuple(item.arg for item in given)
    body = _Body(parameters, {name: variable(name) for name in parameters})
    try:
        if isinstance(node, ast.Lambda):
            body.last = node.body
            body.result = Reader(file, body.names).read(node.body)
        elif not _read_block(file, node.body, body):
            return None
    except NotAlgebra:
        return None
    return body


def _read_block(file: File, block: list[ast.stmt], body: _Body) -> bool:
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
        and file.name(item.context_expr.func) in _SCOPES
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


def _title(node: ast.AST) -> str:
    return f"The function {node.name}" if isinstance(node, ast.FunctionDef) else "The lambda"
