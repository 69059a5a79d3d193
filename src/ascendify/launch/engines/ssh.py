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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascendify.errors import UsageError, did_you_mean
from ascendify.launch import local, remote
from ascendify.launch.engines import Engine, Order
from ascendify.launch.engines.dry import rank_lines, run_there
from ascendify.launch.local import Attempt, Finished
from ascendify.launch.plan import Rank, environment
from ascendify.processes import Ending, Outcome, Process, Tail, last_lines, run_all
from ascendify.processes.commands import read_python, shell_script

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
_BOOTSTRAP = "import sys; r = sys.stdin.buffer; exec(r.read(int(r.readline())))"
"""Runs the program that comes over standard input, after its length."""
_ALWAYS = (
    # nobody is there to answer questions, and nothing but our own lines may come
    "BatchMode=yes",
    "LogLevel=ERROR",
    # an option of the user for log-ins by hand must not change what a rank is
    "ClearAllForwardings=yes",
    "RemoteCommand=none",
    # a connection a rank: servers allow only ten sessions in one
    "ControlMaster=no",
    "ControlPath=none",
    # a server that has gone is noticed within a minute
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
)
_HOST = re.compile(r"(?:[A-Za-z0-9_][\w.+-]*@)?[A-Za-z0-9_:][\w.:%+-]*", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9_][\w.@+\\-]*", re.ASCII)
_SSH_FAILED = 255
_CONNECTION_ENDED = re.compile(
    r"(?:Shared c|C)onnection to \S+ closed|client_loop: |Timeout, server \S+ not responding"
)
"""What ssh says among the words of the rank."""
_AT_ONCE = 8
"""Connections a server is asked for at once: it refuses some beyond ten that have not logged in."""
_PROBES_AT_ONCE = 64
_PROBE_SECONDS = 30.0
"""Beyond the time to connect: for a server whose log-in scripts take long."""
_ADVICE = (
    (r"Could not resolve hostname", "check the name, /etc/hosts and ~/.ssh/config"),
    (
        r"Permission denied|Too many authentication failures|no such identity|invalid format",
        "put your key there with ssh-copy-id, or name it with -O identity=FILE; "
        "passwords are not asked for",
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
"""What ssh says, and what to do."""


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
        _number(options, name, 0, most)
    for name in ("identity", "config"):
        if name in options and not Path(options[name]).expanduser().is_file():
            raise UsageError(f"-O {name}={options[name]}: there is no such file", "name one")
    for server in order.plan.inventory.servers:
        _check_host(server.host or server.id)
    hosts = _hosts(order)
    if options.get("here", hosts[0]) not in hosts:
        hint = did_you_mean(options["here"], hosts, f"they are {', '.join(hosts[:8])}")
        raise UsageError(f"-O here={options['here']} is none of the servers", hint)


def _number(options: Mapping[str, str], name: str, default: int, most: int = 10**6) -> int:
    text = options.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,7}", text) or int(text) > most:
        raise UsageError(f"-O {name}={text} is no number up to {most}", f"such as {name}=22")
    return int(text)


def _check_host(host: str) -> None:
    if _HOST.fullmatch(host) is None:
        raise UsageError(
            f"{host!r} cannot be the name of a server for ssh",
            "letters, digits and . - _ : % are; an alias in ~/.ssh/config can have such a name",
        )


def _hosts(order: Order) -> list[str]:
    return [server.host or server.id for server in order.plan.inventory.servers]


def _host(order: Order, rank: Rank) -> str:
    server = order.plan.inventory.servers[rank.server]
    return server.host or server.id


def command(options: Mapping[str, str], host: str, words: Sequence[str] = ()) -> tuple[str, ...]:
    """The ssh command that runs our programs on a server; some words of ssh may be added."""
    given = [word for option in _ALWAYS for word in ("-o", option)]
    given += ["-o", f"ConnectTimeout={_number(options, 'connect', 15)}", *_asked(options)]
    python = options.get("python", "python3")
    # behind the name of the host all is one line for the shell of the server
    there = shlex.join((python, "-c", _BOOTSTRAP))
    return (options.get("ssh", "ssh"), "-T", "-x", *given, *words, "--", host, there)


def _asked(options: Mapping[str, str]) -> list[str]:
    """What the user asks of ssh, as its own options."""
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


def _sent(program: str, data: object) -> bytes:
    """What a server reads: a program with its length, and one line for it."""
    text = program.encode()
    return b"%d\n%s%s\n" % (len(text), text, json.dumps(data).encode())


# --- before anything is started


@dataclass(frozen=True)
class _Trouble:
    host: str
    found: str
    advice: str


def _probe(order: Order) -> None:
    """Ask every server, all at once, whether its ranks could start.

    Raises:
        UsageError: what is wrong with which, and what to do.
    """
    hosts = [host for host in _hosts(order) if host != order.options.get("here")]
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
    tried = shlex.join((order.options.get("ssh", "ssh"), *_asked(order.options), "--", bad[0]))
    raise UsageError(message, f"nothing was started; to look by hand: {tried}")


def _probe_some(order: Order, hosts: Sequence[str]) -> Iterator[_Trouble]:
    seconds = _number(order.options, "connect", 15) + _PROBE_SECONDS
    asked = [_sent(remote.probe(), _questions(order, host)) for host in hosts]
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
        for host, process, text in zip(hosts, started, asked):
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
    port = first.environment.get("MASTER_PORT", "0") if host == _host(order, first) else "0"
    return {
        "project": plan.project,
        "folder": plan.folder,
        # a script that is sourced may be what leads to the program
        "program": "" if setup else plan.command[0],
        "script": python.script if python else shell_script(plan.command),
        "files": [setup] if setup else [],
        "port": int(port) if port.isdigit() else 0,
    }


def _answer(output: bytes, errors: bytes, code: int) -> list[tuple[str, str]]:
    """What a probe found, or why there is no answer."""
    word = b"ascendify-probe "
    for line in output.splitlines():
        if line.startswith(word):
            return [(found, advice) for found, advice in json.loads(line[len(word) :])]
    said = _last_words(errors.decode("utf-8", "replace"))
    if code == _SSH_FAILED:
        return [(said or "ssh failed and did not say why", _advice(said))]
    if code in (126, 127):
        return [(f"there is no such Python ({said})", "name one with -O python=PATH")]
    if b"Traceback" in errors:
        return [(f"its Python cannot run our agent ({said})", "name a newer one: -O python=PATH")]
    shown = said or _last_words(output.decode("utf-8", "replace"))
    return [(f"it ran something else (exit code {code}: {shown})", "log in by hand to see what")]


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else ""


def _advice(said: str) -> str:
    for pattern, advice in _ADVICE:
        if re.search(pattern, said):
            return advice
    return "try by hand"


# --- the ranks


def _processes(order: Order, base: Mapping[str, str]) -> list[Process]:
    """One process a rank: ssh, or the rank itself where it is of this machine."""
    document = json.loads(order.plan.dump())
    del document["servers"]
    orders = dict(zip((rank.number for rank in order.plan.ranks), document.pop("ranks")))
    document["command"] = _with_setup(order)
    document["grace"] = order.watch.grace
    document["silence"] = _number(order.options, "silence", 300)
    restarts = {name: base[name] for name in local.RESTART_WORDS}
    address = _first_address(order)
    agent = remote.agent()
    processes = []
    for rank in order.ranks:
        log = order.plan.log(rank.number)
        told = {**restarts, **rank.environment, **_renamed(order, rank, address)}
        if _host(order, rank) == order.options.get("here"):
            own = replace(rank, environment=told)
            words = tuple(document["command"])
            processes.append(Process(words, environment(own, base), Path(order.plan.project), log))
            continue
        told.setdefault("PYTHONUNBUFFERED", "1")
        text = _sent(agent, {**document, "ranks": [{**orders[rank.number], "environment": told}]})
        processes.append(
            Process(_rank_command(order, rank), dict(os.environ), Path.cwd(), log, input=text)
        )
    return processes


def _rank_command(order: Order, rank: Rank) -> tuple[str, ...]:
    own_words = str(_ssh_log(order, rank))
    words = command(order.options, _host(order, rank), ("-E", own_words))
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
    host = _hosts(order)[0]
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
    return {"MASTER_ADDR": address} if planned == _hosts(order)[0] else {}


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
    _probe(order)
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
    said = _last_words(path.read_text(errors="replace")) if path.exists() else ""
    last = last_lines(order.plan.log(rank.number))[-1]
    return said or (last.rstrip(".") if _CONNECTION_ENDED.match(last) else "")


def _lost_connection(order: Order, finished: Finished) -> Finished | None:
    """What to say where not the rank failed, but the way to it."""
    failure, rank = finished.failure, finished.failed_rank
    if failure is None or rank is None:
        return None
    if finished.outcome.endings[failure.rank].exit_code != _SSH_FAILED:
        return None
    said = _own_words(order, rank)
    if not said:
        return None
    how = f"the connection to {_host(order, rank)} ended ({said})"
    return replace(finished, failure=replace(failure, how=how, advice=_advice(said)))


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
        if _host(order, rank) == order.options.get("here"):
            yield f"({run_there(plan, told, _with_setup(order))}) > {log} 2>&1 &"
            continue
        yield from rank_lines(plan, rank, told, _with_setup(order))
        yield f"{shlex.join(_rank_command(order, rank))} > {log} 2>&1 &"
    yield "wait"


ENGINE = Engine("ssh", OPTIONS, _shown, _run, _check)
