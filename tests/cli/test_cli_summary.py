"""``ascendify summary`` as a user's shell runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from ascendify.pictures import BLUE
from support.commands import ascendify

SLIM = "".join(
    f"global step {step}: loss = {9 - step / 10} ({0.5 if step > 1 else 9} sec/step)\n"
    for step in range(1, 51)
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "crnn"
    folder.mkdir()
    for rank in range(2):
        (folder / f"rank-{rank}.log").write_text("batch_size: 32\n" + SLIM)
    return folder


def test_a_table_and_every_file(run: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / f"out.{name}" for name in ("json", "csv", "case", "plot")}
    options = [argument for name, file in files.items() for argument in (f"--{name}", str(file))]
    done = ascendify("summary", run, *options)
    assert done.returncode == 0, done.stderr
    rows = dict(line.split(maxsplit=1) for line in done.stdout.splitlines()[:5])
    assert rows["Ranks"].strip() == "2"
    assert rows["Throughput"].strip() == "128 samples/s"
    assert "4 (best 4 at step 50)" in done.stdout
    assert json.loads(files["json"].read_text())["throughput"] == 128.0
    assert len(files["csv"].read_text().splitlines()) == 3
    assert "CaseName = crnn_bs32_2p_acc\n" in files["case"].read_text()
    with Image.open(files["plot"]) as picture:
        assert BLUE in {colour for _, colour in picture.getcolors(1 << 16) or []}


def test_one_file_is_a_run_too(run: Path) -> None:
    done = ascendify("summary", run / "rank-1.log", "--batch-size", "8")
    assert done.returncode == 0
    assert "16 samples/s" in done.stdout


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        pytest.param("global step 1: loss = nan (1 sec/step)\n", "1 loss not finite", id="nan"),
        pytest.param(
            "Traceback (most recent call last):\n  File 'x'\nOSError: no [disk] left\n",
            "1 traceback: OSError: no [disk] left",
            id="traceback",
        ),
        pytest.param("", "nothing was read from 1 logs", id="empty"),
        pytest.param("hello\n", "nothing was read from 1 logs", id="nothing-known"),
    ],
)
@pytest.mark.parametrize("options", [(), ("-q",)], ids=["aloud", "quiet"])
def test_what_is_wrong_is_reported(
    text: str, reported: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "train.log").write_text(text)
    done = ascendify("summary", tmp_path, *options)
    assert done.returncode == 1
    assert reported in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["nowhere"], "nowhere does not exist", id="no-folder"),
        pytest.param(["."], "there are no logs in .", id="no-logs"),
        pytest.param([".", "--batch-size", "0"], "--batch-size 0 is no size", id="batch"),
        pytest.param([".", "--ranks", "-1"], "--ranks -1 is no size", id="ranks"),
        pytest.param([".", "--json", "no/x.json"], "no, the folder of --json", id="json"),
        pytest.param([".", "--plot", "."], "--plot . is a folder", id="plot"),
    ],
)
def test_mistakes(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = ascendify("summary", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "hint: " in done.stderr


def test_nothing_to_draw_is_reported(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("Iter #1: 300.0 img/sec per GPU\n")
    done = ascendify("summary", tmp_path, "--plot", tmp_path / "x.png")
    assert (done.returncode, (tmp_path / "x.png").exists()) == (0, False)
    assert "there is no loss to draw" in done.stderr


def test_of_many_ranks_the_slowest_are_shown(tmp_path: Path) -> None:
    for rank in range(40):
        seconds = 0.5 if rank == 33 else 0.1 + rank / 10_000
        text = "".join(f"global step {n}: loss = 1 ({seconds} sec/step)\n" for n in range(4))
        (tmp_path / f"rank-{rank}.log").write_text(text)
    done = ascendify("summary", tmp_path)
    assert "rank 33" in done.stdout
    assert "33" in ranks_in(done.stdout)
    assert len(ranks_in(done.stdout)) == 16
    assert len(ranks_in(ascendify("summary", tmp_path, "-v").stdout)) == 40


def ranks_in(table: str) -> list[str]:
    arguments = [line.split() for line in table.splitlines()]
    return [row[0] for row in arguments if row and row[0].isdigit() and row[-1] == "slim"]
