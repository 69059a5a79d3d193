"""What the tests of running share: small scripts, and a look at the processes of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ascendify.processes import Process


def python_process(folder: Path, number: int, source: str, *arguments: str) -> Process:
    """A process of this interpreter that knows its number."""
    script = folder / f"script-{number}.py"
    script.write_text(source, encoding="utf-8")
    return Process(
        command=(sys.executable, str(script), *arguments),
        environment={**os.environ, "NUMBER": str(number), "PYTHONUNBUFFERED": "1"},
        folder=folder,
        log=folder / f"{number}.log",
    )


def is_alive(process: int) -> bool:
    """Whether a process still runs; one that has exited and waits for its parent does not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    try:
        return stat.read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return not Path("/proc/self").exists()


def wait_until(condition: Callable[[], bool], seconds: float = 120.0) -> bool:
    """Whether something comes true in time; on a busy machine, what takes a moment takes long."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def expect_line(process: subprocess.Popen[str], line: str) -> None:
    """Wait for the next line that a process prints; where it is another, show its errors."""
    assert process.stdout is not None
    printed = process.stdout.readline()
    if printed != f"{line}\n":
        process.kill()
        rest, errors = process.communicate()
        raise AssertionError(f"printed {printed + rest!r} instead of {line!r}\n{errors or ''}")


def processes_in(*files: Path) -> list[int]:
    """The process ids that scripts wrote into files, one a line."""
    return [int(word) for file in files for word in file.read_text().split()]
