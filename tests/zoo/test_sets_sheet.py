"""Contact sheets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL")

from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo.sets.sheet import write_sheet


def test_each_sample_has_its_place_and_its_label(tmp_path: Path) -> None:
    samples = [(np.full((10, 40, 3), 40 * number, np.uint8), f"n{number}") for number in range(5)]
    write_sheet(samples, tmp_path / "new/sheet.png", columns=3)
    with Image.open(tmp_path / "new/sheet.png") as file:
        sheet = np.asarray(file)
    assert sheet.shape == (2 * 30 + 6, 3 * 46 + 6, 3)
    for number in range(5):
        row, column = divmod(number, 3)
        top, left = 6 + row * 30, 6 + column * 46
        assert (sheet[top : top + 10, left : left + 40] == 40 * number).all()
        assert sheet[top + 10 : top + 24, left : left + 40].min() < 100  # something is written
    assert (sheet[36:, 98:] == 255).all()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    samples = [(np.zeros((10, 40, 3), np.uint8), "")]
    with pytest.raises(UsageError, match=r"a\.png cannot be written: .*(Not a directory|exists)"):
        write_sheet(samples, tmp_path / "file/a.png")
