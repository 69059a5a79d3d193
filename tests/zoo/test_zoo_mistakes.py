"""What users do wrong, and what machines do to them: two lines, and nothing of theirs is lost."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from PIL import Image  # noqa: E402

from ascendify.cli.app import run  # noqa: E402
from ascendify.errors import UsageError  # noqa: E402
from ascendify.zoo import files  # noqa: E402
from ascendify.zoo.picture_files import open_rgb  # noqa: E402
from ascendify.zoo.predict import _names  # noqa: E402
from ascendify.zoo.runs import TrainingRun  # noqa: E402
from ascendify.zoo.sets.sheet import write_sheet  # noqa: E402
from ascendify.zoo.training import checkpoints  # noqa: E402
from support.toy import Config  # noqa: E402
from support.training_processes import TESTS, TOY, TRAIN, start  # noqa: E402

TINY = ("crnn", "--preset", "tiny", "--device", "cpu")
TRAIN_TOY = ("zoo", "train", TOY, "--device", "cpu", "train.evaluate_every=0")


@pytest.fixture(autouse=True)
def _toy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)


@contextmanager
def little_room(size: int) -> Iterator[None]:
    """Files can have so many bytes, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def reported(capsys: pytest.CaptureFixture[str], *words: str | Path) -> list[str]:
    """The lines of a command that fails."""
    assert run(["zoo", *map(str, words)]) == 2
    return capsys.readouterr().err.splitlines()


# --- recipes of users


@pytest.mark.parametrize(
    ("name", "error", "hint"),
    [
        (":", ": is not package.module:Class", "such as my.module:Recipe"),
        (":Class", ":Class is not package.module:Class", "such as my.module:Recipe"),
        (".mod:Class", ".mod:Class is not package.module:Class", "such as my.module:Recipe"),
        ("a/b.py:Class", "a/b.py:Class is not package.module:Class", "such as my.module:Recipe"),
        ("ascendify.zoo.recipe:Recipe",
         "ascendify.zoo.recipe:Recipe has no data, evaluation_lines, loss, metrics, model, outputs,"
         " presets, training_line", "give the class these methods"),
        ("fails:Net", "fails cannot be imported: FOLDER/fails.py:2: ZeroDivisionError: division by"
         " zero", "python -c 'import fails' shows more"),
        ("needs:Net", "FOLDER/needs.py:1: needs:Net needs a module nowhere_to_be_found, which is"
         " not there",
         "install it, or start in the folder that holds it, or set PYTHONPATH"),
    ],
)  # fmt: skip
def test_recipes_that_are_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    error: str,
    hint: str,
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "fails.py").write_text("one = 1\none / 0\n")
    (tmp_path / "needs.py").write_text("import nowhere_to_be_found\n")
    error = error.replace("FOLDER", str(tmp_path))
    lines = reported(capsys, "train", name, "--out", tmp_path / "run")
    assert lines == [f"error: {error}", f"hint: {hint}"]


# --- settings


@pytest.mark.parametrize(
    "word",
    [
        "model.batch_norm_momentum=-3",
        "model.batch_norm_epsilon=0",
        "model.output_deviation=-1",
        "data.augmentation.share=2",
        "data.augmentation.blur=-1",
        "data.augmentation.scale=5",
        "data.augmentation.noise=nan",
        "train.schedule.warmup=-5",
        "train.schedule.power=-1",
        "train.schedule.end=-1",
        "train.schedule.decay=nan",
        "train.schedule.factors=1,inf",
        "train.loss_scale.grow=0",
        "train.loss_scale.shrink=-1",
        "train.loss_scale.value=1e300",
    ],
)
def test_numbers_that_mean_nothing_leave_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    error, hint = reported(capsys, "train", *TINY, "--out", tmp_path / "run", word)
    assert error.startswith(f"error: {word.partition('=')[0]} is ")
    assert hint.startswith("hint: it must be ")
    assert not (tmp_path / "run").exists()


def test_a_benchmark_has_settings_that_fit_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(capsys, "bench", *TINY, "train.steps=5") == [
        "error: train.schedule.warmup=50 does not end before train.steps=5",
        "hint: make the warm-up shorter or the run longer",
    ]


def test_strict_is_for_conversion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(capsys, "data", "crnn", "--out", tmp_path / "set", "--strict") == [
        "error: --strict is for --from",
        "hint: leave --strict out",
    ]


def test_data_to_evaluate_with_is_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*TRAIN_TOY, "--out", str(tmp_path), "train.steps=1"]) == 0
    capsys.readouterr()
    assert reported(capsys, "evaluate", tmp_path, "--device", "cpu", "--data", "nowhere") == [
        "error: --data nowhere is not a folder",
        "hint: name the folder of the data",
    ]


# --- checkpoints


@pytest.mark.parametrize(
    ("checkpoint", "error"),
    [
        ("", ": no such checkpoint"),
        (".", ".: no such checkpoint"),
        ("FOLDER/other.pt", "FOLDER/other.pt: is a file of torch, but not a checkpoint of a run: it"
         " has no 'model'"),
    ],
)  # fmt: skip
def test_checkpoints_that_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], checkpoint: str, error: str
) -> None:
    assert run([*TRAIN_TOY, "--out", str(tmp_path / "run"), "train.steps=1"]) == 0
    capsys.readouterr()
    torch.save({"step": 3}, tmp_path / "other.pt")
    name = checkpoint.replace("FOLDER", str(tmp_path))
    lines = reported(capsys, "evaluate", tmp_path / "run", "--checkpoint", name, "--device", "cpu")
    assert lines[0] == f"error: {error.replace('FOLDER', str(tmp_path))}"


# --- disks that are full, folders that are taken


def test_a_checkpoint_without_room(tmp_path: Path) -> None:
    first = checkpoints.save(tmp_path, 1, {"weight": torch.zeros(10)}, keep=1)
    with little_room(20_000), pytest.raises(UsageError) as caught:
        checkpoints.save(tmp_path, 2, {"weight": torch.zeros(100_000)}, keep=1)
    second = tmp_path / "step-00000002.pt"
    assert caught.value.message == f"{second} cannot be written: File too large"
    assert [*tmp_path.iterdir()] == [first]


@pytest.mark.parametrize("room", [10, 400])
def test_a_run_without_room(tmp_path: Path, capsys: pytest.CaptureFixture[str], room: int) -> None:
    with little_room(room):
        assert run([*TRAIN_TOY, "--out", str(tmp_path / "run")]) == 2
    error, hint = capsys.readouterr().err.splitlines()
    assert error.startswith(f"error: {tmp_path / 'run'}")
    assert error.endswith(" cannot be written: File too large")
    assert hint.startswith("hint: make room, or name another ")
    left = [path.name for path in (tmp_path / "run").iterdir() if path.name.startswith(".")]
    assert left == []


def test_a_picture_without_room_leaves_the_one_before(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    samples = [(random.integers(0, 256, (32, 100, 3), np.uint8), "")] * 4
    path = tmp_path / "sheet.png"
    write_sheet(samples[:1], path)
    before = path.read_bytes()
    with little_room(5_000), pytest.raises(UsageError, match=r"sheet\.png cannot be written: File"):
        write_sheet(samples, path)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


def test_a_folder_below_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    below = tmp_path / "file" / "set"
    count = ("--count", "1", "--test-count", "1")
    assert reported(capsys, "data", "crnn", "--out", below, *count)[0] == (
        f"error: {below}/manifest.json cannot be written: Not a directory"
    )
    assert reported(capsys, *TRAIN_TOY[1:], "--out", below)[0] == (
        f"error: {below} cannot be written: Not a directory"
    )


def test_two_runs_cannot_have_one_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with files.lock_folder(tmp_path, ""):
        assert reported(capsys, *TRAIN_TOY[1:], "--out", tmp_path) == [
            f"error: another process is writing to {tmp_path}",
            "hint: wait until it is done, or name another --out",
        ]
        assert [*tmp_path.iterdir()] == []
    assert run([*TRAIN_TOY, "--out", str(tmp_path), "train.steps=1"]) == 0


# --- logs


def test_lines_of_steps_that_are_done_again_are_written_once(tmp_path: Path) -> None:
    train = [*TRAIN_TOY, "--out", str(tmp_path), "--quiet", "train.save_every=2", "train.steps=6"]
    assert run(train) == 0
    (tmp_path / "checkpoints" / "step-00000006.pt").unlink()  # as if killed after its fifth step
    with (tmp_path / "train.log").open("a") as log:
        log.write("step 7: lo")
    assert run([*train, "--resume", "train.steps=8"]) == 0
    steps = [line.partition(":")[0] for line in (tmp_path / "train.log").read_text().splitlines()]
    assert steps[:8] == [f"step {number}" for number in range(1, 9)]
    assert sum(line.startswith("step ") for line in steps[8:]) == 1  # the evaluation


def test_a_reader_that_goes_away_ends_the_run_with_a_checkpoint(tmp_path: Path) -> None:
    steps = ("train.steps=1000000", "train.evaluate_every=0")
    with start(*TRAIN, "--out", tmp_path / "run", "--device", "cpu", *steps) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()  # as head does
        said = process.stderr.read()
    assert process.returncode == 141, said  # what shells report for SIGPIPE
    # PyTorch may add a warning about the machine; neither of these is one
    assert "Traceback" not in said and "BrokenPipeError" not in said
    (error,) = (line for line in said.splitlines() if line.startswith("error: "))
    (hint,) = (line for line in said.splitlines() if line.startswith("hint: "))
    assert error.startswith("error: interrupted after step ")
    assert hint.endswith(" has a checkpoint of it; --resume goes on")
    assert len([*(tmp_path / "run" / "checkpoints").iterdir()]) == 1


# --- pictures


def grey(level: int) -> tuple[int, int, int]:
    """A colour."""
    return (level, level, level)


@pytest.mark.parametrize(
    ("name", "picture", "seen"),
    [
        ("a.png", Image.new("RGB", (4, 4), (10, 20, 30)), (10, 20, 30)),
        ("a.png", Image.new("RGB", (1, 1), (10, 20, 30)), (10, 20, 30)),
        ("a.png", Image.new("L", (4, 4), 100), grey(100)),
        ("a.png", Image.new("1", (4, 4), 1), grey(255)),
        ("a.png", Image.fromarray(np.full((4, 4), 25700, np.uint16)), grey(100)),  # 16 bits
        ("a.tiff", Image.fromarray(np.full((4, 4), 25700, np.int32)), grey(100)),
        ("a.png", Image.new("RGBA", (4, 4), (10, 20, 30, 255)), (10, 20, 30)),
        ("a.png", Image.new("RGBA", (4, 4), (0, 0, 0, 0)), grey(255)),  # as on a page
        ("a.png", Image.new("LA", (4, 4), (0, 0)), grey(255)),
        ("a.tiff", Image.new("CMYK", (4, 4), (0, 0, 0, 255)), grey(0)),
    ],
)
def test_pictures_are_seen_as_a_viewer_shows_them(
    tmp_path: Path, name: str, picture: Image.Image, seen: tuple[int, int, int]
) -> None:
    picture.save(tmp_path / name)
    found = open_rgb(tmp_path / name)
    assert (found.mode, found.size, found.getpixel((0, 0))) == ("RGB", picture.size, seen)


def test_a_photograph_is_turned_as_its_camera_says(tmp_path: Path) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6  # the camera was held upright
    Image.new("RGB", (40, 20)).save(tmp_path / "a.jpg", exif=turned)
    assert open_rgb(tmp_path / "a.jpg").size == (20, 40)


def test_of_an_animation_the_first_picture_is_seen(tmp_path: Path) -> None:
    white, black = Image.new("RGB", (4, 4), "white"), Image.new("RGB", (4, 4))
    white.save(tmp_path / "a.gif", save_all=True, append_images=[black])
    assert open_rgb(tmp_path / "a.gif").getpixel((0, 0)) == grey(255)


def test_large_pictures(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    Image.new("1", (10_000, 9_000)).save(tmp_path / "large.png")
    assert open_rgb(tmp_path / "large.png").size == (10_000, 9_000)
    assert not recwarn.list
    Image.new("1", (20_000, 9_000)).save(tmp_path / "huge.png")
    with pytest.raises(UsageError, match=r"huge\.png has more than 178,956,970 pixels"):
        open_rgb(tmp_path / "huge.png")


def test_pictures_of_one_name_get_names_of_their_own() -> None:
    pictures = map(Path, ("one.png", "b/one.png", "one-2.png", "c/one.jpg"))
    assert _names([*pictures]) == ["one", "one-2", "one-2-2", "one-3"]


@pytest.mark.parametrize(
    ("file", "reported"),
    [
        ("run/metrics.jsonl", "run/metrics.jsonl cannot be written: Input/output error"),
        (None, "run cannot be written: Input/output error"),
        ("samples/a.png", "samples/a.png cannot be read: Input/output error"),
    ],
)
def test_which_file_is_in_trouble(file: str | None, reported: str) -> None:
    found = TrainingRun(TOY, Path("run"), Config()).file_error(OSError(5, os.strerror(5), file))
    assert found.message == reported
    assert "--resume goes on" in found.hint
