"""Plan a job: decide where each rank runs, how ranks find each other, and their variables."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import socket
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ascendify.cluster import ranktable
from ascendify.emulation.environment import new_address
from ascendify.errors import UsageError
from ascendify.jobs.environment import LOOPBACK, Rendezvous, variables_of
from ascendify.jobs.job import Identity, Job, JobRequest, Rank
from ascendify.jobs.ports import check_free, free_port
from ascendify.jobs.unset import SEARCH
from ascendify.processes.commands import is_shell_text

DEFAULT_PORT = 29500
"""Where rank 0 of a PyTorch job on several servers listens, as torchrun does."""
_PATH = "PYTHONPATH"
_SET_IN_SHELL = re.compile(rf"(?<![\w$./-]){_PATH}=(?![\"']?[^\s;&|\"']*\$\{{?{_PATH}\b)")
"""Where a shell sets it to a value that does not contain the old one."""
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_DIGITS_FROM_ZERO = re.compile(r"0\d+")


def plan(request: JobRequest, base: Mapping[str, str] = os.environ) -> Job:
    """Plan a job: its ranks, their variables, how they connect, and the rank table.

    Args:
        request: The job.
        base: The variables of this machine.

    Raises:
        UsageError: the request cannot be a job; says what to do.
    """
    if not request.command:
        raise UsageError("no command to launch", "ascendify launch -- python train.py")
    name = request.name or f"ascendify-{secrets.token_hex(4)}"
    check_name(name)
    size = request.inventory.size
    several = size > 1 and not request.once
    has_table = several and not request.by_chief and request.identity is Identity.ASCEND
    rendezvous = Rendezvous(
        name,
        size,
        _port(request) if several else 0,
        _chief_address(request) if several and request.by_chief else "",
        has_table,
        "" if request.on_npus else new_address(free_port()),
    )
    ranks = tuple(
        replace(rank, environment=variables_of(request, rendezvous, rank, base))
        for rank in _ranks(request)
    )
    return Job(
        name,
        keep_search_path(request.command, ranks[0].environment, base),
        request.project.resolve(),
        request.folder.resolve(),
        request.inventory,
        ranks,
        _table_text(request) if has_table else "",
        once=request.once,
        on_npus=request.on_npus,
    )


def keep_search_path(
    command: tuple[str, ...], variables: Mapping[str, str], base: Mapping[str, str]
) -> tuple[str, ...]:
    """Put our folders in front of a PYTHONPATH that the command sets anew.

    With ``env``, or in the text that a shell runs: ``sh -c "PYTHONPATH=.. python train.py"``.

    Args:
        command: What each rank runs, such as ``env PYTHONPATH=. python train.py``.
        variables: Those that a rank is given.
        base: The variables of this machine, whose PYTHONPATH the command means to replace.
    """
    ours = variables.get(SEARCH) or variables.get(_PATH, "").removesuffix(base.get(_PATH, ""))
    if ours and is_shell_text(command):
        text = _SET_IN_SHELL.sub(lambda found: _in_front(ours, found), command[2])
        return (*command[:2], text, *command[3:])
    if not ours or Path(command[0]).name != "env":
        return command
    words = list(command)
    for number, word in enumerate(words[1:], start=1):
        if not (word.startswith("-") or "=" in word):
            break
        name, _, value = word.partition("=")
        if name == _PATH:
            folders = (ours.rstrip(os.pathsep), value)
            words[number] = f"{_PATH}={os.pathsep.join(filter(None, folders))}"
    return tuple(words)


def _in_front(ours: str, found: re.Match[str]) -> str:
    """An assignment of a shell's text, with our folders first; an empty value stays without ':'."""
    folders = ours.rstrip(os.pathsep)
    is_empty = not found.string[found.end() :].strip("\"'")[:1].strip(" \t\n;&|")
    return found[0] + shlex.quote(folders if is_empty else f"{folders}{os.pathsep}")


def check_name(name: str) -> None:
    """Refuse a job name that the NPU's software would.

    Raises:
        UsageError: with an example of a good one.
    """
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"--name {name} cannot be a JOB_ID", "use letters, digits, - and _, such as crnn-8p"
        )
    if _DIGITS_FROM_ZERO.fullmatch(name):
        raise UsageError(
            f"--name {name}: a JOB_ID of digits may not start with 0", "put a letter in front"
        )


def _ranks(request: JobRequest) -> Iterator[Rank]:
    """Where each rank runs, in the order of the ranks."""
    if request.once:
        for position, server in enumerate(request.inventory.servers):
            yield Rank(position, position, 0, server.devices[0].id)
        return
    if request.table is not None:
        positions = {each.id: number for number, each in enumerate(request.inventory.servers)}
        seen = [0] * len(positions)
        for placement in request.table.placements:
            where = positions[placement.server]
            yield Rank(placement.rank, where, seen[where], placement.device)
            seen[where] += 1
        return
    number = 0
    for position, server in enumerate(request.inventory.servers):
        for local, device in enumerate(server.devices):
            yield Rank(number, position, local, device.id)
            number += 1


def _table_text(request: JobRequest) -> str:
    table = request.table
    if table is None:
        table = ranktable.create(request.inventory, "1.0")
    elif table.template == "2":
        # a rank of this template finds itself by the name of its pod, where scripts expect a number
        table = ranktable.convert(table, "1.0").table
    return ranktable.dump(table)


def _chief_address(request: JobRequest) -> str:
    """Look up the address of the first server: host names are not accepted for the chief."""
    first = request.inventory.servers[0]
    host = first.host or first.id
    if request.servers_unknown and not request.is_local:
        return host
    try:
        return socket.gethostbyname(host)
    except OSError as error:
        if request.is_local:
            return LOOPBACK
        raise UsageError(
            f"the address of {host}, the first server, is not known here ({error.strerror})",
            "name servers by their addresses, or use a rank table",
        ) from error


def _port(request: JobRequest) -> int:
    if request.port is not None:
        if request.is_local:
            check_free(request.port)
        return request.port
    return free_port() if request.is_local else DEFAULT_PORT
