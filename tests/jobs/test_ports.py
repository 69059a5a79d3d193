"""Ports for ranks are free, and stay free until a rank listens."""

from __future__ import annotations

import socket
from pathlib import Path

from ascendify.jobs import ports
from ascendify.jobs.environment import LOOPBACK


def given_by_the_system() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def test_no_program_gets_one_that_does_not_ask_for_it() -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert given_by_the_system() >= first
    assert all(ports.free_port() < first for _ in range(20))


def test_none_is_given_twice() -> None:
    found = [ports.free_port() for _ in range(200)]
    assert len(set(found)) == len(found)


def test_one_that_is_listened_on_is_left_out() -> None:
    with socket.socket() as held:
        for port in range(ports.free_port() + 1, 65536):
            try:
                held.bind((LOOPBACK, port))
            except OSError:
                continue
            break
        assert ports.free_port() not in (port, port - 1)
