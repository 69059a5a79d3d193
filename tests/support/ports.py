"""Ports for servers that a test starts itself, so that two tests never choose the same one.

A port that the system gives to a socket may be given away again as soon as that socket is closed,
to any program that connects somewhere. These are below the range that the system chooses from, and
each process of a run of the tests begins at another place of it.
"""

from __future__ import annotations

import itertools
import os
import socket
from pathlib import Path

_FIRST = 10_000
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def _last() -> int:
    try:
        chosen_from = int(_RANGE.read_text(encoding="ascii").split()[0])
    except OSError:
        chosen_from = 32_768
    return max(chosen_from, _FIRST + 5_000)


def _numbers() -> itertools.cycle[int]:
    count = _last() - _FIRST
    start = os.getpid() * 331 % count  # neighbours in the list of processes begin far apart
    return itertools.cycle(_FIRST + (start + number) % count for number in range(count))


_NUMBERS = _numbers()


def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    for port in _NUMBERS:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("a cycle does not end")
