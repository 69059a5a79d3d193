"""Programs with graphs and sessions of compat.v1: the adapter for sessions is switched on."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf2 import _program
from ascendify.source.nodes import function_around, position
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TF2-V1-1",
    title="Switch the adapter for sessions on",
    why=(
        "Graphs and sessions of tf.compat.v1 reach the NPU through npu_device.compat, which "
        "npu_device.compat.enable_v1() loads; it calls tf.compat.v1.disable_v2_behavior() too. "
        "npu_device.open() is for eager code and must not be called in the same process."
    ),
    statuses=(Status.AUTO,),
    before="sess = tf.compat.v1.Session()\nsess.run(train_op)",
    after="npu_device.compat.enable_v1()\nsess = tf.compat.v1.Session()\nsess.run(train_op)",
    safety=(
        "A program that joins the ranks with init_resource() has the switch behind that call, as "
        "in the vendor's guide for Horovod, if eager execution is off by then: init_resource() "
        "runs a graph. Otherwise the switch, which turns it off, comes first."
    ),
)

_JOINS = ("horovod.tensorflow.init", "npu.init_resource")
_SWITCHES = _program.GRAPH_SWITCHES


@RULE.file
def enable(file: File) -> Diagnoses:
    """Insert the switch behind the imports of a file that is run."""
    if not _program.is_run(file) or not _program.runs_sessions(file) or _program.is_opened(file):
        return
    fix = file.fix()
    line = f"{fix.use('npu_device')}.compat.enable_v1()"
    joining = _joining(file)
    if joining is not None:
        fix.insert_after(joining, line)
        yield RULE.auto(
            file.at(joining),
            f"{file.path} runs sessions of compat.v1, and nothing switches them to the NPU",
            done="Called npu_device.compat.enable_v1() when the ranks are joined.",
            fix=fix,
        )
        return
    body = file.module.tree.body
    behind = [item for item in _leading(file, body) if _program.is_before(file, item)]
    first = next((item for item in body if item not in behind), None)
    if first is None:
        return
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


def _joining(file: File) -> ast.stmt | None:
    """The statement that joins the ranks, where eager execution is off before it runs."""
    joins = list(file.calls(*_JOINS))
    if len(joins) != 1:
        return None
    joining = statement(joins[0].node)
    owner = function_around(joining)
    is_unconditional = parent(joining) is (file.module.tree if owner is None else owner)
    switched = any(_is_before(switch.node, joining) for switch in file.calls(*_SWITCHES))
    return joining if is_unconditional and switched else None


def _is_before(switch: ast.Call, joining: ast.stmt) -> bool:
    """Whether a switch runs before a statement: module level runs before functions."""
    around, owner = function_around(switch), function_around(joining)
    if around is None and owner is not None:
        return True
    return around is owner and position(switch) < position(joining)
