"""Datasets: drop a smaller last batch, so that all batches have one size."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Fix, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import batching, datasets, host
from ascendify.rules.tensorflow.batching import Batching
from ascendify.rules.tensorflow.purposes import Purpose, is_endless, purpose, training_switch

RULE = Rule(
    code="TF1-DATA-1",
    title="Drop the smaller last batch of a dataset",
    why=(
        "The NPU compiles a graph for fixed shapes. A last batch with fewer samples makes the "
        "batch dimension unknown, and its shape is compiled anew when it comes."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="dataset = dataset.batch(32)",
    after="dataset = dataset.batch(32, drop_remainder=True)",
    safety=(
        "The last (number of samples) % (batch size) samples of an epoch are left out. In training "
        "that is harmless; a pipeline that evaluates or predicts keeps its last batch, and one "
        "that does both drops it in training only, where the program has a switch for that."
    ),
)

_NO_OPTION = {
    "tf.contrib.data.bucket_by_sequence_length": (
        "Use tf.data.experimental.bucket_by_sequence_length with the same arguments and "
        "drop_remainder=True."
    ),
    "tf.data.experimental.make_csv_dataset": "",
    "tf.contrib.data.make_csv_dataset": "",
}
_ARRAY_INPUTS = ("tf.estimator.inputs.numpy_input_fn", "tf.estimator.inputs.pandas_input_fn")


@RULE.call(*batching.BATCHING)
@outside_tests
def drop_remainder(site: CallSite) -> Diagnoses:
    """Set the option that drops a smaller last batch."""
    found = batching.uneven(site)
    if found is None:
        return
    by_hand = batching.by_hand(RULE, site, found)
    if by_hand is not None:
        yield by_hand
        return
    drops = found.loses_nothing or is_endless(site.file, site.node)
    used_for = Purpose.TRAIN if drops else purpose(site.file, site.node)
    if used_for is Purpose.EVAL:
        return  # every sample counts: see TF1-EVAL-1
    fix = site.fix()
    switch = training_switch(site.node) if used_for is Purpose.BOTH else None
    call = datasets.spelled(site.file, site.node)
    text = f"{call} may end with a smaller batch, so the batch dimension is not static"
    if switch is not None:
        if found.given is None or not _decides(switch, found.given.value):
            done = _drop_in_training(fix, site, found, switch)
            yield RULE.auto(site, text, done=done, fix=fix)
        return
    if found.given is None:
        fix.add_argument(site.node, f"{found.parameter}=True")
        done = f"Added {found.parameter}=True."
    else:
        fix.replace(found.given.value, "True")
        done = f"Set {found.parameter} to True; it was {site.file.brief(found.given.value)}."
    status, todo = (Status.AUTO, "") if drops else _consequence(site, found, used_for)
    yield RULE.finding(status, site, text, done=done, todo=todo, fix=fix)


@RULE.guess(*batching.GUESSED)
@outside_tests
def drop_unknown(site: CallSite) -> Diagnoses:
    """``x.batch(n)`` on an object of unknown type, in a project that uses datasets."""
    call = site.node
    positional = 1 if site.name == "batch" else 2
    names = {keyword.arg for keyword in call.keywords}
    if len(call.args) > positional or not (call.args or "batch_size" in names):
        return
    if names - {"batch_size", "drop_remainder", "padded_shapes", "padding_values"}:
        return
    if any(isinstance(item, ast.Starred) for item in call.args):
        return
    if host.uses_datasets(site.file):
        yield from drop_remainder(site)


@RULE.call(*_NO_OPTION)
@outside_tests
def report_missing_option(site: CallSite) -> Diagnoses:
    """Transformations that cannot drop the last batch."""
    call = datasets.spelled(site.file, site.node)
    if site.name.endswith("make_csv_dataset"):
        epochs = site.args.value("num_epochs")
        if epochs is None or site.file.literal(epochs) == (None,):
            # without a number of epochs it repeats for ever and drops the rest itself
            return
        size = site.args.value("batch_size")
        batch = "batch_size" if size is None else site.file.brief(size, 40)
        todo = (
            "Leave num_epochs out and count steps, or batch again: "
            f"dataset.apply(tf.data.experimental.unbatch()).batch({batch}, drop_remainder=True)."
        )
    else:
        todo = _NO_OPTION[site.name]
    yield RULE.manual(
        site, f"{call} may end with a smaller batch and has no option to drop it", todo=todo
    )


@RULE.call(*_ARRAY_INPUTS)
@outside_tests
def report_array_inputs(site: CallSite) -> Diagnoses:
    """Input functions over arrays, which use queues and cannot drop the last batch."""
    file = site.file
    texts = {
        name: file.brief(value, 50)
        for name in ("x", "y", "batch_size")
        if (value := site.args.value(name)) is not None and file.literal(value) != (None,)
    }
    data = texts.get("x", "x")
    if site.name.endswith("pandas_input_fn"):
        data = f"dict({data})"
    if "y" in texts:
        data = f"({data}, {texts['y']})"
    given = site.args.value("shuffle")
    ordered = given is not None and file.literal(given) == (False,)
    shuffle = "" if ordered else ".shuffle(1000)"
    yield RULE.manual(
        site,
        f"{site.callee} feeds through a queue and may end with a smaller batch",
        todo=(
            "Replace it by an input function that returns "
            f"tf.data.Dataset.from_tensor_slices({data}){shuffle}.repeat()"
            f".batch({texts.get('batch_size', '128')}, drop_remainder=True); for evaluation "
            "without shuffle and repeat, on data padded to a multiple of the batch size."
        ),
    )


def _decides(switch: ast.expr, given: ast.expr) -> bool:
    """Whether an argument already depends on the program's own switch for training."""
    return any(ast.dump(item) == ast.dump(switch) for item in ast.walk(given))


def _drop_in_training(fix: Fix, site: CallSite, found: Batching, switch: ast.expr) -> str:
    """Drop the remainder if the program's own switch says training; evaluation keeps it."""
    called = "" if isinstance(switch, ast.Compare) else "bool"
    condition = f"{called}({site.file.text(switch)})"
    if found.given is None or isinstance(found.given.value, ast.Constant):
        value = condition
    else:
        value = f"{fix.operand(found.given.value)} or {condition}"
    if found.given is None:
        fix.add_argument(site.node, f"{found.parameter}={value}")
    else:
        fix.replace(found.given.value, value)
    return f"Set {found.parameter} to {value}: evaluation keeps every sample."


def _consequence(site: CallSite, found: Batching, used_for: Purpose) -> tuple[Status, str]:
    """The status of the rewrite, and what the user must check about lost samples."""
    if used_for is Purpose.TRAIN:
        if found.given is None or isinstance(found.given.value, ast.Constant):
            return Status.AUTO, ""
        was = site.file.brief(found.given.value)
        return Status.AUTO_CHECK, f"Check that no caller needs the samples that {was} kept."
    lost = batching.lost_samples(found)
    recipe = batching.padding_recipe(site, found)
    if used_for is Purpose.BOTH:
        who = "This pipeline is used for evaluation or prediction too, which then misses"
    else:
        who = "If this pipeline is also used for evaluation or prediction, that misses"
    return Status.AUTO_CHECK, f"{who} {lost}. There, {recipe}"
