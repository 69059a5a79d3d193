"""Signs that are read, and pictures of where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
import torch
from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo.attention_ocr.model import AttentionModel, AttentionOCR
from ascendify.zoo.attention_ocr.predict import (
    RecognisedSign,
    annotate,
    attention_sheet,
    draw_heat_map,
    open_picture,
    read,
)
from ascendify.zoo.attention_ocr.recipe import TINY

GUIDE = AttentionModel()


def saved(folder: Path, width: int, height: int) -> Path:
    """A red picture whose left half is blue."""
    image = Image.new("RGB", (width, height), "red")
    image.paste("blue", (0, 0, width // 2, height))
    image.save(folder / "sign.png")
    return folder / "sign.png"


@pytest.mark.parametrize(("width", "height"), [(600, 150), (1200, 300), (301, 75)])
def test_four_views_side_by_side_stay_four_views(width: int, height: int, tmp_path: Path) -> None:
    picture = open_picture(saved(tmp_path, width, height), GUIDE)
    assert picture.shape == (150, 600, 3)
    assert picture[75, [10, 290, 310, 590]].tolist() == [[0, 0, 255]] * 2 + [[255, 0, 0]] * 2


@pytest.mark.parametrize(("width", "height"), [(150, 150), (640, 480), (30, 90), (900, 100)])
def test_any_other_picture_is_every_view(width: int, height: int, tmp_path: Path) -> None:
    picture = open_picture(saved(tmp_path, width, height), GUIDE)
    assert picture.shape == (150, 600, 3)
    views = picture.reshape(150, 4, 150, 3)
    assert all((views[:, view] == views[:, 0]).all() for view in range(4))
    assert views[75, 0, [73, 77]].tolist() == [[0, 0, 255], [255, 0, 0]]
    if width != height:
        assert picture[0, 0].tolist() == [128, 128, 128]  # what is left is grey


def test_a_grey_picture_has_three_channels_too(tmp_path: Path) -> None:
    Image.new("L", (600, 150), 7).save(tmp_path / "grey.png")
    assert (open_picture(tmp_path / "grey.png", GUIDE) == 7).all()


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (None, "No such file"),
        (b"", "not a picture"),
        (b"text", "not a picture"),
        (b"cut", "damaged"),
    ],
    ids=["missing", "empty", "text", "cut short"],
)
def test_what_is_no_picture_is_refused(
    content: bytes | None, reported: str, tmp_path: Path
) -> None:
    path = tmp_path / "sign.png"
    if content == b"cut":
        content = saved(tmp_path, 600, 150).read_bytes()[:200]
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=rf"sign\.png cannot be read: .*{reported}"):
        open_picture(path, GUIDE)


def test_reading_gives_texts_up_to_their_end_and_a_map_for_each_character() -> None:
    torch.manual_seed(0)
    config = replace(TINY.model, length=6)
    model = AttentionOCR(config)
    model.decoder.logits.bias.data[7] = 2.0  # it says 7, whatever it sees
    pictures = [np.full((24, 48, 3), level, np.uint8) for level in (0, 255)]
    characters = [*"0123456789", ""]
    signs = read(model, pictures, characters)
    assert [sign.text for sign in signs] == ["777777"] * 2
    assert signs[0].maps.shape == (6, 2, 6, 6)
    assert signs[0].maps.sum((1, 2, 3)) == pytest.approx(np.ones(6), abs=1e-5)
    assert all(0 < sign.confidence < 1 for sign in signs)
    model.decoder.logits.bias.data[config.null] = 9.0
    assert [sign.text for sign in read(model, pictures, characters)] == ["", ""]


def test_a_picture_glows_where_the_network_looked() -> None:
    maps = np.zeros((4, 16, 16), np.float32)
    maps[2, 4, 12] = 0.5
    glow = draw_heat_map(np.full((150, 600, 3), 100, np.uint8), maps).astype(int)
    row, column = np.unravel_index(glow[:, :, 0].argmax(), glow.shape[:2])
    assert abs(row - 4.5 * 150 / 16) < 5
    assert abs(column - (300 + 12.5 * 150 / 16)) < 5
    assert glow[140, 10].tolist() == [30, 30, 30]  # elsewhere it is dark


@pytest.mark.parametrize("shape", [(150, 600, 3), (24, 48, 3)], ids=["guide", "tiny"])
def test_a_sheet_has_the_picture_its_text_and_a_row_for_each_character(
    shape: tuple[int, int, int],
) -> None:
    picture = np.full(shape, 200, np.uint8)
    height = 600 * shape[0] // shape[1]
    sign = RecognisedSign("Rue é", 0.875, np.full((5, 2, 6, 6), 1 / 72, np.float32))
    assert annotate(picture, sign).size == (600, height + 36)
    sheet = attention_sheet(picture, sign)
    assert sheet.size == (656, height + 36 + 5 * (height + 4))
    empty = RecognisedSign("", 0.5, np.zeros((0, 2, 6, 6), np.float32))
    assert attention_sheet(picture, empty).size == (656, height + 36)


def test_a_long_text_stays_inside_the_picture() -> None:
    sign = RecognisedSign("W" * 37, 1.0, np.zeros((0, 4, 16, 16), np.float32))
    below = np.asarray(annotate(np.zeros((150, 600, 3), np.uint8), sign))[150:]
    assert (below[:, -4:] == 255).all()
    assert (below[:, 300:500] < 128).any()
