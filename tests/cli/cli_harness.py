"""What the tests of the command line share: real processes, small projects, made-up reports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ascendify.findings import Effort, Finding, RuleInfo, Span, Status
from ascendify.reports.model import FileAction, FileEntry, Report

SESSION = "import tensorflow as tf\n\nwith tf.Session() as sess:\n    sess.run(tf.constant(1))\n"
"""A TensorFlow 1 program that cannot stay as it is."""


def ascendify(
    *args: str | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command as a user's shell runs it, without a terminal and with nothing on stdin."""
    return run_python("-m", "ascendify", *map(str, args), cwd=cwd, **environment)


def run_python(
    *args: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A process of this interpreter that finds the package from any folder."""
    return subprocess.run(
        (sys.executable, *args),
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def write_project(root: Path, **sources: str) -> Path:
    """A project of one module per keyword, ``train`` unless told otherwise."""
    root.mkdir(parents=True, exist_ok=True)
    for name, source in (sources or {"train": SESSION}).items():
        (root / f"{name}.py").write_text(source, encoding="utf-8")
    return root


def made_up(
    statuses: Iterable[Status] = (),
    *,
    efforts: Iterable[Effort] = (),
    changed: bool = False,
    unreadable: bool = False,
    command: str = "check",
) -> Report:
    """A report with one finding for each status and effort."""
    kinds = [(status, Effort.NONE) for status in statuses]
    kinds += [(Status.MANUAL, effort) for effort in efforts]
    findings = tuple(
        Finding("TF1-SESS-1", status, "train.py", Span(3, 6, 3, 18), "a session", effort=effort)
        for status, effort in kinds
    )
    files = [FileEntry("kept.py", FileAction.UNCHANGED)]
    if changed:
        files.append(FileEntry("train.py", FileAction.CHANGED, "a = 1\n", "a = 2\n"))
    if unreadable:
        files.append(FileEntry("old.py", FileAction.UNREADABLE, reason="Python 2", line=1))
    rule = RuleInfo("TF1-SESS-1", "Give every session an NPU", "Sessions run on the CPU.", "tf1")
    return Report(
        command=command,
        version="0.0.0",
        root="project",
        output=None,
        files=tuple(files),
        findings=findings,
        rules={rule.code: rule},
    )
