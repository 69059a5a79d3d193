"""Projects for TensorFlow 2 on one and two ranks: migrated, run, compared, and made wrong."""

# ruff: noqa: E501

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.verify.request import VerifyRequest
from ascendify.verify.sides import Side
from support.interpreters import preloaded, tensorflow_python
from support.verified_examples import (
    VERIFIED_TF2,
    compare,
    migrated,
    original,
    replace_texts,
    request,
    run_migrated,
    run_original,
)


class Originals:
    """Originals that were run, and their migrations; one run serves all that compare with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ran: dict[str, tuple[VerifyRequest, Side]] = {}

    def ran(self, name: str) -> tuple[VerifyRequest, Side]:
        interpreter = preloaded(tensorflow_python("tf2"), "tf2")
        if name not in self._ran:
            example = VERIFIED_TF2[name]
            source = original(example, self._folder / name)
            migrated(example, source)
            requested = request(example, source, interpreter)
            self._ran[name] = (requested, run_original(requested))
        requested, side = self._ran[name]
        assert side.outcome.succeeded, side.blamed.last_lines
        return requested, side


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Originals:
    return Originals(tmp_path_factory.mktemp("originals"))


def together(example: str) -> pytest.MarkDecorator:
    """What compares with one original belongs in one process, which runs it once."""
    return pytest.mark.xdist_group(f"tf2-{example}")


def changed(requested: VerifyRequest, folder: Path, *changes: tuple[str, str]) -> Side:
    """Run a copy of the migrated project whose script was changed."""
    copy = shutil.copytree(requested.migrated, folder / "migrated")
    replace_texts(copy / "train.py", changes)
    return run_migrated(replace(requested, migrated=copy))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=together(name)) for name in VERIFIED_TF2]
)
def test_migrated_trains_with_the_numbers_of_the_original(
    name: str, originals: Originals, tmp_path: Path
) -> None:
    requested, first = originals.ran(name)
    second = changed(requested, tmp_path)
    assert second.outcome.succeeded, second.blamed.last_lines
    evidence, refused = compare(first, second, requested)
    assert evidence.reasons == []
    assert any(one.original.is_loss for one in evidence.comparisons)
    assert refused == set(VERIFIED_TF2[name].refused)


BROADCAST = "    npu_device.distribute.broadcast(model.variables, root_rank=0)\n"
IN_THE_LOOP = " " * 8 + BROADCAST
OWN_WEIGHTS = (
    "tf.random.set_seed(1)",
    "tf.random.set_seed(1 + int(os.getenv('RANK_ID', '0')))",
)
OPEN = "    npu_device.open().as_default()\n"
RANK = "int(os.getenv('RANK_ID', '0'))"
SIZE = "int(os.getenv('RANK_SIZE', '1'))"


@together("mirrored")
def test_ranks_with_weights_of_their_own_start_from_those_of_rank_0(
    originals: Originals, tmp_path: Path
) -> None:
    requested, first = originals.ran("mirrored")
    second = changed(requested, tmp_path, OWN_WEIGHTS)
    assert second.outcome.succeeded, second.blamed.last_lines
    evidence, _ = compare(first, second, requested)
    assert evidence.reasons == []


MUTATIONS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "no broadcast": ("mirrored", [(IN_THE_LOOP, "")]),
    "no broadcast, and weights of their own": ("mirrored", [(IN_THE_LOOP, ""), OWN_WEIGHTS]),
    "mean instead of sum": ("mirrored", [("model.trainable_variables), 'sum')", "model.trainable_variables), 'mean')")]),
    "gradients not reduced": (
        "mirrored",
        [("npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'sum')",
          "tape.gradient(loss, model.trainable_variables)")],
    ),
    "not sharded": (
        "mirrored",
        [("dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, FLAGS.batch_size)",
          "npu_batch_size = FLAGS.batch_size")],
    ),
    "samples divided, not the batch": ("mirrored", [(".batch(npu_batch_size", ".batch(FLAGS.batch_size")]),
    "the batch divided twice": ("mirrored", [(".batch(npu_batch_size", ".batch(npu_batch_size // 2")]),
    "the loss divided by the batch of a rank": (
        "mirrored", [("global_batch_size=FLAGS.batch_size", f"global_batch_size=FLAGS.batch_size // {SIZE}")],
    ),
    "sum instead of mean": ("horovod", [(", 'mean')", ", 'sum')")]),
    "the tape's gradients not reduced": (
        "horovod",
        [("npu_device.distribute.all_reduce(tape.gradient(loss_value, mnist_model.trainable_variables), 'mean')",
          "tape.gradient(loss_value, mnist_model.trainable_variables)")],
    ),
    "all ranks read one shard": ("horovod", [(f"dataset.shard({SIZE}, {RANK})", f"dataset.shard({SIZE}, 0)")]),
    "the rate of one rank": ("horovod", [(f"0.05 * {SIZE}", "0.05")]),
    "the steps of one rank": ("horovod", [(f"args.steps // {SIZE}", "args.steps")]),
    "compile('adam') not wrapped": (
        "keras",
        [('npu_device.distribute.npu_distributed_keras_optimizer_wrapper("adam")', '"adam"')],
    ),
    "a copy that lost its wrapper": (
        "keras",
        [('npu_device.distribute.npu_distributed_keras_optimizer_wrapper("adam")',
          'tf.keras.optimizers.Adam.from_config(npu_device.distribute.npu_distributed_keras_optimizer_wrapper("adam").get_config())')],
    ),
    "fit without a broadcast": ("keras", [(BROADCAST, "")]),
    "fit on undivided data": (
        "keras",
        [("npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train.shuffle(len(x_train), seed=1), args.batch_size)",
          "npu_dataset, npu_batch_size = train.shuffle(len(x_train), seed=1), args.batch_size // 2")],
    ),
    "never opened": ("loop alone", [(OPEN, "")]),
    "an option after opening": (
        "loop alone",
        [(OPEN, f"{OPEN}    npu_device.global_options().precision_mode = 'allow_mix_precision'\n")],
    ),
    "the loss not scaled": ("loop alone", [("optimizer.get_scaled_loss(loss)", "loss * 1")]),
    "another learning rate": ("loop alone", [("Adam(FLAGS.learning_rate)", "Adam(FLAGS.learning_rate * 2)")]),
    "the seed lost": ("loop alone", [("    tf.random.set_seed(7)\n", "")]),
    "no checkpoint": ("loop alone", [("    manager.save()\n", "")]),
    "opened after the model": ("fit alone", [(OPEN, ""), ("    model.compile(", f"{OPEN}    model.compile(")]),
    "the dropout rate inverted": ("fit alone", [("[1:], args.dropout)", "[1:], 1 - args.dropout)")]),
    "an evaluation without its last batch": (
        "fit alone", [("(x_test, y_test)).batch(args.batch_size)", "(x_test, y_test)).batch(args.batch_size, True)")],
    ),
}  # fmt: skip
"""Example, and what the migration wrote with what a bad one might have written."""


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(name, id=f"{item[0]}: {name}", marks=together(item[0]))
        for name, item in MUTATIONS.items()
    ],
)
def test_a_wrong_migration_is_caught(mutation: str, originals: Originals, tmp_path: Path) -> None:
    name, changes = MUTATIONS[mutation]
    requested, first = originals.ran(name)
    second = changed(requested, tmp_path, *changes)
    if not second.outcome.succeeded:
        assert mutation == "opened after the model", second.blamed.last_lines
        return
    evidence, refused = compare(first, second, requested)
    assert evidence.reasons or refused > set(VERIFIED_TF2[name].refused)
