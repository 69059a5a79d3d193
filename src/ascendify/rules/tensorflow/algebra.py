"""Formulas in normal form, so that two spellings of one function of a tensor can be compared.

The normal form is a sum of products of a parameter and of function values such as ``tanh(...)``,
whose arguments are in normal form themselves. Constants are evaluated.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ascendify.rules.kit import File
from ascendify.rules.kit.names import of_either

_MAX_TERMS = 64
_MAX_POWER = 8
_CONSTANTS = {"numpy.pi": math.pi, "math.pi": math.pi, "scipy.pi": math.pi}
_ROOTS = frozenset({"tf.sqrt", "numpy.sqrt", "math.sqrt", "tf.keras.backend.sqrt"})
_SAME = frozenset({"tf.convert_to_tensor", "tf.identity"})
"""Calls that give their first argument."""
_OF_CONSTANTS = frozenset(
    ["tf.constant", "tf.cast", "tf.to_float", "numpy.float32", "numpy.array", "builtins.float",
     "tf.keras.backend.cast", "tf.keras.backend.constant"]
)  # fmt: skip
"""Calls that give their first argument where it is a constant; a tensor may change its type."""
_OPERATORS = {
    **dict.fromkeys((ast.Add, "tf.add", "tf.math.add"), "add"),
    **dict.fromkeys((ast.Sub, "tf.subtract"), "subtract"),
    **dict.fromkeys((ast.Mult, "tf.multiply"), "multiply"),
    **dict.fromkeys((ast.Div, "tf.divide", "tf.truediv", "tf.div", "tf.realdiv"), "divide"),
    **dict.fromkeys((ast.Pow, "tf.pow", "numpy.power", "math.pow", "builtins.pow",
                     "tf.keras.backend.pow"), "power"),
}  # fmt: skip
"""Operators and functions of two operands."""
_SQUARE = frozenset({"tf.square", "tf.keras.backend.square"})
_FUNCTIONS = {
    "tf.tanh": "tanh",
    "tf.keras.backend.tanh": "tanh",
    "tf.erf": "erf",
    "tf.math.erf": "erf",
}
"""Functions of tensors that stay in the formula."""


class NotAlgebra(Exception):  # noqa: N818 - a result, not an error of the program
    """The expression is not a formula this module reads."""


@dataclass(frozen=True)
class Value:
    """A parameter (``argument`` is None) or a function of a formula: a factor of products."""

    name: str
    argument: Formula | None = None


Product = tuple[tuple[Value, int], ...]
"""Factors and their powers, sorted."""


@dataclass(frozen=True)
class Formula:
    """A sum of products with their coefficients."""

    terms: tuple[tuple[Product, float], ...] = ()

    @property
    def constant(self) -> float | None:
        """The number it is, None when it depends on anything."""
        if not self.terms:
            return 0.0
        (product, coefficient), *rest = self.terms
        return coefficient if not product and not rest else None

    def close_to(self, other: Formula, tolerance: float = 1e-4) -> bool:
        """Whether two coefficients are equal up to the rounding of what people type."""
        if len(self.terms) != len(other.terms):
            return False
        return all(
            _same_product(mine, theirs, tolerance) and math.isclose(a, b, rel_tol=tolerance)
            for (mine, a), (theirs, b) in zip(self.terms, other.terms)
        )


def number(value: float) -> Formula:
    """A constant."""
    return Formula((((), float(value)),)) if value else Formula()


def variable(name: str) -> Formula:
    """A parameter."""
    return Formula(((((Value(name), 1),), 1.0),))


def applied(function: str, argument: Formula) -> Formula:
    """A function of a formula."""
    return Formula(((((Value(function, argument), 1),), 1.0),))


def add(left: Formula, right: Formula, sign: float = 1.0) -> Formula:
    """Sum, or difference with a sign of -1."""
    found = dict(left.terms)
    for product, coefficient in right.terms:
        found[product] = found.get(product, 0.0) + sign * coefficient
    return _formula(found)


def multiply(left: Formula, right: Formula) -> Formula:
    """Product, multiplied out."""
    found: dict[Product, float] = {}
    for one, a in left.terms:
        for other, b in right.terms:
            powers = dict(one)
            for value, power in other:
                powers[value] = powers.get(value, 0) + power
            product = tuple(sorted(powers.items(), key=_order))
            found[product] = found.get(product, 0.0) + a * b
    if len(found) > _MAX_TERMS:
        raise NotAlgebra
    return _formula(found)


def power(base: Formula, exponent: Formula) -> Formula:
    """Power with a small whole exponent, or of constants."""
    count = exponent.constant
    if count is None:
        raise NotAlgebra
    constant = base.constant
    if constant is not None and (constant > 0 or count == int(count) > 0):
        return number(constant**count)
    if count != int(count) or not 0 < count <= _MAX_POWER:
        raise NotAlgebra
    result = base
    for _ in range(int(count) - 1):
        result = multiply(result, base)
    return result


def divide(left: Formula, right: Formula) -> Formula:
    """Quotient by a constant."""
    divisor = right.constant
    if not divisor:
        raise NotAlgebra
    return multiply(left, number(1.0 / divisor))


@dataclass
class Reader:
    """Read the expressions of one function; ``names`` has its parameters and variables."""

    file: File
    names: Mapping[str, Formula] = field(default_factory=dict)

    def read(self, node: ast.expr) -> Formula:
        """The expression in normal form; raises :class:`NotAlgebra`."""
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
            return multiply(number(sign), self.read(node.operand))
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Name) and node.id in self.names:
            return self.names[node.id]
        return self._constant(node)

    def _operation(self, node: ast.BinOp) -> Formula:
        return _combined(_OPERATORS.get(type(node.op)), self.read(node.left), self.read(node.right))

    def _call(self, node: ast.Call) -> Formula:
        name = of_either(self.file.name(node.func))
        # ``name=`` and ``dtype=`` do not change the value; other keywords are operands
        named = [item.value for item in node.keywords if item.arg in ("x", "y", "value")]
        given = [*node.args, *named]
        if name is None or not given or any(isinstance(item, ast.Starred) for item in given):
            raise NotAlgebra
        first = self.read(given[0])
        if name in _FUNCTIONS:
            return applied(_FUNCTIONS[name], first)
        if name in _SAME or (name in _OF_CONSTANTS and first.constant is not None):
            return first
        if name in _SQUARE:
            return multiply(first, first)
        if name in _ROOTS and first.constant is not None:
            return power(first, number(0.5))
        if len(given) < 2:
            raise NotAlgebra
        return _combined(_OPERATORS.get(name), first, self.read(given[1]))

    def _constant(self, node: ast.expr) -> Formula:
        name = self.file.name(node)
        if name in _CONSTANTS:
            return number(_CONSTANTS[name])
        values = self.file.literal(node)
        if values is not None and len(values) == 1:
            value = values[0]
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return number(value)
        raise NotAlgebra


def _combined(operator: str | None, left: Formula, right: Formula) -> Formula:
    if operator in ("add", "subtract"):
        return add(left, right, 1.0 if operator == "add" else -1.0)
    if operator == "multiply":
        return multiply(left, right)
    if operator == "divide":
        return divide(left, right)
    if operator == "power":
        return power(left, right)
    raise NotAlgebra


def _formula(found: Mapping[Product, float]) -> Formula:
    kept = [(product, value) for product, value in found.items() if abs(value) > 1e-12]
    return Formula(tuple(sorted(kept, key=lambda item: [_order(one) for one in item[0]])))


def _order(item: tuple[Value, int]) -> tuple[str, bool, int]:
    value, count = item
    return (value.name, value.argument is not None, count)


def _same_product(mine: Product, theirs: Product, tolerance: float) -> bool:
    return len(mine) == len(theirs) and all(
        count == other_count and _same_value(value, other, tolerance)
        for (value, count), (other, other_count) in zip(mine, theirs)
    )


def _same_value(mine: Value, theirs: Value, tolerance: float) -> bool:
    if mine.argument is None or theirs.argument is None:
        return mine == theirs
    return mine.name == theirs.name and mine.argument.close_to(theirs.argument, tolerance)
