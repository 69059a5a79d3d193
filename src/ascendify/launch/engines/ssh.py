"""Servers reached only by ssh: one local ``ssh`` process a rank, watched like any local process.

What runs on a server comes over the connection, so a server needs Python 3.6 and nothing of ours.
The agent there stops its rank, with all processes the rank has started, when the connection ends.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ascendify.errors import UsageError, did_you_mean
from ascendify.launch import local, remote
from ascendify.launch.engines import Engine, Order
from ascendify.launch.engines.dry import rank_lines, run_there
from ascendify.launch.engines.ssh_probe import probe
from ascendify.launch.engines.ssh_words import (
    FAILED,
    advice_on,
    command,
    host_of,
    hosts_of,
    last_words,
    number,
    sent,
)
from ascendify.launch.local import Attempt, Finished
from ascendify.launch.plan import Rank, environment
from ascendify.processes import Ending, Outcome, Process, Tail, last_lines, run_all

OPTIONS = {
    "user": "the name to log in with",
    "port": "the port of the ssh servers",
    "identity": "the file of a private key",
    "config": "an ssh_config to use instead of ~/.ssh/config",
    "python": "the Python of the servers that runs our agent; python3",
    "setup": "a shell script of the servers that ranks source first, such as CANN's set_env.sh",
    "here": "the server that this machine is; its ranks are started without ssh",
    "connect": "seconds to wait for a connection; 15",
    "silence": "seconds without a sign of life after which a server stops its ranks; 300",
    "ssh": "the ssh program",
}
_HOST = re.compile(r"(?:[A-Za-z0-9_][\w.+-]*@)?[A-Za-z0-9_:][\w.:%+-]*", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9_][\w.@+\\-]*", re.ASCII)
_CONNECTION_ENDED = re.compile(
    r"(?:Shared c|C)onnection to \S+ closed|client_loop: |Timeout, server \S+ not responding"
)
"""What ssh says among the words of the rank."""
_LEAST_SILENCE = 30
"""Signs of life come every ten seconds, and may be late."""
_AT_ONCE = 8
"""Connections a server is asked for at once: it refuses some beyond ten that have not logged in."""


def _check(order: Order) -> None:
    local.check_watch(order.watch)
    if order.given is not environment:
        raise UsageError("--emulate needs the stand-ins, which are here", "leave out --engine ssh")
    options = order.options
    program = options.get("ssh", "ssh")
    if shutil.which(program) is None:
        raise UsageError(f"{program}: there is no such program", "install the OpenSSH client")
    if "user" in options and _USER.fullmatch(options["user"]) is None:
        raise UsageError(f"-O user={options['user']} is no name of a user", "such as root")
    for name, most in (("port", 65535), ("connect", 3600), ("silence", 10**6)):
        number(options, name, 0, most)
    if 0 < number(options, "silence", 300) < _LEAST_SILENCE:
        raise UsageError(
            f"-O silence={options['silence']} is less than a sign of life takes",
            f"give {_LEAST_SILENCE} seconds or more, or 0 for never",
        )
    for name in ("identity", "config"):
        if name in options and not Path(options[name]).expanduser().is_file():
            raise UsageError(f"-O {name}={options[name]}: there is no such file", "name one")
    for server in order.plan.inventory.servers:
        _check_host(server.host or server.id)
    hosts = hosts_of(order.plan)
    if options.get("here", hosts[0]) not in hosts:
        hint = did_you_mean(options["here"], hosts, f"they are {', '.join(hosts[:8])}")
        raise UsageError(f"-O here={options['here']} is none of the servers", hint)


def _check_host(host: str) -> None:
    if _HOST.fullmatch(host) is None:
        raise UsageError(
            f"{host!r} cannot be the name of a server for ssh",
            "letters, digits and . - _ : % are; an alias in ~/.ssh/config can have such a name",
        )


def _processes(order: Order, base: Mapping[str, str]) -> list[Process]:
    """One process a rank: ssh, or the rank itself where it is of this machine."""
    document = json.loads(order.plan.dump())
    del document["servers"]
    orders = dict(zip((rank.number for rank in order.plan.ranks), document.pop("ranks")))
    document["command"] = _with_setup(order)
    document["grace"] = order.watch.grace
    document["bind"] = order.watch.bind
    document["silence"] = number(order.options, "silence", 300)
    restarts = {name: base[name] for name in local.RESTART_WORDS}
    address = _first_address(order)
    agent = remote.agent()
    processes = []
    for rank in order.ranks:
        log = order.plan.log(rank.number)
        told = {**restarts, **rank.environment, **_renamed(order, rank, address)}
        if host_of(order.plan, rank) == order.options.get("here"):
            own = replace(rank, environment=told)
            words = tuple(document["command"])
            processes.append(Process(words, environment(own, base), Path(order.plan.project), log))
            continue
        told.setdefault("PYTHONUNBUFFERED", "1")
        text = sent(agent, {**document, "ranks": [{**orders[rank.number], "environment": told}]})
        processes.append(
            Process(_rank_command(order, rank), dict(os.environ), Path.cwd(), log, input=text)
        )
    return processes


def _rank_command(order: Order, rank: Rank) -> tuple[str, ...]:
    own_words = str(_ssh_log(order, rank))
    words = command(order.options, host_of(order.plan, rank), ("-E", own_words))
    later = rank.local // _AT_ONCE
    return ("sh", "-c", 'sleep "$0"; exec "$@"', str(later), *words) if later else words


def _ssh_log(order: Order, rank: Rank) -> Path:
    """What ssh itself has to say, apart from what the rank prints."""
    return Path(order.plan.folder) / f"ssh-{rank.number}.log"


def _with_setup(order: Order) -> list[str]:
    setup = order.options.get("setup")
    before = ["bash", "-c", '. "$0" && exec "$@"', setup] if setup else []
    return [*before, *order.plan.command]


def _first_address(order: Order) -> str:
    """Where ssh finds the first server: its name may be one that only ~/.ssh/config knows."""
    host = hosts_of(order.plan)[0]
    words = command(order.options, host, ("-G",))
    asked = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    for line in asked.stdout.splitlines():
        name, _, value = line.partition(" ")
        if name == "hostname" and value:
            return value
    return host


def _renamed(order: Order, rank: Rank, address: str) -> dict[str, str]:
    """The address of rank 0, where the user has not given one."""
    planned = rank.environment.get("MASTER_ADDR")
    return {"MASTER_ADDR": address} if planned == hosts_of(order.plan)[0] else {}


def _attempt(order: Order) -> Attempt:
    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        for rank in order.ranks:
            _ssh_log(order, rank).unlink(missing_ok=True)
        outcome = run_all(
            _processes(order, base), tail=tail, timeout=order.watch.timeout, grace=order.watch.grace
        )
        return replace(outcome, endings=tuple(map(_with_signal, outcome.endings)))

    return attempt


def _with_signal(ending: Ending) -> Ending:
    """An ending whose exit code stands for a signal, as shells have it."""
    number = (ending.exit_code or 0) - 128
    if number not in set(signal.Signals):
        return ending
    return replace(ending, exit_code=None, signal=number)


def _run(order: Order) -> Finished:
    probe(order)
    finished = local.run(
        order.plan, order.ranks, order.watch, order.stream, order.given, order.told, _attempt(order)
    )
    lost = _lost_connection(order, finished)
    for rank in order.ranks:
        path = _ssh_log(order, rank)
        if path.exists() and not path.stat().st_size:
            path.unlink()
    return lost or finished


def _own_words(order: Order, rank: Rank) -> str:
    """Why ssh ended; nothing where the rank did."""
    path = _ssh_log(order, rank)
    said = last_words(path.read_text(errors="replace")) if path.exists() else ""
    last = last_lines(order.plan.log(rank.number))[-1]
    return said or (last.rstrip(".") if _CONNECTION_ENDED.match(last) else "")


def _lost_connection(order: Order, finished: Finished) -> Finished | None:
    """What to say where not the rank failed, but the way to it."""
    failure, rank = finished.failure, finished.failed_rank
    if failure is None or rank is None:
        return None
    if finished.outcome.endings[failure.rank].exit_code != FAILED:
        return None
    said = _own_words(order, rank)
    if not said:
        return None
    how = f"the connection to {host_of(order.plan, rank)} ended ({said})"
    return replace(finished, failure=replace(failure, how=how, advice=advice_on(said)))


def _shown(order: Order) -> str:
    return "".join(f"{line}\n" for line in _lines(order))


def _lines(order: Order) -> Iterator[str]:
    plan = order.plan
    yield f"# {plan.size} ranks on {len(plan.inventory.servers)} servers; job {plan.name}"
    yield "# a program comes over the standard input of each ssh, and runs what stands above it"
    address = _first_address(order)
    for rank in order.ranks:
        told = {**rank.environment, **_renamed(order, rank, address)}
        log = shlex.quote(str(plan.log(rank.number)))
        if host_of(order.plan, rank) == order.options.get("here"):
            yield f"({run_there(plan, told, _with_setup(order))}) > {log} 2>&1 &"
            continue
        yield from rank_lines(plan, rank, told, _with_setup(order))
        yield f"{shlex.join(_rank_command(order, rank))} > {log} 2>&1 &"
    yield "wait"


ENGINE = Engine("ssh", OPTIONS, _shown, _run, _check)
