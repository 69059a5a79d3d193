"""Inputs: report 64-bit floating point that reaches the network."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import datasets, dtypes
from ascendify.rules.tf1 import _numpy
from ascendify.source.nodes import functions_around, last_name
from ascendify.source.values import Function

RULE = Rule(
    code="TF1-DATA-8",
    title="Feed float32 instead of float64",
    why=(
        "The network cannot hold float64 on an NPU, and NumPy makes float64 wherever no other type "
        "is given."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="x = np.random.rand(100, 8)\ndataset = tf.data.Dataset.from_tensor_slices(x)",
    after=(
        "x = np.random.rand(100, 8)\n"
        "dataset = tf.data.Dataset.from_tensor_slices(x.astype('float32'))"
    ),
    safety=(
        "The network computes with half of the digits, as it must on an NPU. What names float64 "
        "itself is left to the person."
    ),
)

_CASTS = frozenset({"cast", "to_float", "astype", "convert_image_dtype", "to_bfloat16"})
_NAMED = re.compile(r"float64|\btf\.double\b")
"""A program that names the type may mean it."""
_ARRAYS = {
    "tf.data.Dataset.from_tensor_slices": "tensors",
    "tf.data.Dataset.from_tensors": "tensors",
    "tf.estimator.inputs.numpy_input_fn": "x",
}


@RULE.call("tf.data.Dataset.from_generator")
@outside_tests
def report_generator(site: CallSite) -> Diagnoses:
    """A generator that yields 64-bit floats."""
    types = site.args.value("output_types")
    if types is None or _is_cast_later(site):
        return
    for node in ast.walk(types):
        if isinstance(node, ast.expr) and dtypes.named(site.file, node) == "float64":
            yield RULE.manual(
                site.at(node),
                f"{datasets.spelled(site.file, site.node)} yields {site.file.brief(node)}",
                todo="Yield tf.float32: x.astype(np.float32) in the generator.",
            )


@RULE.call("tf.decode_raw")
@outside_tests
def report_records(site: CallSite) -> Diagnoses:
    """Records of 64-bit floats that are not converted."""
    dtype = site.args.value("out_type")
    if dtype is None or dtypes.named(site.file, dtype) != "float64" or _is_cast_later(site):
        return
    yield RULE.manual(
        site,
        f"{site.callee} reads float64 records",
        todo="Cast right after reading: tf.cast(..., tf.float32).",
    )


@RULE.call(*_ARRAYS)
@outside_tests
def convert_arrays(site: CallSite) -> Diagnoses:
    """NumPy arrays of 64-bit floats that a dataset is made of."""
    data = site.args.value(_ARRAYS[site.name])
    if data is None or _is_cast_later(site):
        return
    for part in _parts(data):
        if _numpy.is_double(site.file, part):
            text = site.file.brief(part, 40)
            found = f"{text} is a float64 array and becomes the input of the network"
            if _NAMED.search(site.file.module.source.text) or site.name.endswith("from_tensors"):
                name = text if text.isidentifier() else f"({text})"
                todo = f"Convert it first: {name}.astype(np.float32)."
                yield RULE.manual(site.at(part), found, todo=todo)
                continue
            fix = site.fix()
            fix.replace(part, f"{fix.operand(part)}.astype('float32')")
            yield RULE.auto_check(
                site.at(part),
                found,
                done="Converted it to float32.",
                todo="The network then computes with float32; check code that expects float64.",
                fix=fix,
            )


def _parts(data: ast.expr) -> Iterator[ast.expr]:
    """The arrays in a nested structure."""
    if isinstance(data, (ast.Tuple, ast.List)):
        for item in data.elts:
            yield from _parts(item)
    elif isinstance(data, ast.Dict):
        for item in data.values:
            yield from _parts(item)
    else:
        yield data


def _is_cast_later(site: CallSite) -> bool:
    """Whether the function around, or one that it passes to ``Dataset.map``, converts a type.

    A whole file converts for many reasons, such as an accuracy: there only what is mapped counts.
    """
    tree = site.file.module.tree
    scope: ast.AST = next(functions_around(site.node), tree)
    return any(_casts(item) for item in _bodies(site.file, scope) if item is not tree)


def _bodies(file: File, scope: ast.AST) -> Iterator[ast.AST]:
    yield scope
    for call in ast.walk(scope):
        if isinstance(call, ast.Call) and last_name(call.func) in ("map", "map_and_batch"):
            for given in call.args[:1]:
                for value in file.resolver.infer(file.module, given):
                    if isinstance(value, Function):
                        yield value.node


def _casts(body: ast.AST) -> bool:
    return any(
        isinstance(item, ast.Call)
        and isinstance(item.func, ast.Attribute)
        and item.func.attr in _CASTS
        for item in ast.walk(body)
    )
