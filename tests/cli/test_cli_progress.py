"""The progress bar: only on a terminal, only when the run lasts, gone when it ends."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from ascendify.cli import progress as module
from ascendify.cli.progress import progress

pty = pytest.importorskip("pty", reason="needs a Unix terminal")

_RUN = """
from ascendify.cli import progress as module
module.PATIENCE_SECONDS = {patience}
with module.progress(quiet=False) as advance:
    for done in range(1, 4):
        advance(done, 3, f"models/layer{{done}}.py")
"""


def on_a_terminal(script: str) -> str:
    """What a script shows on a terminal's stderr."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        (sys.executable, "-c", script),
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                read = os.read(ours, 4096)
            except OSError:  # Linux reports the end of a terminal as an input/output error.
                break
            if not read:
                break
            shown += read
    os.close(ours)
    assert process.returncode == 0
    return shown.decode()


def test_a_long_run_shows_a_bar() -> None:
    shown = on_a_terminal(_RUN.format(patience=0))
    assert "3/3" in shown
    assert "models/layer3.py" in shown


def test_a_large_file_moves_the_bar_before_it_is_done() -> None:
    script = _RUN.format(patience=0).replace("range(1, 4)", "(0.25, 0.5)")
    shown = on_a_terminal(script)
    assert "0/3" in shown
    assert "models/layer0.5.py" in shown


def test_a_short_run_shows_nothing() -> None:
    assert on_a_terminal(_RUN.format(patience=60)) == ""


def test_the_bar_waits_a_second() -> None:
    assert module.PATIENCE_SECONDS == 1.0


@pytest.mark.parametrize("quiet", [True, False], ids=["quiet", "not-a-terminal"])
def test_nobody_sees_it(monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    stderr = io.StringIO()
    stderr.isatty = lambda: quiet  # type: ignore[method-assign]  # the one thing that differs
    monkeypatch.setattr(sys, "stderr", stderr)
    with progress(quiet) as advance:
        assert advance is None
    assert stderr.getvalue() == ""
