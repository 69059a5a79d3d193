"""Operators whose result has a size that depends on the data: give it a fixed one, or report them.

The sum or mean of the elements that a mask chooses needs no tensor of these elements: the others
count nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, File, Rule, Status, names
from ascendify.rules.kit.names import of_either
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import host
from ascendify.rules.tf1 import _ctc, _dims
from ascendify.source.flow import backward
from ascendify.source.nodes import function_around, is_minus_one, last_name, root_name
from ascendify.source.scopes import parent

_MASKED = '''\
def {{name}}(tensor, mask):
{indent}"""The {reduced} of the elements of a tensor where a mask is true, without choosing them."""
{indent}tensor, mask = {tf}.convert_to_tensor(tensor), {tf}.cast(mask, {tf}.bool)
{indent}ones = {tf}.ones_like({tf}.shape(tensor)[mask.shape.ndims:])
{indent}mask = {tf}.reshape(mask, {tf}.concat([{tf}.shape(mask), ones], 0))
{indent}mask = {tf}.logical_and(mask, {tf}.ones_like(tensor, dtype={tf}.bool))
{indent}total = {tf}.reduce_sum({tf}.where(mask, tensor, {tf}.zeros_like(tensor)))'''
_SUM = "\n{indent}return total"
_MEAN = """
{indent}count = {tf}.reduce_sum({tf}.cast(mask, tensor.dtype))
{indent}return {tf}.truncatediv(total, count) if tensor.dtype.is_integer else total / count"""

RULE = Rule(
    code="TF1-SHAPE-1",
    title="Keep shapes independent of the data",
    why=(
        "The NPU compiles a graph for fixed shapes. A tensor whose size depends on the data is "
        "slow at best, and older releases cannot run the graph at all."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="loss = tf.reduce_mean(tf.boolean_mask(losses, mask))",
    after=(
        (_MASKED + _MEAN)
        .format(tf="tf", indent="    ", reduced="mean")
        .format(name="npu_masked_mean")
        + "\n\n\nloss = npu_masked_mean(losses, mask)"
    ),
)

_REDUCTIONS = {
    "tf.reduce_mean": ("mean", "npu_masked_mean", _MASKED + _MEAN),
    "tf.reduce_sum": ("sum", "npu_masked_sum", _MASKED + _SUM),
}
"""Reductions of all elements, and a function that computes each with a mask."""

_ON_HOST = "Or compute it on the host: in the input pipeline, or in NumPy after the step."
_MASK = (
    "Keep all elements and give the unwanted ones no weight: "
    "tf.reduce_sum(x * mask) / tf.maximum(tf.reduce_sum(mask), 1.0) for a mean, or "
    "tf.where(mask, x, tf.zeros_like(x)) for values."
)
_UNIQUE = (
    "Work with all elements, for example tf.unsorted_segment_sum with a fixed number of segments."
)
_PARTITION = (
    "Compute every part on all elements and choose with tf.where(tf.equal(partitions, i), x, 0)."
)
_NMS = (
    "Use tf.image.non_max_suppression_padded(..., pad_to_max_output_size=True): it gives a fixed "
    "number of indices and the number of valid ones."
)
_ALWAYS = {
    "tf.boolean_mask": _MASK,
    "tf.ragged.boolean_mask": _MASK,
    "tf.unique": _UNIQUE,
    "tf.unique_with_counts": _UNIQUE,
    "tf.sparse_retain": (
        "Keep all values and set those that are not wanted to 0: "
        "tf.SparseTensor(x.indices, tf.where(mask, x.values, tf.zeros_like(x.values)), "
        "x.dense_shape)."
    ),
    "tf.setdiff1d": "Mark the elements with a mask of the full size instead of taking them out.",
    "tf.dynamic_partition": _PARTITION,
    "tf.image.non_max_suppression": _NMS,
    "tf.image.non_max_suppression_overlaps": _NMS,
    "tf.image.non_max_suppression_with_scores": _NMS,
}
"""Operators whose result size always depends on the data -> what to do instead."""

_SHAPE_CALLS = ("shape", "get_shape", "size", "get_shape_list", "shape_list", "rank", "as_list")
"""Functions and attributes that give a shape, which is a constant where the shape is fixed."""


@RULE.call(*_ALWAYS)
@outside_tests
def report_data_dependent(site: CallSite) -> Diagnoses:
    """Operators that choose elements."""
    todo = _ALWAYS[of_either(site.name) or site.name]
    if site.name == "tf.boolean_mask" and _ctc.runs_on_release_1(site.file):
        fixed = _masked_reduction(site)
        if fixed is not None:
            yield fixed
            return
    yield from _report(site, "gives a tensor whose size depends on the data", todo)


@RULE.call("tf.where", "tf.where_v2", "tf.compat.v2.where")
@outside_tests
def report_where(site: CallSite) -> Diagnoses:
    """``tf.where`` with a condition alone."""
    if "x" in site.args or "y" in site.args or site.args.starred:
        return
    todo = (
        "Use tf.where with a condition and two values of the full size, or tf.math.top_k with a "
        "fixed k when positions are needed."
    )
    yield from _report(site, "with a condition alone gives as many positions as are true", todo)


@RULE.call("tf.image.non_max_suppression_padded")
@outside_tests
def report_padded_suppression(site: CallSite) -> Diagnoses:
    """The padded variant without the argument that makes it pad."""
    padded = site.args.value("pad_to_max_output_size")
    if site.args.starred or (padded is not None and site.file.literal(padded) != (False,)):
        return
    todo = "Add pad_to_max_output_size=True and use the second result, the number of valid boxes."
    yield from _report(site, "does not pad its result", todo, Effort.MINUTES)


@RULE.call("tf.sequence_mask")
@outside_tests
def report_sequence_mask(site: CallSite) -> Diagnoses:
    """A mask as long as the longest sequence."""
    longest = site.args.value("maxlen")
    if longest is None and site.args.starred:
        return
    if longest is not None and site.file.literal(longest) != (None,):
        return
    lengths = site.args.value("lengths")
    text = "lengths" if lengths is None else site.file.brief(lengths, 40)
    todo = f"Give the fixed length the sequences are padded to: tf.sequence_mask({text}, MAX_LEN)."
    yield from _report(
        site, "without maxlen is as long as the longest sequence of the batch", todo, Effort.MINUTES
    )


@RULE.call("tf.range")
@outside_tests
def report_range(site: CallSite) -> Diagnoses:
    """A range that ends at a computed number."""
    ends = [item.value for item in site.args if item.name in ("start", "limit", "delta")]
    if not any(_is_computed(site.file, item) for item in ends):
        return
    todo = "Count to a fixed maximum and mask what lies beyond the computed number."
    yield from _report(site, "ends at a number that the graph computes", todo)


@RULE.call("tf.reshape")
@outside_tests
def report_reshape(site: CallSite) -> Diagnoses:
    """A reshape with two dimensions that are only known when it runs."""
    shape = site.args.value("shape")
    written = None if shape is None else _dims.dimensions(site.file, shape)
    if not written:
        return
    open_ = [item for item in written if is_minus_one(item)]
    computed = [item for item in written if _is_computed(site.file, item)]
    if len(open_) + len(computed) < 2 or not computed:
        return
    text = site.file.brief(computed[0], 40)
    todo = f"Use a number that is known when the graph is built in place of {text}."
    yield from _report(site, "leaves two or more dimensions open", todo, Effort.MINUTES)


def _masked_reduction(site: CallSite) -> Diagnosis | None:
    """Compute the sum or mean of what a mask chooses with tensors of fixed size."""
    file, around = site.file, parent(site.node)
    if isinstance(around, ast.keyword):
        around = parent(around)
    if not isinstance(around, ast.Call) or host.may_run_on_host(file, site.node):
        return None
    known = _REDUCTIONS.get(file.name(around.func) or "")
    if known is None or not _takes_only(around, site.node):
        return None
    values = [site.args.value(name) for name in ("tensor", "mask")]
    axis = site.args.value("axis")
    if None in values or site.args.starred or "#" in file.text(around):
        return None
    if axis is not None and file.literal(axis) not in ((None,), (0,)):
        return None
    reduced, name, text = known
    fix = site.fix()
    tensorflow = names.tensorflow(fix, around)
    code = text.format(tf=tensorflow, indent=fix.indent_unit, reduced=reduced)
    function = fix.define(code, name, site.node)
    arguments = ", ".join(file.text(value) for value in values if value is not None)
    fix.replace(around, f"{function}({arguments})")
    return RULE.auto(
        site,
        f"{site.callee} gives a tensor whose size depends on the data, for its {reduced}",
        done=f"Called {function}(), which computes the same {reduced} with tensors of fixed size.",
        fix=fix,
    )


def _takes_only(call: ast.Call, value: ast.expr) -> bool:
    """Whether a reduction gets a value and nothing else that changes its result."""
    given = [*call.args, *(item.value for item in call.keywords if item.arg != "name")]
    return given == [value] and not any(item.arg is None for item in call.keywords)


def _report(site: CallSite, what: str, todo: str, effort: Effort = Effort.HOURS) -> Diagnoses:
    """The finding, unless the place runs on the host; a possible one where it may."""
    if host.runs_on_host(site.file, site.node) or _runs_alone(site):
        return
    found = f"{site.callee} {what}"
    if site.name.startswith("tf2."):
        effort = Effort.MINUTES  # npu_device runs it as it is, with dynamic shapes
    cause = f"{site.path} {site.name}"
    diagnosis = RULE.manual(site, found, todo=f"{todo} {_ON_HOST}", effort=effort, cause=cause)
    if host.may_run_on_host(site.file, site.node):
        diagnosis = diagnosis.as_possible()
    yield diagnosis


def _runs_alone(site: CallSite) -> bool:
    """Whether an operator runs by itself, part of no graph: outside of functions, eagerly."""
    return site.name.startswith("tf2.") and function_around(site.node) is None


def _is_computed(file: File, node: ast.expr, depth: int = 4) -> bool:
    """Whether an expression is a tensor that the graph computes from more than shapes.

    Only calls of imported functions and assigned values are looked at: most dimensions are plain
    numbers, and full inference of each of them is slow.
    """
    if isinstance(node, ast.Call):
        return _gives_tensor(file, node) and not any(
            last_name(item.func if isinstance(item, ast.Call) else item) in _SHAPE_CALLS
            for item in _origins(node)
        )
    if isinstance(node, ast.Subscript):
        return _is_computed(file, node.value, depth)
    if isinstance(node, ast.BinOp):
        return any(_is_computed(file, side, depth) for side in (node.left, node.right))
    if isinstance(node, ast.Name) and depth:
        given = backward.only_value(node)
        return given is not None and _is_computed(file, given, depth - 1)
    return False


def _gives_tensor(file: File, call: ast.Call) -> bool:
    root = root_name(call.func)
    bindings = [] if root is None else backward.bindings(root)
    if not bindings or any(item.kind != "import" for item in bindings):
        return False
    name = file.name(call.func)
    if name is None or of_either(name) == "tf.constant":
        return False
    return of_either(types.returns(name)) == "tf.Tensor"


def _origins(node: ast.expr, depth: int = 4) -> Iterator[ast.AST]:
    """The parts of an expression, and of the values of its variables."""
    for item in ast.walk(node):
        yield item
        if isinstance(item, ast.Name) and depth:
            given = backward.only_value(item)
            if given is not None:
                yield from _origins(given, depth - 1)
