"""Data that Keras puts into batches itself, with no option to drop the last one."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow.purposes import Purpose, purpose, said
from ascendify.rules.tf2 import _data
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import assigned_name, is_literal, last_name, string
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-DATA-4",
    title="Make static batches of what Keras reads from folders",
    why=(
        "image_dataset_from_directory and its like end with a smaller batch; ImageDataGenerator "
        "gives batches of unknown shape. Both make the training function compile for dynamic "
        "shapes, which is slow on an NPU."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
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
_ATTRIBUTES = frozenset({"class_names", "file_paths", "cardinality", "__len__"})
"""What such a dataset knows and a dataset made from it does not."""
_FLOWS = tuple(
    f"tf2.keras.preprocessing.image.ImageDataGenerator.{name}"
    for name in ("flow", "flow_from_directory", "flow_from_dataframe")
)


@RULE.call(*_DATASETS)
@outside_tests
def batch_again(site: CallSite) -> Diagnoses:
    """Batch training data again, with full batches only."""
    file = site.file
    batch = site.args.value("batch_size")
    if is_literal(batch, None) or site.args.starred or _is_batched_again(site):
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


def _is_batched_again(site: CallSite) -> bool:
    owner = parent(site.node)
    return isinstance(owner, ast.Attribute) and owner.attr in ("unbatch", "rebatch")


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
    yield RULE.manual(
        site,
        f"{site.callee} may end with a smaller batch and has no option to drop it",
        todo=(
            "Load the training data without batch_size, and add "
            f".batch({site.file.brief(size, 40)}, drop_remainder=True)."
        ),
    )


@RULE.call(*_FLOWS)
@outside_tests
def tell_generators(site: CallSite) -> Diagnoses:
    """Tell about generators that are given to fit."""
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
