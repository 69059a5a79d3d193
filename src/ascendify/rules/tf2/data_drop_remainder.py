"""Datasets: give every training batch the same number of samples."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, MethodSite, Rule, Status
from ascendify.rules.kit.tests import in_test, outside_tests
from ascendify.rules.tensorflow import batching, datasets, host
from ascendify.rules.tensorflow.batching import Batching
from ascendify.rules.tensorflow.purposes import Purpose, branch, is_endless, purpose
from ascendify.rules.tf2 import _data
from ascendify.source.flow import backward
from ascendify.source.nodes import keyword_value

RULE = Rule(
    code="TF2-DATA-1",
    title="Drop the smaller last batch of training data",
    why=(
        "The NPU compiles a function for fixed shapes. One smaller batch makes the batch dimension "
        "of the whole dataset unknown, and the function is compiled for dynamic shapes, which is "
        "slow. Evaluation and prediction keep every sample."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    foretells=("EMU-BATCH-1",),
    before="train_ds = dataset.shuffle(1000).batch(32)",
    after="train_ds = dataset.shuffle(1000).batch(32, drop_remainder=True)",
    safety=(
        "The last (number of samples) % (batch size) samples of an epoch are left out of training. "
        "A dataset smaller than one batch gives none. Data for evaluation or prediction stays as "
        "it is and is reported."
    ),
)

_ALLOWED = frozenset(
    {
        "batch_size", "drop_remainder", "padded_shapes", "padding_values", "num_parallel_calls",
        "deterministic", "name",
    }
)  # fmt: skip
_ROUNDS_UP = re.compile(r"\bceil\b|//.*\+ ?1\b|-\(-")
_POSITIONAL = {"batch": 4, "padded_batch": 4}


@RULE.call(*batching.BATCHING_TF2)
@outside_tests
def drop_remainder(site: CallSite) -> Diagnoses:
    """Set the option that drops a smaller last batch, where only training sees the data."""
    found = batching.uneven(site)
    if found is None or _data.is_collected(site.file, site.node):
        return
    by_hand = batching.by_hand(RULE, site, found)
    if by_hand is not None:
        yield by_hand
    elif found.given is not None and not isinstance(found.given.value, ast.Constant):
        known = branch(found.given.value) is Purpose.TRAIN
        if not known and purpose(site.file, site.node) is not Purpose.EVAL:
            yield _by_hand(site, found)
    else:
        yield from _set(site, found)


@RULE.method(*_POSITIONAL, where=lambda node: isinstance(node.ctx, ast.Load))
def of_catalogue(site: MethodSite) -> Diagnoses:
    """Set the option for data of tensorflow_datasets, whose signatures are unknown."""
    call = site.call
    if site.known is not None or call is None or in_test(site.file, site.node):
        return
    if _data.is_of_catalogue(site.file, site.node.value):
        yield from drop_remainder(CallSite(site.file, call, f"tf2.data.Dataset.{site.name}"))


@RULE.guess(*batching.GUESSED)
@outside_tests
def report_possible(site: CallSite) -> Diagnoses:
    """Report ``x.batch(n)`` on an unknown object, in files that use datasets."""
    call = site.node
    names = {keyword.arg for keyword in call.keywords}
    if len(call.args) > _POSITIONAL[site.name] or not (call.args or "batch_size" in names):
        return
    if names - _ALLOWED or any(isinstance(item, ast.Starred) for item in call.args):
        return
    if _data.is_of_catalogue(site.file, call.func.value):
        return
    if host.uses_datasets(site.file):
        yield from drop_remainder(site)


@RULE.call("tf2.data.experimental.make_csv_dataset")
@outside_tests
def report_missing_option(site: CallSite) -> Diagnoses:
    """Files of comma-separated values: without a number of epochs the last batch is dropped."""
    epochs = site.args.value("num_epochs")
    if epochs is None or site.file.literal(epochs) == (None,) or _serves(site) is Purpose.EVAL:
        return
    size = site.args.value("batch_size")
    batch = "batch_size" if size is None else site.file.brief(size, 40)
    yield RULE.manual(
        site,
        f"{site.callee} may end with a smaller batch and has no option to drop it",
        todo=(
            "Leave num_epochs out and count steps, or batch training data again: "
            f".unbatch().batch({batch}, drop_remainder=True)."
        ),
    )


def _set(site: CallSite, found: Batching) -> Diagnoses:
    text = f"{datasets.spelled(site.file, site.node)} may end with a smaller batch"
    if found.loses_nothing or is_endless(site.file, site.node):
        yield _given(site, found, text, "True")
        return
    serves = _serves(site)
    if serves is Purpose.TRAIN:
        yield _given(site, found, text, "True")
    elif serves is Purpose.EVAL:
        yield RULE.info(
            site,
            f"{text}; it serves evaluation or prediction, so nothing was dropped",
            todo=(
                "It runs as it is, with dynamic shapes. For one compiled shape choose a batch size "
                f"that divides the number of samples, or {batching.padding_recipe(site, found)}"
            ),
        )
    elif serves is Purpose.BOTH:
        yield _for_both(site, found, text)
    elif found.given is not None:
        yield _by_hand(site, found)
    else:
        yield RULE.manual(
            site,
            f"{text}; whether it trains is not certain, so nothing was dropped",
            todo=f"If it trains, give it {found.parameter}=True.",
        ).as_possible()


def _serves(site: CallSite) -> Purpose:
    serves = purpose(site.file, site.node)
    if serves is Purpose.UNKNOWN and _data.feeds_training_loop(site.node):
        return Purpose.TRAIN
    if serves in (Purpose.UNKNOWN, Purpose.BOTH):
        return _data.received_as(site.file, site.node) or serves
    return serves


def _for_both(site: CallSite, found: Batching, text: str) -> Diagnosis:
    switch = None if found.given is not None else _data.training_switch(site.file, site.node)
    if switch is not None:
        return _given(site, found, text, switch)
    return RULE.manual(
        site,
        f"{text}; it serves training and evaluation, so nothing was dropped",
        todo=(
            f"Give it {found.parameter}=True for training only, by a parameter of the function "
            "around it; evaluation runs as it is, with dynamic shapes."
        ),
    )


def _given(site: CallSite, found: Batching, text: str, value: str) -> Diagnosis:
    fix = site.fix()
    if found.given is None:
        fix.add_argument(site.node, f"{found.parameter}={value}")
        done = f"Added {found.parameter}={value}."
    else:
        fix.replace(found.given.value, value)
        done = f"Set {found.parameter} to {value}; it was {site.file.brief(found.given.value)}."
    text = f"{text}, so the batch dimension is not static"
    steps = None if is_endless(site.file, site.node) else _rounded_up(site.file)
    todo = ""
    if steps is not None:
        todo = (
            f"{steps} counts the dropped batch: where the data is not repeated, Keras then runs "
            "out of it and stops. Round down."
        )
    return RULE.fixed(site, text, done=done, todo=todo, fix=fix)


def _rounded_up(file: File) -> str | None:
    """A number of steps in the file that counts a partial batch: ``ceil(n / size)``."""
    for call in file.module.index.calls_by_name.get("fit", ()):
        value = keyword_value(call, "steps_per_epoch")
        if isinstance(value, ast.Name):
            value = backward.only_value(value) or value
        if value is not None and _ROUNDS_UP.search(file.text(value)):
            return f"steps_per_epoch={file.brief(value, 40)}"
    return None


def _by_hand(site: CallSite, found: Batching) -> Diagnosis:
    call = datasets.spelled(site.file, site.node)
    value = "" if found.given is None else site.file.brief(found.given.value, 40)
    fixed = found.given is not None and isinstance(found.given.value, ast.Constant)
    text = (
        f"{call} keeps a smaller last batch, as {value} says"
        if fixed
        else (f"whether {call} drops a smaller last batch depends on {value}")
    )
    return RULE.manual(
        site, text, todo=f"Make sure that {found.parameter} is True in training."
    ).as_possible()
