"""Formulas in normal form: spellings of one function are equal, others are not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.rules.site import Facts, File
from ascendify.rules.tensorflow.algebra import Formula, NotAlgebra, Reader, variable
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText

HEADER = "import math\nimport numpy as np\nimport tensorflow as tf\nHALF = 0.5\n"


def read(expression: str) -> Formula:
    text = f"{HEADER}{expression}\n"
    project = Project(Path(), ["main.py"], {"main.py": text})
    module = Module.parse_text("main.py", SourceText(text))
    project.put(module)
    module.index  # noqa: B018 - marks the tree with scopes
    statement = module.tree.body[-1]
    assert isinstance(statement, ast.Expr)
    file = File(module, Resolver(project, CatalogKnowledge()), Facts())
    return Reader(file, {"x": variable("x"), "y": variable("y")}).read(statement.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("x + x", "2 * x", id="sums are collected"),
        pytest.param("x * (1 + y)", "x * y + x", id="products are multiplied out"),
        pytest.param("tf.pow(x, 3)", "x * x * x", id="powers are products"),
        pytest.param("tf.square(x) * x", "x ** 3", id="squares are products"),
        pytest.param("x / 2 - -y", "HALF * x + y", id="constants are evaluated"),
        pytest.param("np.sqrt(2 / np.pi)", "0.79788456", id="roots of constants are numbers"),
        pytest.param("tf.tanh(2 * x) * y", "tf.multiply(y, tf.nn.tanh(x + x))", id="functions"),
        pytest.param("tf.subtract(x, y)", "-(y - x)", id="differences"),
        pytest.param("math.sqrt(2.0) * tf.identity(x)", "1.41421356 * x", id="identity"),
    ],
)
def test_equal(one: str, other: str) -> None:
    assert read(one).close_to(read(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("x * y", "x + y", id="another operation"),
        pytest.param("tf.tanh(x)", "tf.erf(x)", id="another function"),
        pytest.param("tf.tanh(x)", "tf.tanh(y)", id="another argument"),
        pytest.param("0.044715 * x", "0.05 * x", id="another constant"),
        pytest.param("x", "y", id="another parameter"),
        pytest.param("x ** 2", "x ** 3", id="another power"),
    ],
)
def test_different(one: str, other: str) -> None:
    assert not read(one).close_to(read(other))


@pytest.mark.parametrize(
    "expression",
    ["x / y", "x ** y", "x ** 0.5", "tf.sqrt(x)", "tf.nn.relu(x)", "x // 2", "z", "tf.cast(x, t)",
     "tf.pow(*x)", "x ** 100", "1 / 0"],
)  # fmt: skip
def test_not_read(expression: str) -> None:
    with pytest.raises(NotAlgebra):
        read(expression)
