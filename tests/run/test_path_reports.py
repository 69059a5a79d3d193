"""The user is informed how the NPU was emulated where it matters: on the portable path."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ascendify.cli import main
from ascendify.emulation.path_reports import PathReport, describe, read

TELL = """\
from ascendify_startup.recorder import report_emulation
for _ in range(2):
    report_emulation("2.4.0+cu121", "2.4.0", {path!r}, {why!r})
print("loss 0.5")
"""
PORTABLE = "the NPU is emulated by the portable path"


@pytest.mark.parametrize(
    ("path", "why", "text"),
    [
        ("fast", "", ""),
        ("portable", "", f"{PORTABLE}: slower, same checks (PyTorch 2.4.0+cu121 and torch_npu 2.4"),
        ("portable", "its self-test failed", f"{PORTABLE} because its self-test failed: slower"),
    ],
    ids=["fast", "portable", "with-a-reason"],
)
@pytest.mark.parametrize("command", ["run", "verify"])
def test_the_portable_path_is_reported_once(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    command: str,
    path: str,
    why: str,
    text: str,
) -> None:
    for name, source in (("a", "print('loss 0.5')"), ("b", TELL.format(path=path, why=why))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(source)
    arguments = {
        "run": ["run", "-n", "2", "--project", str(tmp_path / "b")],
        "verify": ["verify", *(str(tmp_path / one) for one in "ab"), "--pattern", "(?P<value>0.5)"],
    }
    assert main([*arguments[command], "--", sys.executable, "train.py"]) == 0
    captured = capfd.readouterr()
    reported = captured.out + captured.err
    assert reported.count(PORTABLE) == bool(text)
    assert text in reported
    assert (sys.executable in reported) == bool(text)


def test_reading_what_processes_recorded(tmp_path: Path) -> None:
    file = tmp_path / "emulation-0.jsonl"
    record = {"source": "emulation", "torch": "2.13.0", "torch_npu": "2.13.0", "path": "fast"}
    file.write_text(f"{json.dumps({**record, 'executable': 'python', 'why': ''})}\n" * 2)
    reports = read([file, tmp_path / "emulation-1.jsonl"])
    assert reports == (PathReport("fast", "2.13.0", "2.13.0", "python"),)
    assert describe(reports) == ()
