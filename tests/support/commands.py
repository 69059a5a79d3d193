"""The command line, as a user's shell runs it: exit code, output, errors.

``ascendify`` runs a command in a fork of a process that has loaded the package, which saves half a
second each; ``ascendify_process`` starts an interpreter for it. Both give the same result, which
tests/cli/test_cli_processes.py shows for every command. A test of how a command starts or imports,
or one that watches it while it runs, takes the second.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from support.forks import ForkServer

_PROJECT = Path(__file__).parents[2] / "examples" / "session-mnist"
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
_SERVER = ForkServer(
    commands=[
        ("rules",),
        ("api", "tf.Session"),
        ("check", str(_PROJECT), "--jobs", "1"),
        ("migrate", str(_PROJECT), "--diff", "--jobs", "1"),
        ("ranktable", "create", "--devices", "1"),
        ("summary", str(_PROJECT)),
        ("launch", "--dry-run", "true"),
        ("run", "--help"),
        ("verify", "--help"),
    ]
)
LIMIT_SECONDS = 600
"""For what takes a second or two, on a machine with much to do."""


def ascendify(
    *args: str | Path,
    cwd: Path | None = None,
    stdin: IO[Any] | None = None,
    env: Mapping[str, str] | None = None,
    variables: Mapping[str, str] = _NO_VARIABLES,
) -> subprocess.CompletedProcess[str]:
    """Run a command without a terminal; ``env`` replaces the environment, variables add to it."""
    environment = _environment(env, variables)
    if not _SERVER.can_run(environment):
        return ascendify_process(*args, cwd=cwd, stdin=stdin, env=environment)
    arguments = [str(argument) for argument in args]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        with Path(os.devnull).open("rb") as nothing:
            streams = [file.fileno() for file in (stdin or nothing, out, errors)]
            running = _SERVER.start(arguments, environment, cwd or Path.cwd(), streams)
        try:
            code = running.wait(LIMIT_SECONDS)
        finally:
            running.kill()
        return subprocess.CompletedProcess(arguments, code, _text(out), _text(errors))


def ascendify_process(
    *args: str | Path,
    cwd: Path | None = None,
    stdin: IO[Any] | None = None,
    env: Mapping[str, str] | None = None,
    variables: Mapping[str, str] = _NO_VARIABLES,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that is started for it."""
    arguments = map(str, args)
    environment = _environment(env, variables)
    return run_python("-m", "ascendify", *arguments, cwd=cwd, stdin=stdin, env=environment)


def run_python(
    *args: str,
    cwd: Path | None = None,
    stdin: IO[Any] | None = None,
    env: Mapping[str, str] | None = None,
    variables: Mapping[str, str] = _NO_VARIABLES,
) -> subprocess.CompletedProcess[str]:
    """A process of this interpreter that finds the package from any folder."""
    return subprocess.run(
        (sys.executable, *args),
        cwd=cwd,
        env=_environment(env, variables),
        stdin=stdin or subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=LIMIT_SECONDS,
        check=False,
    )


def _environment(env: Mapping[str, str] | None, variables: Mapping[str, str]) -> dict[str, str]:
    scratch = {"TMPDIR": _scratch()}
    if env is not None:
        return {**scratch, **env, **variables}
    return {**os.environ, "NO_COLOR": "1", "COLUMNS": "200", **scratch, **variables}


@functools.cache
def _scratch() -> str:
    """A folder for what commands leave behind, such as the logs of ``ascendify run``."""
    folder = tempfile.mkdtemp(prefix="ascendify-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="surrogateescape").replace("\r\n", "\n")
