"""Padded batches: report padding whose size differs from batch to batch."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import datasets
from ascendify.rules.tf1 import _dims
from ascendify.source.flow import backward

RULE = Rule(
    code="TF1-DATA-9",
    title="Pad batches to one fixed size",
    why=(
        "Padding to the longest sample of a batch gives batches of many shapes. Each new shape is "
        "compiled anew, which takes minutes."
    ),
    statuses=(Status.MANUAL,),
    before="dataset = dataset.padded_batch(32, padded_shapes=([None], []), drop_remainder=True)",
)


@RULE.call("tf.data.Dataset.padded_batch", "tf.contrib.data.padded_batch_and_drop_remainder")
@outside_tests
def report_open_padding(site: CallSite) -> Diagnoses:
    """Padded shapes with an open dimension."""
    shapes = site.args.value("padded_shapes")
    if shapes is None:
        return
    text = site.file.brief(shapes)
    if isinstance(shapes, ast.Name):
        shapes = backward.only_value(shapes) or shapes
    if _is_taken_from_dataset(shapes):
        why = f"takes its padded shapes from the dataset ({text}), where they are open"
    elif _dims.has_open(site.file, shapes):
        why = f"pads to the longest sample of each batch ({text})"
    else:
        return
    yield RULE.manual(
        site,
        f"{datasets.spelled(site.file, site.node)} {why}",
        todo=(
            "Put the maximum length in place of each None or -1 of padded_shapes, and cut longer "
            "samples to it in a map before (x[:MAX_LEN])."
        ),
        cause=site.path,
    )


@RULE.call(
    "tf.data.experimental.bucket_by_sequence_length", "tf.contrib.data.bucket_by_sequence_length"
)
@outside_tests
def report_buckets(site: CallSite) -> Diagnoses:
    """Buckets, whose batches have one shape per bucket at best."""
    boundary = site.args.value("pad_to_bucket_boundary")
    padded = boundary is not None and site.file.literal(boundary) == (True,)
    if padded:
        what = "gives batches of one shape per bucket"
        todo = (
            "Keep the number of buckets small, since each shape is compiled once and kept, or pad "
            "to one maximum length with padded_batch."
        )
    else:
        what = "pads to the longest sample of each batch"
        todo = (
            "Set pad_to_bucket_boundary=True, add the maximum length as the last boundary and drop "
            "longer samples with filter; or pad to one maximum length with padded_batch."
        )
    call = datasets.spelled(site.file, site.node)
    yield RULE.manual(site, f"{call} {what}", todo=todo)


@RULE.call("tf.data.experimental.group_by_window", "tf.contrib.data.group_by_window")
@outside_tests
def report_windows(site: CallSite) -> Diagnoses:
    """Windows, the last of which may be smaller."""
    yield RULE.manual(
        site,
        f"{datasets.spelled(site.file, site.node)} gives windows whose last one may be smaller",
        todo=(
            "Batch inside the reduce function with drop_remainder=True and, when samples differ in "
            "length, padded_batch with fixed padded_shapes."
        ),
    )


def _is_taken_from_dataset(node: ast.expr) -> bool:
    """``dataset.output_shapes`` or ``tf.data.get_output_shapes(dataset)``."""
    if isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Attribute) and node.attr in (
        "output_shapes",
        "get_output_shapes",
        "get_legacy_output_shapes",
    )
