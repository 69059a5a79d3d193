"""Ask servers whether their ranks could start, before anything is started."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.errors import UsageError
from ascendify.launch import remote
from ascendify.launch.engines import Order
from ascendify.launch.engines.ssh_words import (
    FAILED,
    advice_on,
    asked,
    command,
    host_of,
    hosts_of,
    last_words,
    number,
    sent,
)
from ascendify.launch.plan import SEARCH
from ascendify.processes.commands import read_python, shell_script

_PROBES_AT_ONCE = 64
_PROBE_SECONDS = 30.0
"""Beyond the time to connect: for a server whose log-in scripts take long."""


@dataclass(frozen=True)
class _Trouble:
    host: str
    found: str
    advice: str


def probe(order: Order) -> None:
    """Ask every server, all at once, whether its ranks could start.

    Raises:
        UsageError: what is wrong with which, and what to do.
    """
    hosts = [host for host in hosts_of(order.plan) if host != order.options.get("here")]
    troubles = [
        trouble
        for first in range(0, len(hosts), _PROBES_AT_ONCE)
        for trouble in _probe_some(order, hosts[first : first + _PROBES_AT_ONCE])
    ]
    if not troubles:
        return
    bad = list(dict.fromkeys(trouble.host for trouble in troubles))
    lines = [f"  {each.host}: {each.found}; {each.advice}" for each in troubles]
    message = f"{len(bad)} of {len(hosts)} servers cannot run this job\n" + "\n".join(lines)
    tried = shlex.join((order.options.get("ssh", "ssh"), *asked(order.options), "--", bad[0]))
    raise UsageError(message, f"nothing was started; to look by hand: {tried}")


def _probe_some(order: Order, hosts: Sequence[str]) -> Iterator[_Trouble]:
    seconds = number(order.options, "connect", 15) + _PROBE_SECONDS
    texts = [sent(remote.probe(), _questions(order, host)) for host in hosts]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for host in hosts:
            started.append(
                subprocess.Popen(  # noqa: S603 (names are checked, nothing is a shell's)
                    command(order.options, host),
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
                yield _Trouble(host, f"no answer within {seconds:.0f} s", advice)
                continue
            for found, advice in _answer(output, errors, process.returncode):
                yield _Trouble(host, found, advice)
    finally:
        for process in started:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None and not stream.closed:
                    stream.close()


def _questions(order: Order, host: str) -> dict[str, object]:
    plan, setup = order.plan, order.options.get("setup")
    python = read_python(plan.command)
    first = plan.ranks[0]
    port = first.environment.get("MASTER_PORT", "0") if host == host_of(order.plan, first) else "0"
    return {
        "project": plan.project,
        "folder": plan.folder,
        # a script that is sourced may be what leads to the program
        "program": "" if setup else plan.command[0],
        "script": python.script if python else shell_script(plan.command),
        "files": _needed(order),
        "port": int(port) if port.isdigit() else 0,
    }


def _needed(order: Order) -> dict[str, str]:
    """What must be there beside the project, and what to do where it is not."""
    needed = {}
    if "setup" in order.options:
        needed[order.options["setup"]] = "name a file that is on every server with -O setup"
    if SEARCH in order.plan.ranks[0].environment:
        search = order.plan.ranks[0].environment[SEARCH]
        needed[search] = "install ascendify there in the same folder, or leave out --measure"
    return needed


def _answer(output: bytes, errors: bytes, code: int) -> list[tuple[str, str]]:
    """What a probe found, or why there is no answer."""
    word = b"ascendify-probe "
    for line in output.splitlines():
        if line.startswith(word):
            return [(found, advice) for found, advice in json.loads(line[len(word) :])]
    said = last_words(errors.decode("utf-8", "replace"))
    if code == FAILED:
        return [(said or "ssh failed and did not say why", advice_on(said))]
    if code in (126, 127):
        return [(f"there is no such Python ({said})", "name one with -O python=PATH")]
    if b"Traceback" in errors:
        return [(f"its Python cannot run our agent ({said})", "name a newer one: -O python=PATH")]
    shown = said or last_words(output.decode("utf-8", "replace"))
    return [(f"it ran something else (exit code {code}: {shown})", "log in by hand to see what")]
