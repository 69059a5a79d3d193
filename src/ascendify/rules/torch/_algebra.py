"""What a short function computes, as a formula: assignments, methods of the class and casts gone.

Formulas are nested tuples: an operation and its operands, in an order of their own where the order
does not matter. Anything else is the text of the expression.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Union

from ascendify.rules.kit import File
from ascendify.source.nodes import is_minus_one, keyword_value, last_name, receiver

Formula = Union[str, tuple[object, ...]]
_CASTS = frozenset({"float", "half", "bfloat16", "to", "type", "type_as", "contiguous"})
"""Methods that change the type or the place of numbers and not the numbers."""
_OPERATORS = {ast.Add: "add", ast.Mult: "mul"}


def of_function(
    file: File, function: ast.FunctionDef, owner: ast.ClassDef | None = None
) -> Formula | None:
    """The formula of what a function returns; None where it does more than compute it.

    Args:
        file: The file of the function.
        function: A function of assignments to variables and one return at its end.
        owner: The class whose other methods it may call.
    """
    return _Reader(file, owner).function(function, {})


class _Reader:
    def __init__(self, file: File, owner: ast.ClassDef | None) -> None:
        self._file = file
        methods = (
            [item for item in owner.body if isinstance(item, ast.FunctionDef)] if owner else []
        )
        self._methods = {item.name: item for item in methods if not item.decorator_list}
        self._depth = 3

    def function(self, function: ast.FunctionDef, known: Mapping[str, Formula]) -> Formula | None:
        variables = dict(known)
        for number, statement in enumerate(function.body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                last = number == len(function.body) - 1
                return self.formula(statement.value, variables) if last else None
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                return None
            self._assign(statement.targets[0], statement.value, variables)
            if not isinstance(statement.targets[0], (ast.Name, ast.Tuple)):
                return None
        return None

    def _assign(self, target: ast.expr, value: ast.expr, variables: dict[str, Formula]) -> None:
        found = self.formula(value, variables)
        if isinstance(target, ast.Name):
            variables[target.id] = found
        elif isinstance(target, ast.Tuple):
            for number, item in enumerate(target.elts):
                if isinstance(item, ast.Name):
                    variables[item.id] = ("item", found, number)

    def formula(self, node: ast.expr, variables: Mapping[str, Formula]) -> Formula:
        """The formula of an expression."""
        if isinstance(node, ast.Name):
            return variables.get(node.id, node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return ("neg", self.formula(node.operand, variables))
        if isinstance(node, ast.BinOp):
            return self._operation(node, variables)
        if isinstance(node, ast.Call):
            return self._call(node, variables)
        if isinstance(node, ast.Subscript):
            return self._half(node, variables)
        return self._file.text(node)

    def _half(self, node: ast.Subscript, variables: Mapping[str, Formula]) -> Formula:
        """``x[..., : x.shape[-1] // 2]`` is the first of two chunks."""
        part = ast.unparse(node.slice)
        value = ast.unparse(node.value)
        for middle in (f"{value}.shape[-1] // 2", f"{value}.size(-1) // 2"):
            for number, half in enumerate((f"(..., :{middle})", f"(..., {middle}:)")):
                if f"({part.strip('()')})" == f"({half.strip('()')})":
                    return ("item", ("chunk", self.formula(node.value, variables)), number)
        return self._file.text(node)

    def _operation(self, node: ast.BinOp, variables: Mapping[str, Formula]) -> Formula:
        left, right = (self.formula(item, variables) for item in (node.left, node.right))
        name = _OPERATORS.get(type(node.op))
        if name == "mul" and left == right:
            return ("square", left)
        if name is not None:
            return _joined(name, left, right)
        if isinstance(node.op, ast.Pow) and right == "2":
            return ("square", left)
        if isinstance(node.op, ast.Pow) and right == ("neg", "0.5"):
            return ("rsqrt", left)
        if isinstance(node.op, ast.Div) and isinstance(right, tuple) and right[0] == "sqrt":
            inverse: Formula = ("rsqrt", *right[1:])
            return inverse if left in ("1", "1.0") else _joined("mul", left, inverse)
        return self._file.text(node)

    def _call(self, node: ast.Call, variables: Mapping[str, Formula]) -> Formula:
        name, owner = last_name(node.func), receiver(node)
        method = self._methods.get(name)
        if method is not None and isinstance(owner, ast.Name) and owner.id == "self":
            return self._own_method(method, node, variables)
        arguments = list(node.args)
        function = self._file.name(node.func) or ""
        if function.startswith("torch.") and not function.startswith("torch.Tensor."):
            if not arguments:
                return self._file.text(node)
            subject = arguments.pop(0)
        elif owner is not None:
            subject = owner
        else:
            return self._file.text(node)
        inner = self.formula(subject, variables)
        if name in _CASTS and receiver(node) is subject:
            return inner
        if name in ("rsqrt", "sqrt", "square", "silu") and not arguments and not node.keywords:
            return (name, inner)
        if name == "pow" and len(arguments) == 1 and _is_two(arguments[0]):
            return ("square", inner)
        if name == "mean" and _is_last(node, arguments):
            return ("mean", inner)
        if name == "chunk" and len(arguments) == 2 - bool(node.keywords) and _is_two(arguments[0]):
            return ("chunk", inner) if _is_minus(arguments[1:], node) else self._file.text(node)
        if name in ("cat", "concat") and isinstance(subject, (ast.Tuple, ast.List)):
            parts = tuple(self.formula(item, variables) for item in subject.elts)
            return ("cat", *parts) if _is_minus(arguments, node) else self._file.text(node)
        return self._file.text(node)

    def _own_method(
        self, method: ast.FunctionDef, call: ast.Call, variables: Mapping[str, Formula]
    ) -> Formula:
        names = [item.arg for item in method.args.args[1:]]
        if self._depth == 0 or call.keywords or len(names) != len(call.args):
            return self._file.text(call)
        given = {name: self.formula(item, variables) for name, item in zip(names, call.args)}
        self._depth -= 1
        found = self.function(method, given)
        self._depth += 1
        return self._file.text(call) if found is None else found


def _joined(name: str, *operands: Formula) -> Formula:
    """An operation whose operands come in any order, nested ones of the same kind taken apart."""
    flat: list[Formula] = []
    for operand in operands:
        same = isinstance(operand, tuple) and operand[0] == name
        flat.extend(operand[1:] if same else [operand])  # type: ignore[arg-type]  # operands are formulas
    return (name, *sorted(flat, key=repr))


def _is_two(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (2, 2.0)


def _is_minus(arguments: list[ast.expr], call: ast.Call) -> bool:
    """Whether the dimension, which comes next, is the last one."""
    axis = arguments[0] if arguments else keyword_value(call, "dim")
    return axis is not None and is_minus_one(axis) and len(arguments) + len(call.keywords) == 1


def _is_last(call: ast.Call, arguments: list[ast.expr]) -> bool:
    """Whether a mean is over the last dimension, which it keeps."""
    axis = arguments[0] if arguments else keyword_value(call, "dim")
    keep = arguments[1] if len(arguments) > 1 else keyword_value(call, "keepdim")
    if isinstance(axis, (ast.Tuple, ast.List)) and len(axis.elts) == 1:
        axis = axis.elts[0]
    is_kept = isinstance(keep, ast.Constant) and keep.value is True
    return axis is not None and is_minus_one(axis) and is_kept
