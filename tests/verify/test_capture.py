"""Losses out of real TensorFlow programs that know nothing of being watched."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ascendify.emulation.paths import STARTUP
from ascendify.verify.captured import Capture, read_all
from support.commands import ascendify
from support.interpreters import user_environment

SCRIPTS = Path(__file__).parent / "scripts"


def capture(interpreter: str, script: str, folder: Path) -> Capture:
    """Run a script the way an original is run."""
    done = subprocess.run(
        (interpreter, str(SCRIPTS / script)),
        cwd=folder,
        env={
            **user_environment(),
            "PYTHONPATH": str(STARTUP),
            "ASCENDIFY_SEED": "3",
            "ASCENDIFY_DETERMINISTIC": "1",
            "ASCENDIFY_ON_CPU": "1",
            "ASCENDIFY_ORIGINAL": "1",
            "ASCENDIFY_PRETEND_GPU": "1",
            "ASCENDIFY_CAPTURE": str(folder / "capture-0.jsonl"),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ascendify:" not in done.stderr, done.stderr
    captures = read_all(folder)
    assert len(captures) == 1
    return captures[0]


def test_everything_is_seen_once(preloaded_tensorflow: str, tmp_path: Path) -> None:
    seen = capture(preloaded_tensorflow, "everything.py", tmp_path)
    points = {(one.source, one.name): one.points for one in seen.series}
    steps = {key: [point.step for point in found] for key, found in points.items()}

    # The loss is neither fetched nor printed, and the optimizer inside sees it scaled.
    assert steps["loss", "unseen"] == [1, 2, 3]
    losses = [point.value for point in points["loss", "unseen"]]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < 100
    assert steps["fetch", "accuracy"] == [1]
    # What is fetched while variables change is recorded, and what is fetched alone is not.
    assert steps["fetch", "distance"] == [1, 2]

    assert steps["loss", "mean_squared_error/value"] == [1, 2, 3, 4]
    assert steps["summary", "loss"] == [1, 3]
    assert steps["evaluation", "eval/mae"] == [4]
    assert points["evaluation", "eval/loss"][0].batches == 2

    assert steps["loss", "batch/loss"] == [1, 2, 3]
    assert steps["keras", "epoch/val_loss"] == [1, 2]
    assert points["keras", "epoch/val_loss"][0].batches == 1
    assert points["keras", "evaluate/loss"][0].batches == 4

    # Three, four, and two epochs of one batch and one batch alone.
    assert seen.steps == 3 + 4 + 3
    names = [path.name for path in seen.checkpoints]
    assert names == ["scaled", "model.ckpt-0", "model.ckpt-4", "weights.h5"]
    assert seen.weights is not None
    assert seen.weights.is_file()


def test_sloppy_datasets_and_loops_keep_their_order(preloaded_tensorflow: str) -> None:
    done = subprocess.run(
        (preloaded_tensorflow, str(SCRIPTS / "sloppy.py")),
        env={
            **user_environment(),
            "PYTHONPATH": str(STARTUP),
            "ASCENDIFY_DETERMINISTIC": "1",
            "TF_DETERMINISTIC_OPS": "1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "ascendify:" not in done.stderr, done.stderr
    orders = [line for line in done.stdout.splitlines() if line.startswith("order")]
    assert orders == ["order 0 100 1 101 2 102 3 103 4 104 5 105"] * 2
    # one thread for each of the two queues, and one that closes each of them
    assert "queue 0 1 2 3 4 5 6 7 4\n" in done.stdout
    loops = [line for line in done.stdout.splitlines() if line.startswith("iterations")]
    assert loops == ["iterations 1"] * 2


@pytest.mark.parametrize("altered", ["", " 4"], ids=["twin", "altered"])
def test_twins_in_tensorflow(preloaded_tensorflow: str, tmp_path: Path, altered: str) -> None:
    for name in ("original", "migrated"):
        (tmp_path / name).mkdir()
        shutil.copy(SCRIPTS / "session.py", tmp_path / name / "train.py")
    # The stand-ins take no device list and no GPU, which is what a migration takes out.
    script = tmp_path / "migrated" / "train.py"
    text = script.read_text().replace('visible_device_list = "0"', 'visible_device_list = ""')
    script.write_text(text.replace("/gpu:0", "/cpu:0"))
    reported = tmp_path / "reported.json"
    done = ascendify(
        *("verify", tmp_path / "original", tmp_path / "migrated", "--json", reported),
        *("--original", f"{preloaded_tensorflow} train.py"),
        *("--migrated", f"{preloaded_tensorflow} train.py{altered}", "--no-strict"),
        variables=user_environment(),
    )
    assert done.returncode == 1, done.stdout + done.stderr
    result = json.loads(reported.read_text())
    # nothing of it is migrated, which counts without strict mode, too
    assert result["reasons"][-1].startswith("the migrated project trained without the NPU (it does")
    assert any("--no-strict" in note for note in result["notes"])
    assert (len(result["reasons"]) == 1) is not bool(altered), result["reasons"]
    assert [one["original"] for one in result["series"]] == ["Mean", "seen"]
    if altered:
        assert [one["first_divergence"]["step"] for one in result["series"]] == [4, 4]
    else:
        assert [one["largest_error"] for one in result["series"]] == [0.0, 0.0]
        assert {one["what"] for one in result["weights"]} == {"last checkpoint", "final weights"}
