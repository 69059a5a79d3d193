"""Programs with graphs and sessions of compat.v1: the adapter for sessions is switched on."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf2 import _program

RULE = Rule(
    code="TF2-V1-1",
    title="Switch the adapter for sessions on",
    why=(
        "Graphs and sessions of tf.compat.v1 reach the NPU through npu_device.compat, which "
        "npu_device.compat.enable_v1() loads; it calls tf.compat.v1.disable_v2_behavior() too. "
        "npu_device.open() is for eager code and must not be called in the same process."
    ),
    statuses=(Status.AUTO,),
    before="sess = tf.compat.v1.Session()",
    after="npu_device.compat.enable_v1()\nsess = tf.compat.v1.Session()",
)


@RULE.file
def enable(file: File) -> Diagnoses:
    """Insert the switch behind the imports of a file that is run."""
    if not _program.is_run(file) or not _program.runs_sessions(file) or _program.is_opened(file):
        return
    body = file.module.tree.body
    behind = [item for item in _leading(file, body) if _program.is_before(file, item)]
    first = next((item for item in body if item not in behind), None)
    if first is None:
        return
    fix = file.fix()
    line = f"{fix.use('npu_device')}.compat.enable_v1()"
    if behind:
        fix.insert_after(behind[-1], f"\n{line}")
    else:
        fix.insert_before(first, line)
    yield RULE.auto(
        file.at(_program.first_session(file) or first),
        f"{file.path} runs sessions of compat.v1, and nothing switches them to the NPU",
        done="Called npu_device.compat.enable_v1() behind the imports.",
        fix=fix,
    )


def _leading(file: File, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements before the first that does something with TensorFlow."""
    found: list[ast.stmt] = []
    for item in body:
        if _program.begins(file, item):
            break
        found.append(item)
    return found
