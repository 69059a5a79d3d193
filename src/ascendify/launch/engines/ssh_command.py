"""The command lines of ssh, and the meaning of its error messages."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.jobs.job import Job

FAILED = 255
"""The exit code of ssh itself."""
_BOOTSTRAP = "import sys; r = sys.stdin.buffer; exec(r.read(int(r.readline())))"
"""Runs the program that comes over standard input, after its length."""
_ALWAYS = (
    # ssh must not wait for answers, and must print nothing but our own lines
    "BatchMode=yes",
    "LogLevel=ERROR",
    # options of the user for interactive log-ins must not affect a rank
    "ClearAllForwardings=yes",
    "RemoteCommand=none",
    # one connection per rank: servers allow only ten sessions in one connection
    "ControlMaster=no",
    "ControlPath=none",
    # a server that has gone is noticed within a minute
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
)
_ADVICE = (
    (r"Could not resolve hostname", "check the name, /etc/hosts and ~/.ssh/config"),
    (
        r"Permission denied|Too many authentication failures|no such identity|invalid format",
        "put your key there with ssh-copy-id, or name it with -O identity=FILE; "
        "passwords are not supported",
    ),
    (
        r"[Hh]ost key|HOST IDENTIFICATION|host key is known",
        "connect to it once by hand, and accept its key",
    ),
    (r"Connection refused", "no ssh server listens there; -O port=N names another port"),
    (
        r"timed out|No route to host|Network is unreachable|not responding",
        "the server is off, or a firewall is between; -O connect=SECONDS waits longer",
    ),
    (
        r"kex_exchange",
        "the server refuses more connections at once; its sshd_config has MaxStartups",
    ),
    (
        r"Connection (?:to \S+ )?(?:reset|closed)|Broken pipe|closed by remote host",
        "the network broke, or the server was restarted; ranks stop there without a connection",
    ),
    (r"configuration option|config file", "correct the file of -O config, or ~/.ssh/config"),
)
"""Messages of ssh, each with what to do."""


def number(options: Mapping[str, str], name: str, default: int, most: int = 10**6) -> int:
    """Read an option that is a number.

    Raises:
        UsageError: it is none.
    """
    text = options.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,7}", text) or int(text) > most:
        raise UsageError(f"-O {name}={text} is no number up to {most}", f"such as {name}=22")
    return int(text)


def hosts_of(job: Job) -> list[str]:
    """Return the names by which ssh reaches the servers of a job."""
    return [server.host or server.id for server in job.inventory.servers]


def command(
    options: Mapping[str, str], server: str, arguments: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the ssh command that runs our programs on a server, with more arguments for ssh."""
    given = [word for option in _ALWAYS for word in ("-o", option)]
    given += ["-o", f"ConnectTimeout={number(options, 'connect', 15)}", *user_options(options)]
    python = options.get("python", "python3")
    # everything after the host's name is one line for the shell of the server
    there = shlex.join((python, "-c", _BOOTSTRAP))
    return (options.get("ssh", "ssh"), "-T", "-x", *given, *arguments, "--", server, there)


def user_options(options: Mapping[str, str]) -> list[str]:
    """Return the user's options for ssh as its arguments."""
    given: list[str] = []
    if "config" in options:
        given += ["-F", str(Path(options["config"]).expanduser())]
    if "identity" in options:
        path = str(Path(options["identity"]).expanduser())
        given += ["-i", path, "-o", "IdentitiesOnly=yes"]
    if "user" in options:
        given += ["-l", options["user"]]
    if "port" in options:
        given += ["-p", options["port"]]
    return given


def sent(program: str, data: object) -> bytes:
    """Return what is sent to a server: a program with its length, and one line of input for it."""
    text = program.encode()
    return b"%d\n%s%s\n" % (len(text), text, json.dumps(data).encode())


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else ""


def advice_on(said: str) -> str:
    """Return what to do about an error message of ssh."""
    for pattern, advice in _ADVICE:
        if re.search(pattern, said):
            return advice
    return "try by hand"
