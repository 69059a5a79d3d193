"""Checkpoints, exports and event files of training on several devices: rank 0 writes them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Status, ranks
from ascendify.rules.kit.tests import outside_tests
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
    """``checkpoint.save(...)`` as a statement of its own."""
    file = site.file
    if not _is_for_all(file, site.node):
        return
    found = f"{site.callee} writes the same files from every rank"
    fix = site.fix()
    if isinstance(parent(site.node), ast.Expr) and ranks.guard(file, fix, site.statement):
        done = f"Put it under `if {ranks.rank(fix)} == 0:`."
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
        fix.wrap(site.node, "*([", f"] if {ranks.rank(fix)} == 0 else [])")
        yield RULE.auto(site, found, done="Left it out on all ranks but rank 0.", fix=fix)
    elif ranks.is_appended(site.node) and ranks.guard(file, fix, site.statement):
        done = f"Put it under `if {ranks.rank(fix)} == 0:`."
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
    fix.wrap(site.node, "", f" if {ranks.rank(fix)} == 0 else {empty}")
    yield RULE.auto(site, found, done="Ranks other than 0 write nothing.", fix=fix)


def _by_hand(site: CallSite, found: str) -> Diagnosis:
    return RULE.manual(
        site, found, todo="Do it on rank 0 only: under `if int(os.getenv('RANK_ID', '0')) == 0:`."
    )


def _is_for_all(file: File, node: ast.AST) -> bool:
    """Whether all ranks of a job of several come by."""
    return _ranks.is_strategy_run(file) and ranks.all_reach(file, node)
