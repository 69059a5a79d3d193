"""Generators and sequences passed to fit(): Keras leaves all their dimensions open."""

from __future__ import annotations

import ast

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.source.flow import backward
from ascendify.source.scopes import scope_of
from ascendify.source.values import Function, Object

RULE = Rule(
    code="TF2-DATA-5",
    title="Give fit() a dataset of known shapes in the place of a generator",
    why=(
        "Keras asks a generator or a Sequence for the number of dimensions only, and leaves their "
        "sizes open. The whole training function is then compiled for unknown shapes, which is "
        "slow on an NPU, even where all batches are of one size."
    ),
    statuses=(Status.MANUAL,),
    foretells=("EMU-SHAPE-1",),
    before=(
        "def batches():\n"
        "    while True:\n"
        "        yield next_batch(32)\n"
        "model.fit(batches(), steps_per_epoch=100)"
    ),
)

_SEQUENCE = "tf2.keras.utils.Sequence"


@RULE.call("tf2.keras.Model.fit", "tf2.keras.Model.fit_generator")
@outside_tests
def report_generators(site: CallSite) -> Diagnoses:
    """Report a generator function, or a class of the project that is a Sequence."""
    name = "generator" if site.name.endswith("fit_generator") else "x"
    given = site.args.value(name)
    what = "" if given is None else _kind(site.file, given)
    if given is None or not what:
        return
    shown = site.file.brief(given, 40)
    yield RULE.manual(
        site,
        f"{site.callee} is given {shown}, {what}, whose batches have no known shape",
        todo=(
            f"Train on tf.data.Dataset.from_generator(lambda: {shown}, output_signature=...) with "
            "one tf.TensorSpec for each part of a batch, the batch size as its first dimension and "
            "no None among the others. Every batch must be full."
        ),
    )


def _kind(file: File, node: ast.expr) -> str:
    """A phrase for what makes batches in Python; empty for everything else."""
    values = file.resolver.infer(file.module, node)
    for value in values:
        if isinstance(value, Object):
            bases = file.resolver.external_bases(value.cls)
            if any(types.is_a(base, _SEQUENCE) for base in bases):
                return f"a Sequence ({value.cls.node.name})"
    call = backward.only_value(node) if isinstance(node, ast.Name) else node
    if isinstance(call, ast.Call):
        for value in file.resolver.infer(file.module, call.func):
            if isinstance(value, Function) and _yields(value.node):
                return "a generator"
    return ""


def _yields(function: ast.AST) -> bool:
    """Whether a function is a generator."""
    return any(
        isinstance(item, (ast.Yield, ast.YieldFrom)) and scope_of(item).node is function
        for item in ast.walk(function)
    )
