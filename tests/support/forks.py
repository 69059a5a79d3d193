"""Commands of ascendify in forks of a process that has loaded it: see ``fork_server``."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from support import fork_server

_FIXED = ("PYTHON", "LC_", "LANG", "TYPER", "FORCE_COLOR", "PY_COLORS", "TERMINAL_WIDTH", "GITHUB")
"""Variables that begin so are read when the interpreter starts or the command line is loaded."""


class Forked:
    """A command that runs in a fork."""

    def __init__(self, arguments: Sequence[str], answer: IO[bytes]) -> None:
        self._arguments = arguments
        self._answer = answer
        first = answer.readline()
        assert first, "the fork server did not start: run support/fork_server.py by hand"
        self.pid = int(first)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, negative for a signal as Popen has it; None while the command runs."""
        return self._ended(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; the exit code."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0.0)
        return code

    def kill(self) -> None:
        """End the command at once if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _ended(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._answer], [], [], seconds)[0]:
            line = self._answer.readline()
            assert line, "the fork server has ended"
            self._answer.close()
            self.returncode = os.waitstatus_to_exitcode(int(line))
        return self.returncode


class ForkServer:
    """A server that is started with its first command and ends with this process.

    It imports modules and runs commands first, so that what they load is loaded.
    """

    def __init__(self, modules: Sequence[str] = (), commands: Sequence[Sequence[str]] = ()) -> None:
        self._loaded = (json.dumps(modules), json.dumps(commands))
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._environment: dict[str, str] = {}
        self._socket: socket.socket | None = None

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        streams: Sequence[int],
        *,
        session: bool = False,
    ) -> Forked:
        """Start a command of ascendify in a fork, and in a session of its own on request."""
        request = {"arguments": arguments, "environment": environment, "folder": str(folder)}
        reader, writer = os.pipe()
        with tempfile.TemporaryFile("w+") as file:
            json.dump({**request, "session": session}, file)
            file.seek(0)
            with self._lock:
                socket.send_fds(self._begun(), [b"."], [file.fileno(), *streams, writer])
        os.close(writer)
        return Forked(arguments, os.fdopen(reader, "rb", buffering=0))

    def can_run(self, environment: Mapping[str, str]) -> bool:
        """Whether a fork does what an interpreter started with this environment would do."""
        if not hasattr(os, "fork"):
            return False
        with self._lock:
            self._begun()
        return all(
            self._environment.get(name) == environment.get(name)
            for name in {*self._environment, *environment}
            if name.startswith(_FIXED) and name not in fork_server.FOLLOWED
        )

    def _begun(self) -> socket.socket:
        if self._socket is None:
            self._environment = dict(os.environ)
            self._socket, theirs = socket.socketpair()
            with theirs:
                number = theirs.fileno()
                self._process = subprocess.Popen(
                    (sys.executable, fork_server.__file__, str(number), *self._loaded),
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(number,),
                )
            atexit.register(self._end)
        return self._socket

    def _end(self) -> None:
        assert self._socket is not None
        assert self._process is not None
        self._socket.close()
        self._process.wait()
