"""Files made by many processes: whole or not at all, and the same however often it is ended."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL")

from ascendify.errors import UsageError
from ascendify.zoo.records import RecordFile
from ascendify.zoo.sets.generate import DataSetPlan, LeftOut, generate, make_shards, read_manifest

SCRIPT = """
import sys
from pathlib import Path
from test_sets_generate import Numbers, plan
from ascendify.errors import UsageError
from ascendify.zoo.sets.generate import generate

if __name__ == "__main__":
    try:
        generate(plan(Numbers(pause=float(sys.argv[2]))), Path(sys.argv[1]), workers=2)
    except UsageError as error:
        sys.exit(f"{error.message}|{error.hint}")
"""


@dataclass(frozen=True)
class Numbers:
    """Samples that are made slowly, fail, or kill who makes them."""

    pause: float = 0.0
    bad: int = -1
    fatal: int = -1
    lost: tuple[int, ...] = ()

    def record(self, index: int) -> bytes:
        time.sleep(self.pause)
        if index == self.bad:
            raise UsageError(f"sample {index} is bad", "mend it")
        if index == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        if index in self.lost:
            raise LeftOut(f"sample {index}: lost")
        return f"sample {index}".encode() * 20


def plan(source: Numbers, count: int = 60, files: int = 6, **settings: Any) -> DataSetPlan:
    shards = make_shards("train", count, files, lambda k: f"files/train_{k}.tfrecords", first=1)
    return DataSetPlan({"count": count, **settings}, {"train": source}, shards)


def contents(folder: Path) -> dict[str, bytes]:
    """All files, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def start(folder: Path, pause: float, **options: Any) -> subprocess.Popen[str]:
    script = folder.parent / "make.py"
    script.write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(pause)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def wait_for(folder: Path, pattern: str, count: int = 1) -> None:
    until = time.monotonic() + 300
    while len(list(folder.glob(pattern))) < count:
        assert time.monotonic() < until, list(folder.rglob("*"))
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("count", "files", "sizes"),
    [(10, 3, [3, 3, 4]), (2, 5, [1, 1]), (7, 1, [7]), (0, 3, []), (5, 0, [5])],
)
def test_samples_are_dealt_evenly(count: int, files: int, sizes: list[int]) -> None:
    shards = make_shards("train", count, files, str)
    assert [len(shard) for shard in shards] == sizes
    assert [index for shard in shards for index in range(shard.start, shard.stop)] == list(
        range(count)
    )


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_any_number_of_workers_makes_the_same_files(tmp_path: Path, workers: int) -> None:
    reported: list[tuple[int, int]] = []
    made = generate(plan(Numbers()), tmp_path, workers, lambda *now: reported.append(now))
    assert (made.samples, made.found, list(made.left_out)) == (60, 0, [])
    assert reported[-1] == (60, 60)
    assert sorted(reported) == reported
    records = [
        record
        for number in range(1, 7)
        for record in RecordFile(tmp_path / f"files/train_{number}.tfrecords")
    ]
    assert records == [Numbers().record(index) for index in range(60)]


def test_a_manifest_says_what_is_there(tmp_path: Path) -> None:
    generate(plan(Numbers(), seed=3), tmp_path, 1)
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert manifest["settings"] == {"count": 60, "seed": 3}
    assert manifest["counts"] == {"train": 60}
    assert manifest["complete"] is True
    assert set(manifest["versions"]) == {"ascendify", "python", "numpy", "pillow"}
    assert [(tmp_path / name).exists() for name in manifest["files"]] == [True] * 6


def test_a_second_run_makes_only_what_is_missing(tmp_path: Path) -> None:
    generate(plan(Numbers()), tmp_path, 2)
    before = contents(tmp_path)
    kept = tmp_path / "files/train_1.tfrecords"
    changed = kept.stat().st_mtime_ns
    (tmp_path / "files/train_2.tfrecords").unlink()
    (tmp_path / "files/train_6.tfrecords").unlink()
    made = generate(plan(Numbers()), tmp_path, 2)
    assert (made.samples, made.found) == (20, 40)
    assert contents(tmp_path) == before
    assert kept.stat().st_mtime_ns == changed


def test_killed_runs_leave_whole_files_and_the_next_one_goes_on(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    generate(plan(Numbers()), whole, 2)
    run = start(cut, pause=0.1)
    wait_for(cut, "files/train_*")
    wait_for(cut, "files/.train_*")  # another is being written
    run.kill()
    wait_till_gone(run)
    (tmp_path / "cut/files/.train_6.tfrecords.99999999").write_bytes(b"half a file of long ago")
    before = contents(cut)
    finished = [name for name in before if name.startswith("files/train_")]
    assert 0 < len(finished) < 6
    assert all(before[name] == contents(whole)[name] for name in finished)
    manifest = read_manifest(cut)
    assert manifest is not None
    assert manifest["complete"] is False
    made = generate(plan(Numbers()), cut, 2)
    assert made.found >= 10 * len(finished)
    assert contents(cut) == contents(whole)


def wait_till_gone(run: subprocess.Popen[str]) -> None:
    """Workers of a killed run find out by themselves."""
    run.communicate(timeout=300)
    until = time.monotonic() + 300
    while time.monotonic() < until:
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("workers outlive the run that was killed")


def test_ctrl_c_leaves_only_whole_files(tmp_path: Path) -> None:
    cut = tmp_path / "cut"
    run = start(cut, pause=0.1)
    wait_for(cut, "files/train_*")
    os.killpg(run.pid, signal.SIGINT)
    _, reported = run.communicate(timeout=300)
    assert run.returncode != 0
    assert reported.count("KeyboardInterrupt") == 1, (
        reported
    )  # of the run itself; no worker says a word
    left = [name for name in contents(cut) if name != "manifest.json"]
    assert 0 < len(left) < 6
    assert all(name.startswith("files/train_") for name in left)
    for name in left:
        assert len(RecordFile(cut / name)) == 10


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": 2}, "seed is 1 there, 2 here"),
        ({"seed": 1, "style": "x"}, "style is None there, 'x' here"),
        ({}, "seed is 1 there, None here"),
    ],
)
def test_other_settings_need_another_folder(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    generate(plan(Numbers(), seed=1), tmp_path, 1)
    before = contents(tmp_path)
    with pytest.raises(UsageError, match=message) as caught:
        generate(plan(Numbers(), **settings), tmp_path, 1)
    assert str(tmp_path) in caught.value.message
    assert "another folder" in caught.value.hint
    assert contents(tmp_path) == before


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
def test_a_broken_manifest_is_reported(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(UsageError, match=r"manifest\.json cannot be read"):
        generate(plan(Numbers()), tmp_path, 1)


def test_a_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file is not a folder"):
        generate(plan(Numbers()), tmp_path / "file", 1)


def test_a_full_disk_is_reported_and_leaves_no_half_files(tmp_path: Path) -> None:
    def no_large_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    run = start(tmp_path / "set", pause=0.0, preexec_fn=no_large_files)
    _, reported = run.communicate(timeout=300)
    assert run.returncode == 1
    message, _, hint = reported.strip().partition("|")
    assert "tfrecords cannot be written: File too large" in message
    assert "room" in hint
    assert "\n" not in reported.strip()
    assert list(contents(tmp_path / "set")) == ["manifest.json"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Numbers(bad=31), "sample 31 is bad"),
        (Numbers(fatal=31), "a worker exited with status -9"),
    ],
)
@pytest.mark.parametrize("workers", [2, 4])
def test_what_fails_in_a_worker_ends_the_run(
    tmp_path: Path, source: Numbers, message: str, workers: int
) -> None:
    with pytest.raises(UsageError, match=message):
        generate(plan(source), tmp_path, workers)
    generate(plan(Numbers()), tmp_path, workers)
    assert len(contents(tmp_path)) == 7
    assert not [name for name in contents(tmp_path) if "/." in name]


@pytest.mark.parametrize("workers", [1, 3])
def test_what_is_left_out_is_listed_in_order_also_later(tmp_path: Path, workers: int) -> None:
    lost = (0, 15, 16, 59)
    source = Numbers(lost=lost)
    made = generate(plan(source), tmp_path, workers)
    assert list(made.left_out) == [f"sample {index}: lost" for index in lost]
    (tmp_path / "files/train_6.tfrecords").unlink()
    again = generate(plan(source), tmp_path, workers)
    assert again.left_out == made.left_out
    assert (tmp_path / "left-out.txt").read_text().splitlines() == list(made.left_out)
    assert json.loads((tmp_path / "manifest.json").read_text())["left_out"] == 4
    sizes = [len(RecordFile(tmp_path / f"files/train_{k}.tfrecords")) for k in range(1, 7)]
    assert sizes == [9, 8, 10, 10, 10, 9]
