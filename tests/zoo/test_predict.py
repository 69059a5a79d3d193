"""``ascendify zoo predict``: what it prints, and the pictures it writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
from PIL import Image

from ascendify.cli.app import run as ascendify
from ascendify.errors import UsageError
from ascendify.zoo import networks, settings
from ascendify.zoo.predict import predict
from ascendify.zoo.runs import TrainingRun
from ascendify.zoo.training.loop import train

pytestmark = pytest.mark.xdist_group("predict")  # all read with one network


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TrainingRun:
    """A network that has seen two batches."""
    config = networks.preset(networks.find("attention-ocr"), "tiny")
    words = ("train.steps=2", "train.schedule.warmup=0", "data.samples=64", "data.test_samples=4")
    run = TrainingRun(
        "attention-ocr", tmp_path_factory.mktemp("runs"), settings.override(config, words)
    )
    train(run, "cpu", quiet=True)
    return run


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    """Twenty pictures, more than are read at a time; the first two have the same name."""
    paths = [tmp_path / "a" / "sign.png", tmp_path / "b" / "sign.png"]
    paths += [tmp_path / "b" / f"{number}.jpg" for number in range(18)]
    random = np.random.default_rng(0)
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(random.integers(0, 256, (24, 48, 3), np.uint8)).save(path)
    return paths


def test_every_picture_is_read_in_order_and_shown(
    run: TrainingRun, pictures: list[Path], tmp_path: Path
) -> None:
    found = list(predict(run, pictures, tmp_path / "out", "cpu"))
    assert [each.picture for each in found] == pictures
    written = [path for each in found for path in each.written.values()]
    assert len(set(written)) == 40
    assert sorted(written) == sorted((tmp_path / "out").iterdir())
    assert {path.name for path in written[:4]} == {
        "sign.annotated.png", "sign.attention.png", "sign-2.annotated.png", "sign-2.attention.png",
    }  # fmt: skip
    alone = list(predict(run, pictures[19:], tmp_path / "alone", "cpu"))
    assert alone[0].text == found[19].text
    assert alone[0].confidence == pytest.approx(found[19].confidence)


def reported(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """The exit code of the command, and what it prints."""
    code = ascendify(["zoo", "predict", *map(str, words), "--device", "cpu"])
    return code, *capsys.readouterr()


def test_the_command_tells_the_same_as_text_and_as_json(
    run: TrainingRun, pictures: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, text, _ = reported(capsys, run.folder, *pictures[:2])
    code, out, error = reported(capsys, run.folder, *pictures[:2], "--output-format", "json")
    assert code == 0, error
    found = json.loads(out)
    assert text.splitlines() == [
        f"{each['picture']}: {each['text']} ({each['confidence']:.0%})" for each in found
    ]
    for each in found:
        assert set(each["written"]) == {"annotated", "attention"}
        assert Path(each["written"]["attention"]).parent == run.folder / "predictions"


def test_a_picture_that_is_not_there_is_reported_in_two_lines(
    run: TrainingRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reported(capsys, run.folder, tmp_path / "none.png") == (
        2,
        "",
        f"error: {tmp_path / 'none.png'} cannot be read: No such file or directory\n"
        "hint: name a PNG or JPEG\n",
    )


def test_a_folder_that_cannot_be_written_is_reported(
    run: TrainingRun, pictures: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written: Not a directory"):
        list(predict(run, pictures[:1], tmp_path / "file" / "out", "cpu"))
