"""Checkpoints, exports and event files of training on several devices: rank 0 writes them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, ranks
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import first_rank
from ascendify.rules.tf2 import _ranks
from ascendify.source.scopes import parent

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
    """``checkpoint.save(...)`` as a whole statement, or for a path that messages show."""
    if not _is_for_all(site.file, site.node):
        return
    found = f"{site.callee} writes the same files from every rank"
    guarded = None
    if isinstance(parent(site.node), ast.Expr):
        guarded = first_rank.guard_statement(RULE, site, found)
    else:
        guarded = first_rank.guard_value(RULE, site, found)
    yield guarded or first_rank.by_hand(RULE, site, found)


@RULE.call(*_CALLBACKS)
@outside_tests
def guard_callback(site: CallSite) -> Diagnoses:
    """A callback that writes files, in a list or in a statement that appends it."""
    if _is_for_all(site.file, site.node):
        found = f"{site.callee} writes the same files from every rank"
        guarded = first_rank.guard_callback(RULE, site, found)
        yield from () if guarded is None else (guarded,)


@RULE.call(_WRITER)
@outside_tests
def guard_writer(site: CallSite) -> Diagnoses:
    """A writer of event files; other ranks than 0 get one that writes nothing."""
    file = site.file
    func = site.node.func
    if not _is_for_all(file, site.node):
        return
    found = f"{site.callee} writes event files from every rank"
    if not isinstance(func, ast.Attribute) or not isinstance(parent(site.node), ast.Assign):
        yield first_rank.by_hand(RULE, site, found)
        return
    fix = site.fix()
    empty = f"{file.text(func.value)}.create_noop_writer()"
    fix.wrap(site.node, "", f" if {ranks.rank(fix)} == 0 else {empty}")
    yield RULE.auto(site, found, done="Ranks other than 0 write nothing.", fix=fix)


def _is_for_all(file: File, node: ast.AST) -> bool:
    """Whether all ranks of a job run a node."""
    return _ranks.is_strategy_run(file) and ranks.all_reach(file, node)
