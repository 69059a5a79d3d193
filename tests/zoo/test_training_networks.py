"""The zoo's own networks in the loop: what holds for a toy holds for them, bit for bit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

from test_training_loop import same, state
from training_processes import records

from ascendify.zoo import runs
from ascendify.zoo.runs import Run
from ascendify.zoo.training.loop import train

SMALL = (
    *("data.samples=40", "data.test_samples=5", "train.batch=8", "train.steps=4"),
    *("train.schedule.warmup=1", "train.log_every=1", "train.evaluate_every=2"),
    *("train.evaluate_batch=4", "train.save_every=1", "train.keep=9", "train.ema=0.9"),
)
NETWORKS = {
    "crnn": ("model.dropout=0.5", "data.augmentation.share=1"),
    "attention-ocr": ("data.augment=true",),
}


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_run_that_goes_on_is_the_run_that_was_never_interrupted(
    tmp_path: Path, name: str, precision: str
) -> None:
    """With dropout, pictures changed at random, an average, and BatchNorm's statistics."""
    words = [*SMALL, *NETWORKS[name], f"train.precision={precision}"]
    whole = runs.plan(runs.Asked(name, tmp_path / "whole", "tiny", overrides=words))
    train(whole, "cpu", quiet=True)
    shutil.copytree(whole.folder, tmp_path / "halves")
    halves = Run(name, tmp_path / "halves", whole.config)
    for step in (3, 4):  # as if it had ended after the second
        (halves.checkpoints / f"step-{step:08d}.pt").unlink()
    train(halves, "cpu", quiet=True)
    assert same(state(halves, 4), state(whole, 4))
    assert not same(state(halves, 4)["model"], state(halves, 2)["model"])
    for kind in ("train", "evaluation"):
        assert records(halves.folder, kind) == records(whole.folder, kind)
