"""``ascendify explain``: codes and logs on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ascendify.cli import main
from support.commands import ascendify

LOG = "start\nRuntimeError: ERR02200 DIST call hccl api failed.\nEI0006: Getting socket\x1b[2J\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "rank-0.log"
    path.write_bytes(LOG.encode() + b"\xff\xfe broken bytes\n")
    return path


def test_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "ej0001"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("EJ0001: The device is still held by an earlier training\n")
    labels = [line.split()[0] for line in page.splitlines()[1:] if line[2] != " "]
    assert labels == ["meaning", "cause", "check", "fix", "source"]
    assert max(map(len, page.splitlines())) <= 100


def test_a_log_names_lines_and_what_follows(log: Path) -> None:
    result = ascendify("explain", log)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"{log}:2: RuntimeError: ERR02200" in result.stdout
    assert f"{log}:3: EI0006: Getting socket [2J" in result.stdout  # no escape reaches a terminal
    assert "look at the others" in result.stdout


def test_a_log_as_json(log: Path) -> None:
    rows = json.loads(ascendify("explain", "--json", log).stdout)
    assert [(row["code"], row["line_number"]) for row in rows] == [("ERR02200", 2), ("EI0006", 3)]
    assert rows[1]["verified"] is True
    assert rows[1]["follows"] is True


def test_a_clean_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").write_text("step 1 loss 0.5\n")
    assert main(["explain", str(tmp_path / "log")]) == 0
    assert "no known code" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "message", "hint"),
    [
        ("EI006", "EI006 is neither a known code nor a file", "did you mean EI00"),
        ("nothing-like-it.log", "nothing-like-it.log is neither", "docs/error-codes.md"),
        (".", ". is a folder", "name files"),
    ],
)
def test_what_cannot_be_explained(
    word: str, message: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", word]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert hint in error
