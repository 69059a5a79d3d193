"""Calls that put samples into batches, and whether their last batch may be smaller."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ascendify.catalog import signatures
from ascendify.rules.kit import Argument, Arguments, CallSite, Diagnosis, File, Rule
from ascendify.rules.tensorflow import datasets
from ascendify.source.flow import backward
from ascendify.source.values import Const

BATCHING = {
    "tf.data.Dataset.batch": ("drop_remainder", "batch_size"),
    "tf.data.Dataset.padded_batch": ("drop_remainder", "batch_size"),
    "tf.data.Dataset.window": ("drop_remainder", "size"),
    "tf.data.experimental.map_and_batch": ("drop_remainder", "batch_size"),
    "tf.data.experimental.map_and_batch_with_legacy_function": ("drop_remainder", "batch_size"),
    "tf.contrib.data.map_and_batch": ("drop_remainder", "batch_size"),
    "tf.data.experimental.bucket_by_sequence_length": ("drop_remainder", "bucket_batch_sizes"),
    "tf.data.experimental.make_batched_features_dataset": ("drop_final_batch", "batch_size"),
    "tf.contrib.data.make_batched_features_dataset": ("drop_final_batch", "batch_size"),
}
"""Batching calls: the parameter that drops a smaller last batch, and the one for the size."""

BATCHING_TF2 = {
    **{
        f"tf2{name[len('tf') :]}": parameters
        for name, parameters in BATCHING.items()
        if not name.startswith("tf.contrib.")
    },
    "tf2.data.Dataset.ragged_batch": ("drop_remainder", "batch_size"),
    "tf2.data.Dataset.bucket_by_sequence_length": ("drop_remainder", "bucket_batch_sizes"),
    "tf2.data.experimental.dense_to_ragged_batch": ("drop_remainder", "batch_size"),
}
"""Batching calls of TensorFlow 2, with the same two parameters each."""

GUESSED = {"batch": "tf.data.Dataset.batch", "padded_batch": "tf.data.Dataset.padded_batch"}
"""Methods that are taken for batching on objects of unknown type."""


@dataclass(frozen=True)
class Batching:
    """A call whose last batch may be smaller than the others."""

    parameter: str
    given: Argument | None
    """The argument for the parameter, None when it is left out."""
    size: str
    """The batch size as the user writes it."""
    may_be_given: bool = False
    """Whether ``*`` or ``**`` may give the argument."""

    @property
    def loses_nothing(self) -> bool:
        """Whether each batch holds one sample, so that none can be smaller."""
        return self.size == "1"


def uneven(site: CallSite) -> Batching | None:
    """The batching of a call that may end with a smaller batch; None when it surely does not."""
    name = _meant(site)
    parameter, size_parameter = BATCHING_TF2[name] if name in BATCHING_TF2 else BATCHING[name]
    args = site.args
    if name is not site.name:
        args = Arguments.bind(site.node, signatures.signature(name))
    given = args.get(parameter)
    size_node = args.value(size_parameter)
    size = "batch_size"
    if size_node is not None and size_parameter != "bucket_batch_sizes":
        size = site.file.brief(size_node, 40)
    if name.endswith("make_batched_features_dataset") and _repeats_for_ever(site, args):
        return None
    if given is None:
        return Batching(parameter, None, size, args.starred)
    if _is_true(site.file, given.value):
        return None
    return Batching(parameter, given, size)


def _meant(site: CallSite) -> str:
    """The call whose signature applies; on an unknown object, the method of the file's release."""
    guessed = GUESSED.get(site.name)
    if guessed is None:
        return site.name
    in_tf2 = site.file.facts.releases.get(site.path) == "tf2"
    return f"tf2{guessed[len('tf') :]}" if in_tf2 else guessed


def is_single(site: CallSite) -> bool:
    """Whether the dataset has only one sample, so that a larger batch is never full."""
    calls = list(datasets.chain(site.node))
    steps = {getattr(call.func, "attr", "") for call in calls[1:]}
    return "from_tensors" in steps and "repeat" not in steps


def by_hand(rule: Rule, site: CallSite, found: Batching) -> Diagnosis | None:
    """Say what to do where setting the option is impossible or empties the dataset."""
    call = datasets.spelled(site.file, site.node)
    if found.may_be_given:
        return rule.manual(
            site,
            f"{call} may get {found.parameter} from * or ** arguments",
            todo=f"Make sure that {found.parameter}=True is among them for training.",
        )
    if is_single(site) and not found.loses_nothing:
        return rule.manual(
            site,
            f"{call} puts the single sample of from_tensors into a batch of {found.size}",
            todo=f"Use .batch(1, {found.parameter}=True): a batch of {found.size} is never full.",
        )
    return None


def lost_samples(found: Batching) -> str:
    """Which samples are lost with a dropped last batch, as text."""
    return f"the last (number of samples) % {_operand(found.size)} samples"


def padding_recipe(site: CallSite, found: Batching) -> str:
    """Advice that pads the data to full batches, in the user's own variable names."""
    name = datasets.dataset_name(site.file, site.node)
    return (
        f"pad to full batches first, {name} = {name}.concatenate({name}.repeat().take("
        f"-num_samples % {_operand(found.size)})), and use only the first num_samples results (or "
        "give the padding weight 0 in the metrics)."
    )


def _operand(size: str) -> str:
    return f"({size})" if " " in size else size


def _is_true(file: File, node: ast.expr) -> bool:
    """Whether an expression is True, or a parameter for which every caller gives True."""
    values = file.literal(node)
    if values is not None:
        return all(bool(value) for value in values)
    if not isinstance(node, ast.Name):
        return False
    bindings = backward.bindings(node)
    if len(bindings) != 1 or not isinstance(bindings[0].node, ast.arg):
        return False
    given = backward.passed_values(file.resolver, file.module, bindings[0].node)
    return bool(given) and all(isinstance(item, Const) and bool(item.value) for item in given)


def _repeats_for_ever(site: CallSite, args: Arguments) -> bool:
    """TF 1.15 drops the last batch by itself when ``num_epochs`` is None."""
    epochs = args.value("num_epochs")
    if epochs is None:
        return not args.starred
    return site.file.literal(epochs) == (None,)
