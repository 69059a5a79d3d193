"""Ports of this machine on which the ranks of a job find each other.

A port that the system gives to a socket may be given away again as soon as that socket is closed,
to any program that connects somewhere: seconds before rank 0 listens there. The ports here are
below those that the system chooses from, and each process begins at a random one.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
import socket
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.jobs.environment import LOOPBACK

_FIRST = 10_000
_CHOSEN_FROM = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUALLY_CHOSEN_FROM = 32_768
_FEWEST = 5_000


def free_port() -> int:
    """Find a port on which nobody listens; no two calls of a process return the same one."""
    return next(port for port in _ports() if _is_free(port))


def check_free(port: int) -> None:
    """Raise ``UsageError`` where a port cannot be listened on."""
    if not 0 < port < 65536:
        raise UsageError(f"--port {port} is no port", "give a number from 1024 to 65535")
    try:
        _listen("0.0.0.0", port)  # noqa: S104 (only to see whether it is free)
    except OSError as error:
        raise UsageError(
            f"port {port} cannot be used: {error.strerror}",
            "leave out --port to have a free one chosen, or end what uses it "
            f"(ss -ltnp 'sport = :{port}' names it)",
        ) from error


@cache
def _ports() -> Iterator[int]:
    try:
        end = int(_CHOSEN_FROM.read_text(encoding="ascii").split()[0])
    except OSError:
        end = _USUALLY_CHOSEN_FROM
    ports = range(_FIRST, max(end, _FIRST + _FEWEST))
    start = secrets.randbelow(len(ports))
    return itertools.cycle((*ports[start:], *ports[:start]))


def _is_free(port: int) -> bool:
    try:
        _listen(LOOPBACK, port)
    except OSError:
        return False
    return True


def _listen(host: str, port: int) -> None:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind((host, port))
