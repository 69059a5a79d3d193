"""Data that Keras puts into batches itself, with no option to drop the last one."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Argument, CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow.purposes import Purpose, purpose, said
from ascendify.rules.tf2 import _data
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import (
    assigned_name,
    block_of,
    function_around,
    is_literal,
    keyword_value,
    last_name,
    string,
)
from ascendify.source.scopes import ancestors, parent, statement

RULE = Rule(
    code="TF2-DATA-4",
    title="Make static batches of what Keras reads from folders",
    why=(
        "image_dataset_from_directory and its like end with a smaller batch; ImageDataGenerator "
        "gives batches of unknown shape. Both make the training function compile for dynamic "
        "shapes, which is slow on an NPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    foretells=("EMU-BATCH-1", "EMU-SHAPE-1"),
    before="train_ds = tf.keras.utils.image_dataset_from_directory('train', batch_size=16)",
    after=(
        "train_ds = tf.keras.utils.image_dataset_from_directory('train', batch_size=16)"
        ".unbatch().batch(16, drop_remainder=True)"
    ),
    safety="The samples of the last partial batch are left out, which differ from epoch to epoch.",
)

_DATASETS = tuple(
    f"tf2.keras.utils.{name}"
    for name in (
        "image_dataset_from_directory", "text_dataset_from_directory",
        "audio_dataset_from_directory", "timeseries_dataset_from_array",
    )
)  # fmt: skip
_DEFAULTS = {"timeseries_dataset_from_array": "128"}
_NAMES = frozenset({"class_names", "file_paths"})
_COUNTS = frozenset({"cardinality", "__len__"})
_ATTRIBUTES = _NAMES | _COUNTS
"""Attributes that such a dataset has, and a dataset derived from it lacks."""


@RULE.call(*_DATASETS)
@outside_tests
def batch_again(site: CallSite) -> Diagnoses:
    """Batch training data again, with full batches only."""
    file = site.file
    batch = site.args.value("batch_size")
    if is_literal(batch, None) or site.args.starred or _data.is_batched_again(site.file, site.node):
        return
    name = site.name.rpartition(".")[2]
    size = _DEFAULTS.get(name, "32") if batch is None else file.text(batch)
    again = f".unbatch().batch({size}, drop_remainder=True)"
    found = f"{name} may end with a smaller batch and has no option to drop it"
    serves = _serves(site)
    if serves is Purpose.EVAL:
        yield RULE.info(
            site, f"{found}; it serves evaluation or prediction, which runs with dynamic shapes"
        )
        return
    if serves is not Purpose.TRAIN:
        yield RULE.manual(site, found, todo=f"If this is training data, add {again}.").as_possible()
        return
    simple = batch is None or isinstance(batch, (ast.Name, ast.Attribute, ast.Constant))
    behind = _behind_questions(site) if simple else None
    if behind is not None:
        name, at = behind
        fix = site.fix()
        fix.insert_after(at, f"{name} = {name}{again}")
        yield RULE.auto(
            site,
            found,
            done=f"Added {again} behind line {at.lineno}, the last that reads names from it.",
            fix=fix,
        )
        return
    if not simple or _knows_more(site):
        yield RULE.manual(
            site,
            found,
            todo=(
                f"Add {again} to the training data, after class_names, file_paths and its length "
                "were read: the new dataset does not have them."
            ),
        )
        return
    fix = site.fix()
    fix.wrap(site.node, "", again)
    yield RULE.auto_check(
        site,
        found,
        done=f"Added {again}.",
        todo="Check that nothing reads class_names, file_paths or the length of this dataset.",
        fix=fix,
    )


def _serves(site: CallSite) -> Purpose:
    subset = site.args.value("subset")
    named = None if subset is None else said(string(subset) or "")
    return named or purpose(site.file, site.node)


def _behind_questions(site: CallSite) -> tuple[str, ast.stmt] | None:
    """The variable of a dataset, and the last statement that asks it for names of files or classes.

    None where nothing asks, or where something has gone on with it by then.
    """
    target = assigned_name(site.node)
    if target is None:
        return None
    own = statement(target)
    block = block_of(own)
    places = [(read, _holder(block, read)) for read in reads(target)]
    asking = [at for read, at in places if _attribute(read) in _NAMES]
    if not asking or any(at is None or block.index(at) < block.index(own) for _, at in places):
        return None
    if any(function_around(read) is not function_around(own) for read, _ in places):
        return None  # a function reads it later
    last = max((at for at in asking if at is not None), key=block.index)
    later = all(
        _attribute(read) in _NAMES or (at is not None and block.index(at) > block.index(last))
        for read, at in places
    )
    measured = any(_attribute(read) in _COUNTS or _is_measured(read) for read, _ in places)
    return (target.id, last) if later and not measured else None


def _holder(block: list[ast.stmt], node: ast.expr) -> ast.stmt | None:
    """The statement of a block that a node is in."""
    around = [node, *ancestors(node)]
    return next((item for item in block if item in around), None)


def _attribute(read: ast.expr) -> str:
    """The attribute that is read of a variable; empty where none is."""
    return getattr(parent(read), "attr", "")


def _knows_more(site: CallSite) -> bool:
    """Whether an attribute is read that only the original dataset has."""
    owner = parent(site.node)
    if isinstance(owner, ast.Attribute):
        return owner.attr in _ATTRIBUTES
    target = assigned_name(site.node)
    if target is None:
        return True
    return any(
        getattr(parent(read), "attr", "") in _ATTRIBUTES or _is_measured(read)
        for read in reads(target)
    )


def _is_measured(read: ast.expr) -> bool:
    around = parent(read)
    return isinstance(around, ast.Call) and last_name(around.func) == "len"


@RULE.call("tensorflow_datasets.load")
@outside_tests
def report_loaded_batches(site: CallSite) -> Diagnoses:
    """Report ``tfds.load(..., batch_size=n)``, which keeps the smaller batch at the end."""
    size = _data.loaded_batch(site)
    if size is None:
        return
    if _is_one_dataset(site):
        fix = site.fix()
        keyword = next(item for item in site.node.keywords if item.value is size)
        fix.remove_argument(site.node, Argument("batch_size", size, keyword))
        again = f".batch({site.file.text(size)}, drop_remainder=True)"
        fix.wrap(site.node, "", again)
        yield RULE.auto(
            site,
            f"{site.callee} may end with a smaller batch and has no option to drop it",
            done=f"Loaded single samples, and added {again}.",
            fix=fix,
        )
        return
    yield RULE.manual(
        site,
        f"{site.callee} may end with a smaller batch and has no option to drop it",
        todo=(
            "Load the training data without batch_size, and add "
            f".batch({site.file.brief(size, 40)}, drop_remainder=True)."
        ),
    )


def _is_one_dataset(site: CallSite) -> bool:
    """Whether a call surely gives one dataset, of training, and nothing else."""
    split, info = (keyword_value(site.node, name) for name in ("split", "with_info"))
    trains = split is not None and said(string(split) or "") is Purpose.TRAIN
    plain = all(item.arg is not None for item in site.node.keywords)
    return trains and plain and (info is None or is_literal(info, False))


@RULE.call(*_data.FLOWS)
@outside_tests
def report_generators(site: CallSite) -> Diagnoses:
    """Report generators that are passed to fit."""
    if purpose(site.file, site.node) is Purpose.EVAL:
        return
    batch = site.args.value("batch_size")
    size = "32" if batch is None else site.file.brief(batch, 30)
    target = assigned_name(site.node)
    name = "generator" if target is None else target.id
    yield RULE.manual(
        site,
        f"{site.callee} gives batches whose shape TensorFlow does not know, the last one smaller",
        todo=(
            f"For static shapes train on tf.data.Dataset.from_generator(lambda: {name}, "
            f"output_signature=(tf.TensorSpec(({size}, height, width, channels), tf.float32), "
            f"tf.TensorSpec(({size}, classes), tf.float32))) with full batches only, or give fit "
            f"steps_per_epoch={name}.samples // {size} and accept dynamic shapes."
        ),
    )
