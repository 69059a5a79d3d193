"""Check on every server whether its ranks could start, before anything is started."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.errors import UsageError
from ascendify.jobs.unset import SEARCH
from ascendify.launch import remote
from ascendify.launch.engines import EngineInput
from ascendify.launch.engines.ssh_command import (
    FAILED,
    advice_on,
    command,
    hosts_of,
    last_line,
    number,
    sent,
    user_options,
)
from ascendify.processes.commands import read_python, shell_script

_PROBES_AT_ONCE = 64
_PROBE_SECONDS = 30.0
"""Seconds in addition to the time to connect, for a server with slow log-in scripts."""


@dataclass(frozen=True)
class _Problem:
    host: str
    found: str
    advice: str


def probe(given: EngineInput) -> None:
    """Check on all servers at once whether their ranks could start.

    Raises:
        UsageError: what is wrong on which server, and what to do.
    """
    hosts = [host for host in hosts_of(given.job) if host != given.options.get("here")]
    problems = [
        problem
        for first in range(0, len(hosts), _PROBES_AT_ONCE)
        for problem in _probe_some(given, hosts[first : first + _PROBES_AT_ONCE])
    ]
    if not problems:
        return
    bad = list(dict.fromkeys(problem.host for problem in problems))
    lines = [f"  {each.host}: {each.found}; {each.advice}" for each in problems]
    message = f"{len(bad)} of {len(hosts)} servers cannot run this job\n" + "\n".join(lines)
    tried = shlex.join(
        (given.options.get("ssh", "ssh"), *user_options(given.options), "--", bad[0])
    )
    raise UsageError(message, f"nothing was started; to look by hand: {tried}")


def _probe_some(given: EngineInput, hosts: Sequence[str]) -> Iterator[_Problem]:
    seconds = number(given.options, "connect", 15) + _PROBE_SECONDS
    texts = [sent(remote.text("probe.py"), _requirements(given, host)) for host in hosts]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for host in hosts:
            started.append(
                subprocess.Popen(  # noqa: S603 (names are checked, nothing is a shell's)
                    command(given.options, host),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            )
        for host, process, text in zip(hosts, started, texts):
            try:
                output, errors = process.communicate(text, timeout=seconds)
            except subprocess.TimeoutExpired:
                advice = "its log-in scripts may wait for something, or its disks be stuck"
                yield _Problem(host, f"no answer within {seconds:.0f} s", advice)
                continue
            for found, advice in _answer(output, errors, process.returncode):
                yield _Problem(host, found, advice)
    finally:
        for process in started:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None and not stream.closed:
                    stream.close()


def _requirements(given: EngineInput, host: str) -> dict[str, object]:
    job, setup = given.job, given.options.get("setup")
    python = read_python(job.command)
    first = job.ranks[0]
    port = first.environment.get("MASTER_PORT", "0") if host == job.host(first) else "0"
    return {
        "project": str(job.project),
        "folder": str(job.folder),
        # a script that is sourced may add the program to PATH
        "program": "" if setup else job.command[0],
        "script": python.script if python else shell_script(job.command),
        "files": _required_files(given),
        "port": int(port) if port.isdigit() else 0,
    }


def _required_files(given: EngineInput) -> dict[str, str]:
    """Return files that a server needs besides the project, each with advice if it is missing."""
    needed = {}
    if "setup" in given.options:
        needed[given.options["setup"]] = "name a file that is on every server with -O setup"
    if SEARCH in given.job.ranks[0].environment:
        search = given.job.ranks[0].environment[SEARCH]
        needed[search] = "install ascendify there in the same folder, or leave out --measure"
    return needed


def _answer(output: bytes, errors: bytes, code: int) -> list[tuple[str, str]]:
    """Return the result of a probe, or the reason why there is none."""
    word = b"ascendify-probe "
    for line in output.splitlines():
        if line.startswith(word):
            return [(found, advice) for found, advice in json.loads(line[len(word) :])]
    said = last_line(errors.decode("utf-8", "replace"))
    if code == FAILED:
        return [(said or "ssh failed and did not say why", advice_on(said))]
    if code in (126, 127):
        return [(f"there is no such Python ({said})", "name one with -O python=PATH")]
    if b"Traceback" in errors:
        return [(f"its Python cannot run our agent ({said})", "name a newer one: -O python=PATH")]
    shown = said or last_line(output.decode("utf-8", "replace"))
    return [(f"it ran something else (exit code {code}: {shown})", "log in by hand to see what")]
