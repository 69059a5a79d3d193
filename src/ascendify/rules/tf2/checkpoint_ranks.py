"""Checkpoints, exports and event files of training on several devices: rank 0 writes them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _ranks
from ascendify.source.nodes import block_of, function_around
from ascendify.source.scopes import ancestors, parent, statement

RULE = Rule(
    code="TF2-CKPT-1",
    title="Let one rank write checkpoints and event files",
    why=(
        "Every rank is a process of its own and writes what the script says. Ranks that share a "
        "file system overwrite each other's checkpoints and mix their event files."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="checkpoint.save('ckpt/model')",
    after="if int(os.getenv('RANK_ID', '0')) == 0:\n    checkpoint.save('ckpt/model')",
    safety=(
        "With one rank RANK_ID is 0. All ranks hold the same weights; metrics in the files are "
        "those of rank 0."
    ),
)

_SAVES = (
    "tf2.train.Checkpoint.save", "tf2.train.Checkpoint.write", "tf2.train.CheckpointManager.save",
    "tf2.keras.Model.save", "tf2.keras.Model.save_weights", "tf2.keras.models.save_model",
    "tf2.saved_model.save",
)  # fmt: skip
_CALLBACKS = tuple(
    f"tf2.keras.callbacks.{name}" for name in ("ModelCheckpoint", "TensorBoard", "CSVLogger")
)
_WRITER = "tf2.summary.create_file_writer"


@RULE.call(*_SAVES)
@outside_tests
def guard_save(site: CallSite) -> Diagnoses:
    """``checkpoint.save(...)`` as a statement of its own."""
    file = site.file
    if not _is_for_all(file, site.node):
        return
    found = f"{site.callee} writes the same files from every rank"
    fix = site.fix()
    if isinstance(parent(site.node), ast.Expr) and _guard(file, fix, site.statement):
        done = f"Put it under `if {_ranks.rank(fix)} == 0:`."
        yield RULE.auto(site, found, done=done, fix=fix)
    else:
        yield _by_hand(site, found)


@RULE.call(*_CALLBACKS)
@outside_tests
def guard_callback(site: CallSite) -> Diagnoses:
    """A callback that writes files, in a list or in a statement that appends it."""
    file, owner = site.file, parent(site.node)
    if not _is_for_all(file, site.node):
        return
    found = f"{site.callee} writes the same files from every rank"
    fix = site.fix()
    if isinstance(owner, ast.List):
        fix.wrap(site.node, "*([", f"] if {_ranks.rank(fix)} == 0 else [])")
        yield RULE.auto(site, found, done="Left it out on all ranks but rank 0.", fix=fix)
    elif _is_appended(site.node) and _guard(file, fix, site.statement):
        done = f"Put it under `if {_ranks.rank(fix)} == 0:`."
        yield RULE.auto(site, found, done=done, fix=fix)
    else:
        name = getattr(getattr(site.statement, "targets", [None])[0], "id", "it")
        yield RULE.manual(
            site,
            found,
            todo=(
                f"Give fit() {name} on rank 0 only: callbacks = callbacks + [{name}] if "
                "int(os.getenv('RANK_ID', '0')) == 0 else callbacks."
            ),
        )


@RULE.call(_WRITER)
@outside_tests
def guard_writer(site: CallSite) -> Diagnoses:
    """A writer of event files; the other ranks get one that writes nothing."""
    file = site.file
    func = site.node.func
    if not _is_for_all(file, site.node):
        return
    found = f"{site.callee} writes event files from every rank"
    if not isinstance(func, ast.Attribute) or not isinstance(parent(site.node), ast.Assign):
        yield _by_hand(site, found)
        return
    fix = site.fix()
    empty = f"{file.text(func.value)}.create_noop_writer()"
    fix.wrap(site.node, "", f" if {_ranks.rank(fix)} == 0 else {empty}")
    yield RULE.auto(site, found, done="Ranks other than 0 write nothing.", fix=fix)


def _by_hand(site: CallSite, found: str) -> Diagnosis:
    return RULE.manual(
        site, found, todo="Do it on rank 0 only: under `if int(os.getenv('RANK_ID', '0')) == 0:`."
    )


def _is_for_all(file: File, node: ast.AST) -> bool:
    """Whether all ranks of a job of several come by."""
    if not _ranks.is_strategy_run(file) or _ranks.is_for_one_rank(file, node):
        return False
    function = function_around(node)
    return not any(_ranks.RANK.search(file.text(test)) for test in _exits(function, node))


def _exits(function: ast.AST | None, node: ast.AST) -> list[ast.expr]:
    """Tests of a function that leave it before a node is reached: ``if rank != 0: return``."""
    return [
        item.test
        for item in ([] if function is None else ast.walk(function))
        if isinstance(item, ast.If)
        and item.lineno < getattr(node, "lineno", 0)
        and any(isinstance(part, (ast.Return, ast.Raise, ast.Continue)) for part in item.body)
    ]


def _is_appended(node: ast.AST) -> bool:
    """``callbacks.append(ModelCheckpoint(...))``."""
    call = parent(node)
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(parent(call), ast.Expr)
    )


def _guard(file: File, fix: Fix, target: ast.stmt) -> bool:
    """Put a statement under a test for rank 0; False where it shares its lines."""
    source, module = file.module.source, file.module
    first, last = target.lineno, target.end_lineno or target.lineno
    indent = module.indent(target)
    line = source.line(first)
    alone = line.startswith(indent) and module.start(target) == source.line_starts[first - 1] + len(
        indent
    )
    after = source.line(last)[module.end(target) - source.line_starts[last - 1] :].lstrip()
    in_strings = any(
        isinstance(item, (ast.Constant, ast.JoinedStr)) and item.end_lineno != item.lineno
        for item in ast.walk(target)
    )
    shares = any(
        item is not target and item.lineno == first for item in block_of(statement(target))
    )
    if not alone or after.startswith(";") or in_strings or shares or _is_in_line(target):
        return False
    unit = fix.indent_unit
    start = module.start(target)
    test = f"if {_ranks.rank(fix)} == 0:{source.newline}{indent}{unit}"
    fix.replace_range(start, start, test)
    for number in range(first + 1, last + 1):
        at = source.line_starts[number - 1]
        if source.line(number).strip():
            fix.replace_range(at, at, unit)
    return True


def _is_in_line(target: ast.stmt) -> bool:
    """``if done: save()``: a statement on the line of another one."""
    return any(
        isinstance(item, ast.stmt) and item.lineno == target.lineno for item in ancestors(target)
    )
