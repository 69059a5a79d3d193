"""Which examples are verified, with what, and how one side of one of them is run."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ascendify.emulation import run_report
from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.verify.judge import Evidence, judge
from ascendify.verify.request import VerifyRequest
from ascendify.verify.sides import MIGRATED, ORIGINAL, Side, run
from ascendify.verify.tolerance import Tolerance

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@dataclass(frozen=True)
class Example:
    """A project, the command that trains it, and what a device would refuse of its migration."""

    folder: str
    command: str
    devices: int = 1
    each: str = ""
    """Added to the command of every rank of the migrated project."""
    distributed: str = "auto"
    refused: tuple[str, ...] = ()
    changed: str = "train.py"
    changes: tuple[tuple[str, str], ...] = ()
    """Texts of the original's ``changed`` file, and what replaces them before it is migrated."""
    dynamic_rnn: bool = False
    relative: float | None = None
    """How far numbers may be apart; None leaves it to their type."""


VERIFIED = {
    "session": Example("session-mnist", "train.py --steps 12", refused=("EMU-SHAPE-1",)),
    "crnn": Example(
        "crnn-ocr",
        "train.py --steps 4 --batch_size 8",
        refused=("EMU-BATCH-1",),
        dynamic_rnn=True,
        relative=1e-3,
    ),
    "ctc": Example(  # builds its graph in a third of the time
        "crnn-ocr",
        "train.py --steps 2 --batch_size 8",
        refused=("EMU-BATCH-1",),
        changed="crnn_model.py",
        changes=(
            (
                "tf.contrib.rnn.stack_bidirectional_dynamic_rnn(",
                "(lambda forward, backward, inputs, dtype: [inputs] * 3)(",
            ),
        ),
        relative=1e-3,
    ),
    "estimator": Example(
        "estimator-resnet", "train.py --train_steps=14 --batch_size=16", refused=("EMU-BATCH-1",)
    ),
    "keras": Example(
        "keras-cifar",
        "train.py --epochs 1 --batch_size 40",
        refused=("EMU-BATCH-1",),
    ),
    "horovod": Example("horovod-session", "train.py --no-cuda --steps 40", devices=2),
    "distributed": Example(
        "session-dataset",
        "train.py --steps 20",
        devices=2,
        each="--batch_size 32",
        distributed="tf_strategy",
    ),
}
VERIFIED_TF2 = {
    "mirrored alone": Example("tf2-mirrored", "train.py --steps 6"),
    "mirrored": Example("tf2-mirrored", "train.py --steps 6", devices=2),
    "horovod alone": Example("tf2-horovod", "train.py --steps 12"),
    "horovod": Example("tf2-horovod", "train.py --steps 12", devices=2),
    "keras": Example(
        "tf2-keras-fit",
        "train.py --epochs 1 --dropout 0",
        devices=2,
        distributed="tf_strategy",
        refused=("EMU-BATCH-1",),
    ),
    "fit alone": Example(
        "tf2-keras-fit", "train.py --epochs 1 --batch_size 40", refused=("EMU-BATCH-1",)
    ),
    "loop alone": Example(
        "tf2-custom-loop",
        "train.py --steps 6",
        changes=(
            (
                "tf.keras.optimizers.Adam(FLAGS.learning_rate)",
                "tf.keras.mixed_precision.LossScaleOptimizer(\n"
                "        tf.keras.optimizers.Adam(FLAGS.learning_rate), False, 128.0)",
            ),
            (
                "training=True))\n",
                "training=True))\n            scaled = optimizer.get_scaled_loss(loss)\n",
            ),
            (
                "tape.gradient(loss, model.trainable_variables)\n",
                "tape.gradient(scaled, model.trainable_variables)\n"
                "        gradients = optimizer.get_unscaled_gradients(gradients)\n",
            ),
        ),
    ),
}
"""Projects for TensorFlow 2; on two ranks they share the original's batch."""
ON_CURRENT_TENSORFLOW = ("session", "estimator", "distributed")


def original(example: Example, folder: Path, current: bool = False) -> Path:
    """A copy of an example, for TensorFlow 2 written the way version 1 scripts run there."""
    copy = folder / "original"
    shutil.copytree(EXAMPLES / example.folder, copy)
    replace_texts(copy / example.changed, example.changes)
    for path in copy.glob("*.py") if current else ():
        text = path.read_text(encoding="utf-8")
        compatible = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()"
        path.write_text(re.sub(r"(?m)^import tensorflow as tf$", compatible, text))
    return copy


def replace_texts(script: Path, changes: Iterable[tuple[str, str]]) -> None:
    """Replace texts of a script, each of which it must have once."""
    for old, new in changes:
        text = script.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{script.name} has no single place for {old}"
        script.write_text(text.replace(old, new), encoding="utf-8")


def migrated(example: Example, source: Path) -> Path:
    """The project as ``ascendify migrate`` writes it."""
    output = source.with_name("migrated")
    migrate(
        load(
            source,
            output=output,
            distributed=example.distributed,
            dynamic_rnn=example.dynamic_rnn,
        )
    )
    return output


def request(example: Example, source: Path, interpreter: str) -> VerifyRequest:
    """The request of ``ascendify verify`` for an example."""
    few = "write_tfrecords.py --train_count 40 --val_count 16"
    prepare = f"{interpreter} {few} && " if example.folder == "crnn-ocr" else ""
    first = f"{prepare}{interpreter} {example.command}"
    second = f"{first} {example.each}"
    return VerifyRequest(
        source,
        source.with_name("migrated"),
        ("sh", "-c", first) if prepare else tuple(shlex.split(first)),
        ("sh", "-c", second) if prepare else tuple(shlex.split(second)),
        devices=example.devices,
        timeout=300,
        tolerance=Tolerance(relative=example.relative),
    )


def run_original(requested: VerifyRequest) -> Side:
    """Run the original side."""
    return _ended(
        run(ORIGINAL, requested, requested.original, requested.original.with_name("original-logs"))
    )


def run_migrated(requested: VerifyRequest) -> Side:
    """Run the migrated side."""
    return _ended(
        run(MIGRATED, requested, requested.migrated, requested.migrated.with_name("migrated-logs"))
    )


def _ended(side: Side) -> Side:
    assert not side.outcome.timed_out, side.blamed.last_lines
    return side


def compare(first: Side, second: Side, requested: VerifyRequest) -> tuple[Evidence, set[str]]:
    """Return the reasons against a pass, and the codes of what a device would refuse."""
    report = run_report.report(second.findings, second.folder)
    codes = {finding.code for finding in report.findings}
    return judge(first, second, requested.tolerance, None), codes
