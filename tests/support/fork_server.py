"""A process that has loaded ascendify, and forks of it that run one command each.

Loading takes longer than most commands. A fork is a process like any other, with streams, a
folder, an environment, signals and an exit code of its own, and runs ``ascendify.__main__`` as
``python -m ascendify`` does; only the loading is shared. ``support.commands`` starts the server and
decides which commands run in it.

``python fork_server.py SOCKET MODULES COMMANDS`` (two lists, as JSON) imports the modules and runs
the commands, so that what they load is loaded. One byte on the socket asks for a fork; with it come
five open files: the request as JSON, standard input, output and error, and a pipe for the answer,
which is the process id in one line, and the wait status in another when the process has ended.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any, NoReturn

import ascendify.cli

FOLLOWED = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONWARNINGS")
"""Variables of the interpreter that a fork can still obey."""


def main() -> None:
    """Load what forks need, then answer until nobody can ask any more."""
    number, modules, commands = sys.argv[1:]
    del sys.path[0]  # the folder of this file, which is no part of ascendify's path
    for name in json.loads(modules):
        importlib.import_module(name)
    for arguments in json.loads(commands):
        ascendify.cli.main(arguments)
    channel = socket.socket(fileno=int(number))
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page
    request = _serve(channel)
    if request is not None:
        _run(request)


def _serve(channel: socket.socket) -> dict[str, Any] | None:
    """Fork until the other side is gone; in a fork, return its request."""
    wakened, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the tests, which end this one
    answers: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([channel.fileno(), wakened], [], [])
        if wakened in ready:
            os.read(wakened, 4096)
            _tell_ends(answers)
        if channel.fileno() in ready:
            requested, files, _, _ = socket.recv_fds(channel, 1, 5)
            if not requested:
                return None
            process = os.fork()
            if process == 0:
                return _become(files)
            answers[process] = files.pop()
            os.write(answers[process], b"%d\n" % process)
            for file in files:
                os.close(file)


def _tell_ends(answers: dict[int, int]) -> None:
    while answers:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        answer = answers.pop(process)
        with contextlib.suppress(BrokenPipeError):  # nobody waits for it
            os.write(answer, b"%d\n" % status)
        os.close(answer)


def _become(files: list[int]) -> dict[str, Any]:
    """Take over the streams and the usual signals; return the request."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with os.fdopen(files[0], "rb", closefd=False) as file:
        request: dict[str, Any] = json.load(file)
    for number, stream in enumerate(files[1:4]):
        os.dup2(stream, number)
    os.closerange(3, max(files) + 1024)
    return request


def _run(request: dict[str, Any]) -> None:
    """Run the command in this process, which is a fork."""
    environment = request["environment"]
    os.chdir(request["folder"])
    if request["session"]:
        os.setsid()
    searched = list(filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)))
    sys.path[:] = [*searched, *(entry for entry in sys.path if entry not in searched)]
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the environment names it
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    unbuffered = bool(environment.get("PYTHONUNBUFFERED"))
    sys.stdout.reconfigure(write_through=unbuffered)  # type: ignore[union-attr]  # a real stream
    for action in filter(None, environment.get("PYTHONWARNINGS", "").split(",")):
        warnings.simplefilter(action)
    sys.argv = ["ascendify", *request["arguments"]]
    sys.path.insert(0, str(Path.cwd()))  # as -m does
    try:
        runpy.run_module("ascendify", run_name="__main__", alter_sys=True)
    except SystemExit as leaving:
        if not isinstance(leaving.code, int):
            raise
        _leave(leaving.code)


def _leave(code: int) -> NoReturn:
    """End as the interpreter does, but for taking apart what the server loaded."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, then calls theirs
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
