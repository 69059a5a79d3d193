"""Checks for a GPU: remove those that stop the program, report those that choose a branch."""

from __future__ import annotations

import ast

from ascendify.rules.kit import (
    Diagnoses,
    Diagnosis,
    File,
    Fix,
    Rule,
    Site,
    Status,
    fixes,
    once,
    removal,
)
from ascendify.rules.kit.statements import calls_only
from ascendify.rules.tf1 import _gpu_presence
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors, parent, statement

RULE = Rule(
    code="TF1-GPU-5",
    title="Do not make the program depend on a GPU",
    why=(
        "An NPU is not one of TensorFlow's devices: lists of GPUs are empty and "
        "tf.test.is_gpu_available() is False, so a check stops the program and a choice falls to "
        "the CPU's branch."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "assert len(gpus) > 0, 'no GPU'\nlayout = 'NCHW' if tf.test.is_gpu_available() else 'NHWC'"
    ),
    after="layout = 'NCHW'",
    safety=(
        "Where the check chose a data layout, the accelerator's choice is kept. Both "
        "layouts run on an NPU; channels_first does not run on a CPU."
    ),
    framework="tensorflow",
)

_EXITS = ("sys.exit", "builtins.exit", "builtins.quit", "os._exit", "os.abort")
_LAYOUTS = frozenset({"channels_first", "channels_last", "NCHW", "NHWC", "nchw", "nhwc"})
_SKIPS = ("skipIf", "skipUnless", "skipTest")


@RULE.file
def remove_guards(file: File) -> Diagnoses:
    """``assert`` and ``if`` statements that only check for a GPU."""
    if "gpu" not in file.module.source.text.lower() and "cuda" not in file.module.source.text:
        return
    for check in file.module.index.of(ast.Assert):
        if _gpu_presence.presence(file, check.test) is True:
            yield _without(file, check, "stops the program where TensorFlow sees no GPU")
    for condition in file.module.index.of(ast.If):
        if not removal.is_elif(file, condition):
            yield from _guard(file, condition)


def _guard(file: File, node: ast.If) -> Diagnoses:
    found = "stops the program where TensorFlow sees no GPU"
    stops = _stops(file, node.body) and not node.orelse
    stops_else = bool(node.orelse) and _stops(file, node.orelse)
    if not stops and not stops_else:
        return
    presence = _gpu_presence.presence(file, node.test)
    if stops and presence is False:
        yield _without(file, node, found)
    elif stops_else and presence is True:
        fix = fixes.replacing(file, node.test, "True")
        found = f"if {file.brief(node.test)} {found}"
        done = "Replaced the condition by True."
        yield RULE.auto(file.at(node.test), found, done=done, fix=fix)


@RULE.reference(*_gpu_presence.TESTS)
def choose_branch(site: Site) -> Diagnoses:
    """``tf.test.is_gpu_available()`` where it does more than stop the program."""
    file, call = site.file, site.parent
    if not (isinstance(call, ast.Call) and call.func is site.node) or _is_settled(file, call):
        return
    if _chooses_layout(call):
        fix, kept = _choose(file, call)
        yield RULE.auto_check(
            site.at(call),
            f"{file.brief(call)} chooses a data layout and is False on an NPU",
            done=f"Kept the accelerator's layout: {kept}.",
            todo=(
                "Both layouts run on an NPU. To run the program on a CPU as well, choose "
                "channels_last (NHWC)."
            ),
            fix=fix,
        )
        return
    lines = [
        other.node.lineno
        for other in file.calls(*_gpu_presence.TESTS)
        if not _is_settled(file, other.node) and not _chooses_layout(other.node)
    ]
    if lines and lines[0] != call.lineno:
        return
    yield RULE.manual(
        site.at(call),
        f"{file.brief(call)} is False on an NPU, so the program takes its CPU branch"
        f"{once.words(lines[1:])}",
        todo=(
            "Read both branches: keep the call where the GPU branch uses CUDA kernels or GPU "
            "devices, replace it by True where it is the branch for accelerators."
        ),
    )


def _choose(file: File, call: ast.Call) -> tuple[Fix, str]:
    """Keep the accelerator's side of a choice; the condition of a statement becomes True."""
    around = parent(call)
    if isinstance(around, ast.IfExp):
        kept = file.text(around.body)
        return fixes.replacing(file, around, kept), kept
    return fixes.replacing(file, call, "True"), f"replaced {file.brief(call)} by True"


def _is_settled(file: File, call: ast.Call) -> bool:
    """Whether a check needs no finding: part of a guard, of a skipped test, or of a message."""
    return is_in_guard(file, call) or _in_test_skip(call) or _only_reports(file, call)


def _without(file: File, node: ast.Assert | ast.If, found: str) -> Diagnosis:
    fix = file.fix()
    removal.remove(file, fix, node, lambda item: item is node)
    word = "assert" if isinstance(node, ast.Assert) else "if"
    return RULE.auto(
        file.at(node),
        f"{word} {file.brief(node.test)} {found}",
        done=f"Removed the {'assertion' if word == 'assert' else 'check'}.",
        fix=fix,
    )


def _stops(file: File, block: list[ast.stmt]) -> bool:
    """Whether a block does nothing but report and end the program."""
    *before, last = block
    if not all(calls_only(file, item) for item in before):
        return False
    return isinstance(last, ast.Raise) or calls_only(file, last, _EXITS)


def is_in_guard(file: File, node: ast.AST) -> bool:
    """Whether this expression is part of a guard that is removed as a whole."""
    owner = statement(node)
    if isinstance(owner, ast.Assert):
        return _gpu_presence.presence(file, owner.test) is True
    if isinstance(owner, ast.If) and not removal.is_elif(file, owner):
        inside = any(part is node for part in ast.walk(owner.test))
        return inside and any(True for _ in _guard(file, owner))
    return False


def _only_reports(file: File, call: ast.Call) -> bool:
    """``if tf.test.is_gpu_available() and ...:`` around nothing but a message."""
    owner = statement(call)
    return (
        isinstance(owner, ast.If)
        and not owner.orelse
        and any(part is call for part in ast.walk(owner.test))
        and all(calls_only(file, item) for item in owner.body)
    )


def _in_test_skip(call: ast.Call) -> bool:
    """``@unittest.skipUnless(tf.test.is_built_with_cuda(), 'requires GPU')``."""
    return any(
        isinstance(item, ast.Call) and last_name(item.func) in _SKIPS for item in ancestors(call)
    )


def _chooses_layout(call: ast.Call) -> bool:
    """Whether the result only chooses between data layouts."""
    owner: ast.AST = parent(call)
    if isinstance(owner, ast.IfExp) and owner.test is call:
        return all(_is_layout(item) for item in (owner.body, owner.orelse))
    if isinstance(owner, ast.If) and owner.test is call and owner.orelse:
        block = [*owner.body, *owner.orelse]
        return all(isinstance(item, ast.Assign) and _is_layout(item.value) for item in block)
    return False


def _is_layout(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in _LAYOUTS
