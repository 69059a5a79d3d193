"""Checkpoints: which are kept, and that none is ever half there."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from ascendify.errors import UsageError  # noqa: E402
from ascendify.zoo.training import checkpoints  # noqa: E402


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    state = {
        "model": {"weight": torch.arange(6.0).reshape(2, 3)},
        "optimizer": {"state": {0: {"step": torch.tensor(3)}}, "param_groups": [{"lr": 0.1}]},
        "config": {"train": {"ema": None, "boundaries": (1, 2), "channels_last": True}},
    }
    path = checkpoints.save(tmp_path / "new" / "folder", 7, state, keep=2)
    loaded = checkpoints.load(path)
    assert loaded["step"] == 7
    assert torch.equal(loaded["model"]["weight"], state["model"]["weight"])
    assert loaded["config"] == state["config"]


@pytest.mark.parametrize(
    ("saved", "keep", "kept"),
    [
        ([(1, False)], 2, ["step-00000001.pt"]),
        ([(1, False), (2, False), (3, False)], 2, ["step-00000002.pt", "step-00000003.pt"]),
        ([(1, True), (2, False)], 1, ["best.pt", "step-00000002.pt"]),
        ([(1, True), (2, True)], 1, ["best.pt", "step-00000002.pt"]),
        ([(1, False), (1, True)], 5, ["best.pt", "step-00000001.pt"]),
        ([(99_999_999, False), (100_000_000, False)], 1, ["step-100000000.pt"]),
        ([(5, False)], 0, ["step-00000005.pt"]),  # never none at all
    ],
)
def test_kept(tmp_path: Path, saved: list[tuple[int, bool]], keep: int, kept: list[str]) -> None:
    for step, best in saved:
        checkpoints.save(tmp_path, step, {}, keep, best)
    assert names(tmp_path) == kept
    newest = checkpoints.latest(tmp_path)
    assert newest is not None
    assert checkpoints.load(newest)["step"] == max(step for step, _ in saved)


@pytest.mark.parametrize("links", [True, False])
def test_the_best_outlives_its_step(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: Any) -> None:
        raise OSError("links are not supported here")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    for step in range(1, 6):
        checkpoints.save(tmp_path, step, {"value": step * 10}, keep=1, best=step in {1, 3})
    best = checkpoints.best(tmp_path)
    assert best is not None
    assert checkpoints.load(best) == {"value": 30, "step": 3}
    assert names(tmp_path) == ["best.pt", "step-00000005.pt"]


def test_none_yet(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        assert checkpoints.latest(folder) is None
        assert checkpoints.best(folder) is None


class Foreign:
    pass


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "cut short"),
        (b"no checkpoint at all", "is not a checkpoint"),
        (b"PK\x03\x04 cut", "cut short"),
        (pickle.dumps(Foreign), "is not a checkpoint"),
        ("half", "cut short"),
        ("all but a byte", "cut short"),
        ("zip", "cannot be read: "),
        ("object", "cannot be read: "),
        ("damaged", "is damaged: the checksum of"),
        ("other", "it has no 'step'"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes | str, named: str) -> None:
    good = checkpoints.save(tmp_path, 1, {"weight": torch.zeros(1000)}, keep=5)
    broken = tmp_path / "step-00000002.pt"
    whole = good.read_bytes()
    if content == "other":
        torch.save({"weight": torch.zeros(1)}, broken)
    elif content == "object":
        torch.save({"step": 1, "model": Foreign()}, broken)
    elif content == "zip":
        with zipfile.ZipFile(broken, "w") as archive:
            archive.writestr("notes.txt", "something else")
    elif content == "damaged":
        broken.write_bytes(whole.replace(b"\0" * 1000, b"\1" * 1000, 1))
    elif isinstance(content, str):
        broken.write_bytes(whole[: len(whole) // 2 if content == "half" else -1])
    else:
        broken.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        checkpoints.load(broken)
    assert str(broken) in caught.value.message
    assert named in caught.value.message
    assert "copy it again" in caught.value.hint
    assert "step-00000001.pt" in caught.value.hint


def test_a_byte_that_changes_is_reported_or_makes_no_difference(tmp_path: Path) -> None:
    good = checkpoints.save(tmp_path, 1, {"weight": torch.arange(9)}, keep=5)
    whole, reported = good.read_bytes(), 0
    for place in range(0, len(whole), 3):
        changed = bytes([whole[place] ^ 0x80])
        good.write_bytes(whole[:place] + changed + whole[place + 1 :])
        try:
            assert torch.equal(checkpoints.load(good)["weight"], torch.arange(9))
        except UsageError:
            reported += 1
    assert reported > len(whole) // 12


def test_a_name_that_is_not_there(tmp_path: Path) -> None:
    checkpoints.save(tmp_path, 1, {}, keep=5, best=True)
    with pytest.raises(UsageError) as caught:
        checkpoints.load(tmp_path / "step-00000009.pt")
    assert "step-00000009.pt: no such checkpoint" in caught.value.message
    assert "step-00000001.pt, best.pt" in caught.value.hint


def test_code_in_a_file_is_not_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"

    class Attack:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(ran),)

    path = tmp_path / "step-00000001.pt"
    torch.save({"step": Attack()}, path)
    with pytest.raises(UsageError):
        checkpoints.load(path)
    assert not ran.exists()


SAVING = """
import itertools, sys
from pathlib import Path
import torch
from ascendify.zoo.training import checkpoints
state = {"weight": torch.ones(500_000)}
for step in itertools.count(1):
    checkpoints.save(Path(sys.argv[1]), step, state, keep=2, best=step % 3 == 0)
"""


def test_a_killed_process_leaves_whole_checkpoints(tmp_path: Path) -> None:
    """Killed at other moments each time; what has a name can be read, and goes on."""
    for delay in (0.0, 0.003, 0.007):
        process = subprocess.Popen([sys.executable, "-c", SAVING, str(tmp_path)])
        deadline = time.monotonic() + 120
        started = checkpoints.latest(tmp_path)
        while checkpoints.latest(tmp_path) == started and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(delay)
        process.kill()
        process.wait()
        for path in tmp_path.glob("*.pt"):
            assert checkpoints.load(path)["weight"].sum() == 500_000
        for path in tmp_path.glob("step-*.pt"):
            path.unlink()
    checkpoints.save(tmp_path, 1, {}, keep=1)
    assert [path.name for path in tmp_path.glob(".*")] == []
