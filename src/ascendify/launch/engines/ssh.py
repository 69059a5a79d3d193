"""Servers reached only by ssh: one local ``ssh`` process per rank, supervised like a local rank.

Our program is sent over the connection, so a server needs Python 3.6 but not ascendify.
The agent there stops its rank, with all processes the rank has started, when the connection ends.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ascendify.errors import UsageError, did_you_mean
from ascendify.jobs import run as jobs
from ascendify.jobs.environment import rank_environment
from ascendify.jobs.job import Rank
from ascendify.launch import remote
from ascendify.launch.engines import Engine, EngineInput, check_on_npus
from ascendify.launch.engines.dry_run import command_line, headline, rank_lines
from ascendify.launch.engines.ssh_command import (
    FAILED,
    advice_on,
    command,
    hosts_of,
    last_line,
    number,
    sent,
)
from ascendify.launch.engines.ssh_probe import probe
from ascendify.processes import Ending, Outcome, Process, Tail, last_lines, run_all
from ascendify.processes.commands import run_program

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
"""Messages that ssh prints into a rank's output when its connection ends."""
_LEAST_SILENCE = 30
"""Lower limit of ``silence``: signs of life are sent every ten seconds, and may be late."""
_AT_ONCE = 8
"""Connections opened at once: sshd refuses some if more than ten have not logged in."""


def _check(given: EngineInput) -> None:
    jobs.check_supervision(given.supervision)
    check_on_npus(given, "ssh")
    options = given.options
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
    for server in given.job.inventory.servers:
        _check_host(server.host or server.id)
    hosts = hosts_of(given.job)
    if options.get("here", hosts[0]) not in hosts:
        hint = did_you_mean(options["here"], hosts, f"they are {', '.join(hosts[:8])}")
        raise UsageError(f"-O here={options['here']} is none of the servers", hint)


def _check_host(host: str) -> None:
    if _HOST.fullmatch(host) is None:
        raise UsageError(
            f"{host!r} cannot be the name of a server for ssh",
            "letters, digits and . - _ : % are; an alias in ~/.ssh/config can have such a name",
        )


def _processes(given: EngineInput, base: Mapping[str, str]) -> list[Process]:
    """Return one process per rank: ssh, or the rank itself if it is on this machine."""
    document = json.loads(given.job.dump())
    del document["servers"]
    of_rank = dict(zip((rank.number for rank in given.job.ranks), document.pop("ranks")))
    document["command"] = _with_setup(given)
    document["grace"] = given.supervision.grace
    document["bind"] = given.supervision.bind
    document["silence"] = number(given.options, "silence", 300)
    restarts = {name: base[name] for name in jobs.RESTART_VARIABLES}
    address = _first_address(given)
    agent = remote.agent()
    processes = []
    for rank in given.ranks:
        log = given.job.log(rank.number)
        variables = {**restarts, **rank.environment, **_with_address(given, rank, address)}
        if given.job.host(rank) == given.options.get("here"):
            own = rank_environment(replace(rank, environment=variables), base)
            processes.append(Process(tuple(document["command"]), own, given.job.project, log))
            continue
        variables.setdefault("PYTHONUNBUFFERED", "1")
        text = sent(
            agent, {**document, "ranks": [{**of_rank[rank.number], "environment": variables}]}
        )
        processes.append(
            Process(_rank_command(given, rank), dict(os.environ), Path.cwd(), log, input=text)
        )
    return processes


def _rank_command(given: EngineInput, rank: Rank) -> tuple[str, ...]:
    log = str(_ssh_log(given, rank))
    arguments = command(given.options, given.job.host(rank), ("-E", log))
    later = rank.local // _AT_ONCE
    return ("sh", "-c", 'sleep "$0"; exec "$@"', str(later), *arguments) if later else arguments


def _ssh_log(given: EngineInput, rank: Rank) -> Path:
    """Return the path for messages of ssh itself, separate from the rank's output."""
    return given.job.folder / f"ssh-{rank.number}.log"


def _with_setup(given: EngineInput) -> list[str]:
    setup = given.options.get("setup")
    before = ["bash", "-c", '. "$0" && exec "$@"', setup] if setup else []
    return [*before, *given.job.command]


def _first_address(given: EngineInput) -> str:
    """Return the first server's address for ssh; its name may be an alias in ~/.ssh/config."""
    host = hosts_of(given.job)[0]
    arguments = command(given.options, host, ("-G",))
    answer = run_program(arguments)
    for line in answer.stdout.splitlines():
        name, _, value = line.partition(" ")
        if name == "hostname" and value:
            return value
    return host


def _with_address(given: EngineInput, rank: Rank, address: str) -> dict[str, str]:
    """Set the address of rank 0, unless the user has given it."""
    planned = rank.environment.get("MASTER_ADDR")
    return {"MASTER_ADDR": address} if planned == hosts_of(given.job)[0] else {}


def _attempt(given: EngineInput) -> jobs.Attempt:
    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        for rank in given.ranks:
            _ssh_log(given, rank).unlink(missing_ok=True)
        outcome = run_all(
            _processes(given, base),
            tail=tail,
            timeout=given.supervision.timeout,
            grace=given.supervision.grace,
        )
        return replace(outcome, endings=tuple(map(_of_rank, outcome.endings)))

    return attempt


def _of_rank(ssh: Ending) -> Ending:
    """Return how a rank exited, from the exit code of its ssh."""
    if ssh.exit_code is None:
        return ssh
    return Ending.from_shell_code(ssh.log, ssh.exit_code, ssh.seconds, stopped=ssh.stopped)


def _run(given: EngineInput) -> jobs.JobResult:
    probe(given)
    result = given.run(_attempt(given))
    lost = _lost_connection(given, result)
    for rank in given.ranks:
        path = _ssh_log(given, rank)
        if path.exists() and not path.stat().st_size:
            path.unlink()
    return lost or result


def _ssh_message(given: EngineInput, rank: Rank) -> str:
    """Return why ssh failed; empty if the rank itself exited."""
    path = _ssh_log(given, rank)
    said = last_line(path.read_text(errors="replace")) if path.exists() else ""
    last = last_lines(given.job.log(rank.number))[-1]
    return said or (last.rstrip(".") if _CONNECTION_ENDED.match(last) else "")


def _lost_connection(given: EngineInput, result: jobs.JobResult) -> jobs.JobResult | None:
    """Return the result of a rank whose connection failed, not the rank itself."""
    failure, rank = result.failure, result.failed_rank
    if failure is None or rank is None:
        return None
    if result.outcome.endings[failure.rank].exit_code != FAILED:
        return None
    said = _ssh_message(given, rank)
    if not said:
        return None
    how = f"the connection to {given.job.host(rank)} ended ({said})"
    return replace(result, failure=replace(failure, how=how, advice=advice_on(said)))


def _dry_run(given: EngineInput) -> str:
    return "".join(f"{line}\n" for line in _lines(given))


def _lines(given: EngineInput) -> Iterator[str]:
    job = given.job
    yield headline(job)
    yield "# our program is sent over the standard input of each ssh, and runs the command above"
    address = _first_address(given)
    for rank in given.ranks:
        variables = {**rank.environment, **_with_address(given, rank, address)}
        log = shlex.quote(str(job.log(rank.number)))
        if job.host(rank) == given.options.get("here"):
            yield f"({command_line(job, variables, _with_setup(given))}) > {log} 2>&1 &"
            continue
        yield from rank_lines(job, rank, variables, _with_setup(given))
        yield f"{shlex.join(_rank_command(given, rank))} > {log} 2>&1 &"
    yield "wait"


ENGINE = Engine("ssh", OPTIONS, _dry_run, _run, _check)
