"""The examples are migrated, run and compared; migrations made wrong on purpose are caught."""

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
    ON_CURRENT_TENSORFLOW,
    VERIFIED,
    compare,
    migrated,
    original,
    request,
    run_migrated,
    run_original,
)

ON = [("tf1", name) for name in VERIFIED] + [("tf2", name) for name in ON_CURRENT_TENSORFLOW]


class Originals:
    """Originals that were run, and their migrations; one run serves all that compare with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ran: dict[tuple[str, str], tuple[VerifyRequest, Side]] = {}

    def ran(self, release: str, name: str) -> tuple[VerifyRequest, Side]:
        interpreter = preloaded(tensorflow_python(release), release)
        example = VERIFIED[name]
        if (release, name) not in self._ran:
            folder = self._folder / f"{release}-{name}"
            source = original(example, folder, current=release == "tf2")
            migrated(example, source)
            requested = request(example, source, interpreter)
            self._ran[release, name] = (requested, run_original(requested))
        requested, side = self._ran[release, name]
        assert side.outcome.succeeded, side.blamed.last_lines
        return requested, side


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Originals:
    return Originals(tmp_path_factory.mktemp("originals"))


def together(release: str, example: str) -> pytest.MarkDecorator:
    """What compares with one original belongs in one process, which runs it once."""
    return pytest.mark.xdist_group(f"{release}-{example}")


@pytest.mark.parametrize(
    ("release", "name"), [pytest.param(*on, id="-".join(on), marks=together(*on)) for on in ON]
)
def test_migrated_trains_with_the_numbers_of_the_original(
    release: str, name: str, originals: Originals, tmp_path: Path
) -> None:
    example = VERIFIED[name]
    requested, first = originals.ran(release, name)
    copy = shutil.copytree(requested.migrated, tmp_path / "migrated")
    second = run_migrated(replace(requested, migrated=copy))
    assert second.outcome.succeeded, second.blamed.last_lines
    evidence, refused = compare(first, second, requested)
    assert evidence.reasons == []
    assert any(one.original.is_loss for one in evidence.comparisons)
    assert refused == set(example.refused)


MUTATIONS: dict[str, tuple[str, str, str, str]] = {
    "what is kept is dropped": (
        "session", "model.py", "npu_ops.dropout(net, keep_prob)",
        "npu_ops.dropout(net, 1 - keep_prob)",
    ),
    "a rate taken for what is kept": (
        "session", "model.py", "keep_prob=1 - ((1 - keep_prob) / 2)", "keep_prob=(1 - keep_prob) / 2",
    ),
    "dropout lost": ("session", "model.py", "npu_ops.dropout(net, keep_prob)", "net"),
    "dropout's seed given": (
        "session", "model.py", "npu_ops.dropout(net, keep_prob)",
        "npu_ops.dropout(net, keep_prob, seed=5)",
    ),
    "a step lost": ("session", "train.py", "range(1, args.steps + 1)", "range(1, args.steps)"),
    "sum instead of mean": (
        "session", "train.py", "loss = tf.reduce_mean(", "loss = tf.reduce_sum(",
    ),
    "loss scaled and never unscaled": (
        "session", "train.py", ".minimize(loss)", ".minimize(loss * 1.01)",
    ),
    "no checkpoint": (
        "session", "train.py",
        "    saver.save(sess, os.path.join(args.log_dir, 'model.ckpt'), global_step=args.steps)\n", "",
    ),
    "another optimizer": (
        "keras", "train.py", "tf.keras.optimizers.Adam(", "tf.keras.optimizers.Adamax(",
    ),
    "another loss": (
        "keras", "train.py", 'loss="categorical_crossentropy"', 'loss="mse"',
    ),
    "data in another order": ("keras", "train.py", "np.random.seed(7)", "np.random.seed(8)"),
    "batch normalisation not updated": (
        "estimator", "model_fn.py", "tf.control_dependencies(update_ops)",
        "tf.control_dependencies([])",
    ),
    "weight decay lost": ("estimator", "train.py", "'weight_decay': 1e-4", "'weight_decay': 0.0"),
    "seed lost": ("estimator", "train.py", "tf_random_seed=42, ", ""),
    "steps of a loop counted twice": (
        "estimator", "train.py", "NPURunConfig(\n", "NPURunConfig(\n        iterations_per_loop=4,\n",
    ),
    "no broadcast": (
        "horovod", "train.py", "        NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0'))),\n", "",
    ),
    "gradients not averaged": (
        "horovod", "train.py", "    opt = npu_distributed_optimizer_wrapper(opt)\n", "",
    ),
    "learning rate not scaled": (
        "horovod", "train.py", "args.base_lr * get_rank_size()", "args.base_lr",
    ),
    "steps not shared": ("horovod", "train.py", "args.steps // get_rank_size()", "args.steps"),
    "every rank reads everything": (
        "horovod", "dataset.py", "    dataset = dataset.shard(get_rank_size(), get_rank_id())\n", "",
    ),
    "one seed for all ranks": (
        "horovod", "train.py", "tf.set_random_seed(1234 + get_rank_id())", "tf.set_random_seed(1234)",
    ),
    "a sum taken for an average": (
        "distributed", "train.py", "    loss = tf.reduce_mean(tf.square(mlp(x, [32, 16]) - y), name='loss')",
        "    loss = hccl_ops.allreduce("
        "tf.reduce_mean(tf.square(mlp(x, [32, 16]) - y)), 'sum') + 0 * tf.reduce_mean(x, name='loss')",
    ),
    "gradients averaged twice": (
        "distributed", "train.py",
        "npu_distributed_optimizer_wrapper(tf.train.MomentumOptimizer(FLAGS.lr, 0.9))",
        "npu_distributed_optimizer_wrapper("
        "npu_distributed_optimizer_wrapper(tf.train.MomentumOptimizer(FLAGS.lr, 0.9)))",
    ),
    "shards of the wrong rank": (
        "distributed", "train.py", "int(os.getenv('RANK_ID', '0')))", "0)",
    ),
    "gradients clipped on the way": (
        "ctc", "train.py", "tf.clip_by_norm(g, 5.0)", "tf.clip_by_norm(g, 0.5)",
    ),
    "labels one off": (
        "ctc", "npu_ctc.py", "        labels=dense,\n", "        labels=tf.maximum(dense - 1, 0),\n",
    ),
    "the first class taken for the blank": (
        "ctc", "npu_ctc.py", "blank_index=-1", "blank_index=0",
    ),
    "sequences a frame too short": (
        "ctc", "npu_ctc.py", "logit_length=frames_used,", "logit_length=frames_used - 1,",
    ),
    "the last label left out": (
        "ctc", "npu_ctc.py", "label_length=length,", "label_length=tf.maximum(length - 1, 0),",
    ),
    "another width of the beam": (
        "ctc", "train.py", "beam_width=10, merge_repeated=False", "merge_repeated=False",
    ),
    "repeated characters merged": (
        "ctc", "train.py", "beam_width=10, merge_repeated=False", "beam_width=10",
    ),
    "distances that are not relative": (
        "ctc", "npu_ctc.py", "return tf.edit_distance(hypothesis, truth, normalize, name)",
        "return tf.edit_distance(hypothesis, truth, False, name)",
    ),
}  # fmt: skip
"""Example, file, what the migration wrote, and what a bad one might have written."""


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(name, id=f"{item[0]}: {name}", marks=together("tf1", item[0]))
        for name, item in MUTATIONS.items()
    ],
)
def test_a_wrong_migration_is_caught(mutation: str, originals: Originals, tmp_path: Path) -> None:
    name, file, right, wrong = MUTATIONS[mutation]
    example = VERIFIED[name]
    requested, first = originals.ran("tf1", name)
    copy = shutil.copytree(requested.migrated, tmp_path / "migrated")
    text = (copy / file).read_text(encoding="utf-8")
    assert text.count(right) == 1, f"{file} has no single place for the mutation"
    (copy / file).write_text(text.replace(right, wrong), encoding="utf-8")
    second = run_migrated(replace(requested, migrated=copy))
    assert second.outcome.succeeded, second.blamed.last_lines
    evidence, refused = compare(first, second, requested)
    assert evidence.reasons or refused > set(example.refused)
