"""``ascendify summary`` reads the log of a run: its lines are those of the guides."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from ascendify.launch.summary import summarise
from ascendify.zoo import networks
from ascendify.zoo.recipe import Progress

VALUES = {
    "crnn": {
        "loss": 2.5, "seq_distance_unmerged": 0.5, "per_char_unmerged": 0.25, "per_char": 0.75,
        "full_sequence": 0.625, "seq_distance": 0.375, "cer": 0.25, "samples": 256.0,
    },
    "attention-ocr": {
        "character_accuracy": 0.75, "sequence_accuracy": 0.625, "sequence_accuracy_strict": 0.5,
        "samples": 256.0,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_the_lines_of_a_network_are_understood(tmp_path: Path, name: str) -> None:
    recipe = networks.find(name)
    made = recipe(next(iter(recipe.presets().values())))
    lines = [
        made.training_line(Progress(step, 40.0 - step / 100, 0.001, 256.0, 0.25, {}))
        for step in (100, 200, 300)
    ]
    lines += made.evaluation_lines(300, VALUES[name])
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    found = summarise(tmp_path).first
    assert (found.first_step, found.last_step, found.step_seconds) == (100, 300, 0.25)
    assert found.loss is not None
    assert (found.loss.final, found.loss.readings) == (37.0, 3)
    assert found.eval_accuracy is not None
    assert (found.eval_accuracy.final, found.eval_accuracy.readings) == (0.625, 1)
    if name == "crnn":
        assert (found.throughput, found.batch_size) == (256.0, 64)
