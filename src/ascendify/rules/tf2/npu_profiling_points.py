"""Ported code: profiling options that name operators of one trace."""

from __future__ import annotations

import ast
import json

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.source.nodes import string

RULE = Rule(
    code="TF2-NPU-2",
    title="Do not name operators in profiling options",
    why=(
        "fp_point and bp_point name operators of one compiled graph. Their names change with the "
        "model, its layers and the release, and of another model they match nothing; left empty, "
        "the profiler finds both itself."
    ),
    statuses=(Status.AUTO,),
    before=(
        "npu_device.global_options().profiling_config.profiling_options = ("
        '\'{"output": "/tmp", "fp_point": "resnet/conv1", "bp_point": ""}\')'
    ),
    after=(
        "npu_device.global_options().profiling_config.profiling_options = ("
        '\'{"output": "/tmp", "fp_point": "", "bp_point": ""}\')'
    ),
)

_POINTS = ("fp_point", "bp_point")


@RULE.file
def empty_points(file: File) -> Diagnoses:
    """Report texts of profiling options that name such a point."""
    text = file.module.source.text
    if not any(point in text for point in _POINTS) or "npu_device" not in text:
        return
    for node in file.module.index.of(ast.Constant):
        options = string(node) or ""
        if any(point in options for point in _POINTS):
            yield from _empty(file, node, options)


def _empty(file: File, node: ast.Constant, text: str) -> Diagnoses:
    try:
        options = json.loads(text)
    except ValueError:
        return  # a part of a text, or a text without options
    named = {point: options[point] for point in _POINTS if options.get(point)}
    written = file.text(node)
    replaced = written
    for point, name in named.items():
        for quote in ('"', '\\"'):
            for space in (" ", ""):
                old = f"{quote}{point}{quote}:{space}{quote}{name}{quote}"
                replaced = replaced.replace(old, f"{quote}{point}{quote}:{space}{quote}{quote}")
    if not named or replaced == written:
        return
    fix = file.fix()
    fix.replace(node, replaced)
    points = " and ".join(f"{point} {name}" for point, name in named.items())
    yield RULE.auto(
        file.at(node),
        f"the profiling options name operators of one trace: {points}",
        done="Left them to the profiler.",
        fix=fix,
    )
