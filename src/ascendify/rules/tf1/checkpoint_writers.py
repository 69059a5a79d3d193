"""Checkpoints, models and event files that a training loop writes: rank 0 writes them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, ranks
from ascendify.rules.kit.statements import LOGGING
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import first_rank
from ascendify.rules.tf1 import _distributed, _training
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import is_inside, only_target
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TF1-CKPT-2",
    title="Let rank 0 write checkpoints and event files",
    why=(
        "Every rank is a process of its own and writes what the script says. Ranks that share a "
        "file system overwrite each other's checkpoints and mix their event files."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before=("train_op = opt.minimize(loss)\nsaver.save(sess, 'ckpt/model', global_step=step)"),
    after=(
        "train_op = opt.minimize(loss)\n"
        "if int(os.getenv('RANK_ID', '0')) == 0:\n"
        "    saver.save(sess, 'ckpt/model', global_step=step)"
    ),
    safety=(
        "With one rank RANK_ID is 0. All ranks hold the same weights. Writers of event files and "
        "sessions that save by themselves keep their folder on rank 0; every other rank gets one "
        "below it."
    ),
)

_SAVES = (
    "tf.train.Saver.save", "tf.keras.Model.save", "tf.keras.Model.save_weights",
    "tf.keras.models.save_model", "tf.train.write_graph", "tf.saved_model.simple_save",
)  # fmt: skip
_CALLBACKS = tuple(
    f"tf.keras.callbacks.{name}" for name in ("ModelCheckpoint", "TensorBoard", "CSVLogger")
)
_FOLDERS = {
    "tf.summary.FileWriter": "logdir",
    "tf.train.MonitoredTrainingSession": "checkpoint_dir",
    "tf.train.Supervisor": "logdir",
    "tf.contrib.slim.learning.train": "logdir",
    "tf.contrib.training.train": "logdir",
}
"""Calls that write by themselves, and the parameter for where."""


@RULE.call(*_SAVES)
@outside_tests
def guard_save(site: CallSite) -> Diagnoses:
    """``saver.save(...)`` as a statement, or its path in a variable that is only shown."""
    file = site.file
    if not _is_for_all(file, site.node, trained=site.name.startswith("tf.keras.")):
        return
    found = f"{site.callee} writes the same files from every rank"
    call: ast.Call = site.node
    target = only_target(site.statement)
    guarded = None
    if isinstance(parent(call), ast.Expr):
        guarded = first_rank.guard_statement(RULE, site, found)
    elif (
        isinstance(target, ast.Name)
        and call is getattr(site.statement, "value", None)
        and all(_is_shown(file, read) for read in reads(target))
    ):
        fix = site.fix()
        fix.wrap(call, "", f" if {ranks.rank(fix)} == 0 else None")
        guarded = RULE.auto(site, found, done="Ranks other than 0 write nothing.", fix=fix)
    yield guarded or first_rank.by_hand(RULE, site, found)


@RULE.call(*_CALLBACKS)
@outside_tests
def guard_callback(site: CallSite) -> Diagnoses:
    """A callback that writes files, in a list or in a statement that appends it."""
    if _is_for_all(site.file, site.node, trained=True):
        found = f"{site.callee} writes the same files from every rank"
        guarded = first_rank.guard_callback(RULE, site, found)
        yield from () if guarded is None else (guarded,)


@RULE.call(*_FOLDERS)
@outside_tests
def divide_folder(site: CallSite) -> Diagnoses:
    """A folder that event files or checkpoints of every rank would go to."""
    file = site.file
    folder = site.args.value(_FOLDERS[site.name])
    if folder is None or file.literal(folder) == (None,) or _distributed.is_for_rank(file, folder):
        return
    if not _is_for_all(file, site.node, trained=site.name != "tf.summary.FileWriter"):
        return
    fix = site.fix()
    function = _distributed.wrap_folder(fix, folder, site.node)
    yield RULE.auto(
        site,
        f"{site.callee} writes into {file.brief(folder)} from every rank",
        done=f"Gave ranks other than 0 a folder below it, with {function}().",
        fix=fix,
    )


def _is_for_all(file: File, node: ast.AST, trained: bool) -> bool:
    """Whether all ranks of a training job run a node; ``trained``: it is part of training."""
    return (
        _distributed.is_strategy_run(file)
        and ranks.all_reach(file, node)
        and (trained or _training.trains(file, node))
    )


def _is_shown(file: File, read: ast.expr) -> bool:
    """Whether a value is only printed or logged."""
    for ancestor in ancestors(read):
        if isinstance(ancestor, ast.stmt):
            return False
        if (
            isinstance(ancestor, ast.Call)
            and not is_inside(read, ancestor.func)
            and (file.name(ancestor.func) or "").startswith(LOGGING)
        ):
            return True
    return False
