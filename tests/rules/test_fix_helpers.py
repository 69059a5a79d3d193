"""Fixes: arguments removed together, helper functions added once, edits inside removed code."""

from __future__ import annotations

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.findings import Finding, Span, Status
from ascendify.migrate.fixing import fix_python
from ascendify.rules.arguments import Arguments
from ascendify.rules.fix import Fix
from ascendify.rules.rule import Diagnosis
from ascendify.source.edits import Edit, apply
from ascendify.source.module import Module
from ascendify.source.text import SourceText

HELPER = "def {name}(x):\n    return x"


def _module(text: str) -> Module:
    module = Module.parse_text("main.py", SourceText(text))
    assert module.index
    return module


def _diagnosis(fix: Fix) -> Diagnosis:
    return Diagnosis(Finding("X-1", Status.AUTO, "main.py", Span(), "found"), fix)


@pytest.mark.parametrize(
    ("call", "gone", "left"),
    [
        pytest.param("f(a, b=1, c=2)", "bc", "f(a)", id="tail"),
        pytest.param("f(b=1, a=0, c=2)", "bc", "f(a=0)", id="both-sides"),
        pytest.param("f(b=1, c=2)", "bc", "f()", id="all"),
        pytest.param("f(b=1, c=2,)", "c", "f(b=1,)", id="trailing-comma"),
        pytest.param("f((a), b=(1), c=2)", "b", "f((a), c=2)", id="parentheses"),
        pytest.param("f(\n    a,\n    b=1,\n)", "b", "f(\n    a,\n)", id="lines"),
        pytest.param("f(b=1, **kw)", "b", "f(**kw)", id="before-unpacking"),
        pytest.param("f(a=0)", "", "f(a=0)", id="none"),
    ],
)
def test_arguments_removed_together(call: str, gone: str, left: str) -> None:
    module = _module(call)
    node = module.index.calls[0]
    bound = Arguments.bind(node, None)
    fix = Fix(module)
    fix.remove_arguments(node, [bound.by_name[name] for name in gone])
    assert apply(call, fix.edits) == left


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "import a\nuse(1)\n",
            "import a\ndef h(x):\n    return x\n\n\nuse(1)\n",
            id="before-the-statement-that-needs-it",
        ),
        pytest.param(
            "import a\n\n\n# about f\ndef f():\n    use(1)\n",
            "import a\n\n\ndef h(x):\n    return x\n\n\n# about f\ndef f():\n    use(1)\n",
            id="before-the-first-function-and-its-comment",
        ),
        pytest.param(
            "h = 1\nclass C:\n    def f(self):\n        use(1)\n",
            "h = 1\ndef h_2(x):\n    return x\n\n\nclass C:\n    def f(self):\n        use(1)\n",
            id="a-free-name",
        ),
        pytest.param(
            "def g(x):\n    return x\nuse(1)\n",
            "def g(x):\n    return x\nuse(1)\n",
            id="one-that-is-there-already",
        ),
    ],
)
def test_helper_function(before: str, after: str) -> None:
    module = _module(before)
    diagnoses = []
    for _ in range(2):
        fix = Fix(module)
        call = module.index.calls_by_name["use"][0]
        fix.define(HELPER, "h", call)
        # a fix that asks for a helper also uses it; here an edit that changes nothing stands for it
        end = module.end(call)
        fix.edits.append(Edit(end, end, ""))
        diagnoses.append(_diagnosis(fix))
    assert fix_python(module, diagnoses).text == after


def test_a_fix_inside_what_another_removes_is_moot() -> None:
    module = _module("a = f(x)\nb = 1\n")
    whole, inner = Fix(module), Fix(module)
    whole.remove_statement(module.tree.body[0])
    inner.replace(module.index.calls[0].func, "g")
    fixed = fix_python(module, [_diagnosis(whole), _diagnosis(inner)])
    assert (fixed.text, len(fixed.moot), fixed.deferred) == ("b = 1\n", 1, [])


def test_a_fix_that_overlaps_a_replacement_waits() -> None:
    module = _module("a = f(x)\n")
    whole, inner = Fix(module), Fix(module)
    whole.replace(module.index.calls[0], "h(x)")
    inner.replace(module.index.calls[0].func, "g")
    fixed = fix_python(module, [_diagnosis(whole), _diagnosis(inner)])
    assert (len(fixed.moot), len(fixed.deferred)) == (0, 1)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("horovod.keras.rank", "horovod.tensorflow.rank"),
        ("horovod.tensorflow.keras.init", "horovod.tensorflow.init"),
        ("horovod.tensorflow.mpi_ops.Sum", "horovod.tensorflow.Sum"),
        ("horovod.tensorflow.compression.Compression", "horovod.tensorflow.Compression"),
        ("horovod.keras.Compression.fp16", "horovod.tensorflow.Compression.fp16"),
        ("horovod.keras.allreduce", "horovod.keras.allreduce"),
        ("horovod.keras.DistributedOptimizer", "horovod.keras.DistributedOptimizer"),
        ("horovod.tensorflow.keras.callbacks.X", "horovod.tensorflow.keras.callbacks.X"),
        ("horovod.torch.rank", "horovod.torch.rank"),
    ],
)
def test_one_name_for_one_function_of_horovod(name: str, canonical: str) -> None:
    assert CatalogKnowledge().canonical(name) == canonical
