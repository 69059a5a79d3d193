"""PyTorch's torchrun: one a server, which starts the ranks of this server and starts them again.

torchrun writes two files a rank into folders of its own naming, and prints a table of how ranks
ended; here they become one log a rank, and the same report as with every engine.
"""

from __future__ import annotations

import math
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.launch import local
from ascendify.launch.engines import Engine, Order
from ascendify.launch.local import Attempt, Finished
from ascendify.launch.plan import DEFAULT_PORT, Rank, environment, free_port
from ascendify.processes import Ending, Outcome, Process, Tail, last_lines, run_all
from ascendify.processes.commands import read_python
from ascendify.processes.launchers import find_launcher
from ascendify.processes.tail import Growing

OPTIONS = {
    "python": "the interpreter that has PyTorch, for a command that does not start with one",
    "arguments": "more options for torchrun, as one text: '--numa-binding node'",
}
_MODULE = "torch.distributed.run"
_TOLD_BY_TORCHRUN = frozenset(
    {
        "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK",
        "MASTER_ADDR", "MASTER_PORT",
        # which rank of a rank table a process is, torchrun cannot tell; PyTorch needs none
        "RANK_TABLE_FILE", "RANK_ID", "RANK_SIZE", "ASCEND_DEVICE_ID", "DEVICE_ID",
        "CM_CHIEF_IP", "CM_CHIEF_PORT", "CM_CHIEF_DEVICE", "CM_WORKER_SIZE",
    }
)  # fmt: skip
_WHERE = """
import importlib.util, os
found = importlib.util.find_spec("torch")
print(os.path.join(os.path.dirname(found.origin), "distributed", "run.py") if found else "")
"""
_MONITOR_SECONDS = "0.2"
"""How often torchrun looks after its ranks: its older versions do so every five seconds."""
_PATIENCE_SECONDS = 30.0
_FAILED_RANK = re.compile(
    r"^ *rank +: (\d+) \(local_rank: \d+\)\s*\n *exitcode +: (-?\d+) +\(pid: (\d+)\)",
    re.MULTILINE,
)
_STOPPED = re.compile(r"Sending process (\d+) closing signal")
_ROOT_CAUSE = "Root Cause"


def _check(order: Order) -> None:
    local.check(order.plan, order.watch)
    plan = order.plan
    launcher = find_launcher(plan.command, Path(plan.project))
    if launcher is not None and (launcher.certain or plan.size != plan.inventory.size):
        raise UsageError(
            f"{launcher.how}, so torchrun must not",
            "leave out --engine torchrun, or launch the script itself: python train.py",
        )
    if order.watch.max_restarts and len(plan.inventory.servers) > 1:
        raise UsageError(
            "the torchruns of several servers do not start again together",
            "leave out --max-restarts, or use --engine ssh, which starts all ranks again",
        )
    _arguments(order)
    _run_file(order)


def _python(order: Order) -> str:
    own = order.plan.command[0] if read_python(order.plan.command) else "python3"
    return order.options.get("python", own)


def _run_file(order: Order) -> Path:
    """The file of torchrun in the user's PyTorch.

    Raises:
        UsageError: there is none.
    """
    python = _python(order)
    try:
        asked = subprocess.run(  # noqa: S603 (the user's own interpreter)
            (python, "-c", _WHERE),
            cwd=order.plan.project,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_SECONDS,
        )
    except OSError as error:
        raise UsageError(f"cannot start {python}: {error.strerror}", "-O python=PATH") from error
    path = Path(asked.stdout.strip() or "none")
    if not path.is_file():
        raise UsageError(
            f"{python} has no PyTorch with torchrun",
            "name the interpreter that has it, in the command or with -O python=PATH",
        )
    return path


def _arguments(order: Order) -> list[str]:
    text = order.options.get("arguments", "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"-O arguments={text}: {error}", "close every quote") from error


# --- the commands


def _servers(order: Order) -> list[_Server]:
    """The servers whose ranks are started here: this one, or all where they are emulated."""
    numbers = sorted({rank.server for rank in order.ranks})
    return [
        _Server(
            number,
            tuple(rank for rank in order.ranks if rank.server == number),
            Path(order.plan.folder) / f"torchrun-{number}",
        )
        for number in numbers
    ]


@dataclass
class _Server:
    number: int
    ranks: tuple[Rank, ...]
    folder: Path
    """Where torchrun writes."""
    attempt: int = -1
    growing: list[tuple[Growing, Path]] = field(default_factory=list)
    """What torchrun writes for the ranks of this attempt, and where it goes."""

    @property
    def log(self) -> Path:
        """What torchrun itself prints."""
        return self.folder.with_suffix(".log")

    def next_attempt(self) -> Path | None:
        """The folder of the next attempt, once it has begun."""
        return next(self.folder.glob(f"*/attempt_{self.attempt + 1}"), None)


def _meeting(order: Order) -> tuple[str, str]:
    """Where the torchruns of all servers meet."""
    told = order.plan.ranks[0].environment
    here = order.given is not environment
    address = "127.0.0.1" if here else told.get("MASTER_ADDR", "127.0.0.1")
    port = told.get("MASTER_PORT", "")
    if not port or (here and port == str(DEFAULT_PORT)):
        port = str(free_port())
    return address, port


def _command(order: Order, server: _Server, meeting: tuple[str, str]) -> tuple[str, ...]:
    address, port = meeting
    # names with underscores are those that every version knows
    words = [
        *("--nnodes", str(len(order.plan.inventory.servers))),
        *("--nproc_per_node", str(len(server.ranks))),
        *("--node_rank", str(server.number)),
        *("--master_addr", address),
        *("--master_port", port),
        *("--max_restarts", str(order.watch.max_restarts)),
        *("--monitor_interval", _MONITOR_SECONDS),
        *("--log_dir", str(server.folder)),
        *("--redirects", "3"),
    ]
    if "--shutdown-timeout" in _run_file(order).read_text(encoding="utf-8"):
        words += ["--shutdown_timeout", str(math.ceil(order.watch.grace))]
    return (_python(order), "-m", _MODULE, *words, *_arguments(order), *_script(order))


def _script(order: Order) -> list[str]:
    """The user's command as torchrun wants it: without the interpreter, which it knows."""
    python, *words = order.plan.command
    if read_python(order.plan.command) is None or python != _python(order):
        return ["--no_python", *order.plan.command]
    if words[:1] == ["-u"]:
        # torchrun says that itself
        del words[0]
    if words[:1] == ["-m"]:
        return ["--module", *words[1:]]
    if words and not words[0].startswith("-"):
        return words
    return ["--no_python", *order.plan.command]


def _told(rank: Rank) -> dict[str, str]:
    """What torchrun finds in its environment, and every rank with it."""
    return {
        name: value for name, value in rank.environment.items() if name not in _TOLD_BY_TORCHRUN
    }


# --- while it runs


class _Gathered(Tail):
    """Makes one log of what torchrun writes for a rank, and passes on those that are shown."""

    def __init__(self, order: Order, servers: list[_Server]) -> None:
        self._order = order
        self._servers = servers
        self._shown = self._new_tail()

    def advance(self, last: bool = False) -> None:
        """Gather what is new."""
        for server in self._servers:
            self._gather(server)
            while (folder := server.next_attempt()) is not None:
                self._gather(server)
                self._begin(server, folder)
                self._gather(server)
        if self._shown is not None:
            self._shown.advance(last)

    def close(self) -> None:
        """Gather the rest."""
        self.advance(last=True)
        for server in self._servers:
            for file, _ in server.growing:
                file.close()
        if self._shown is not None:
            self._shown.close()

    def _new_tail(self) -> Tail | None:
        order = self._order
        if order.stream is None:
            return None
        return local.tail_of(order.plan, order.ranks, order.watch.show, order.stream)

    def _begin(self, server: _Server, folder: Path) -> None:
        server.attempt += 1
        plan = self._order.plan
        if server.attempt:
            self._order.told(
                f"a rank failed; torchrun starts again, {server.attempt} of "
                f"{self._order.watch.max_restarts}"
            )
            if self._shown is not None:
                self._shown.close()
            local.keep_logs(plan, server.ranks, server.attempt)
            for rank in server.ranks:
                plan.log(rank.number).write_bytes(b"")
            self._shown = self._new_tail()
            for file, _ in server.growing:
                file.close()
        server.growing = [
            (Growing(folder / str(local_rank) / f"{name}.log"), plan.log(rank.number))
            for local_rank, rank in enumerate(server.ranks)
            for name in ("stdout", "stderr")
        ]

    def _gather(self, server: _Server) -> None:
        for file, log in server.growing:
            for chunk in file.new():
                with log.open("ab") as out:
                    out.write(chunk)


# --- what came of it


def _attempt(order: Order, servers: list[_Server]) -> Attempt:
    plan, watch = order.plan, order.watch

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        if tail is not None:
            tail.close()
        meeting = _meeting(order)
        processes = []
        for server in servers:
            shutil.rmtree(server.folder, ignore_errors=True)
            first = replace(server.ranks[0], environment=_told(server.ranks[0]))
            words = _command(order, server, meeting)
            found = {
                name: value
                for name, value in order.given(first, base).items()
                if name not in local.RESTART_WORDS
            }
            processes.append(Process(words, found, Path(plan.project), server.log))
        for rank in order.ranks:
            plan.log(rank.number).write_bytes(b"")
        gathered = _Gathered(order, servers)
        ran = run_all(processes, tail=gathered, timeout=watch.timeout, grace=watch.grace)
        return _outcome(order, servers, ran)

    return attempt


def _outcome(order: Order, servers: list[_Server], ran: Outcome) -> Outcome:
    """How the ranks ended, from what the torchruns have told."""
    endings: dict[int, Ending] = {}
    failed: list[int] = []
    in_order = [*ran.failed, *(n for n in range(len(servers)) if n not in ran.failed)]
    for number in in_order:
        server, whole = servers[number], ran.endings[number]
        codes = _failed_ranks(server)
        for rank in server.ranks:
            endings[rank.number] = _ending(order, rank, whole, codes.get(rank.number))
        failed += [rank for rank in codes if rank in endings]
        if whole.failed and not codes:
            _check_started(server, whole)
            # the last words are those of torchrun
            endings[server.ranks[0].number] = whole
            failed.append(server.ranks[0].number)
    positions = {rank.number: position for position, rank in enumerate(order.ranks)}
    return replace(
        ran,
        endings=tuple(endings[rank.number] for rank in order.ranks),
        failed=tuple(positions[number] for number in failed),
    )


def _ending(order: Order, rank: Rank, whole: Ending, code: int | None) -> Ending:
    log = order.plan.log(rank.number)
    if code is None:
        return replace(whole, log=log, stopped=whole.exit_code != 0)
    by_signal = code < 0
    return Ending(
        log, None if by_signal else code, -code if by_signal else None, whole.seconds, stopped=False
    )


def _failed_ranks(server: _Server) -> dict[int, int]:
    """Exit codes of the ranks that failed, the first to fail first.

    torchrun prints a table of them, which ends with the first, and knows that best: from the error
    files that ``@record`` has ranks write, and from when it saw them end.
    """
    text = server.log.read_text(encoding="utf-8", errors="replace")
    stopped = set(_STOPPED.findall(text))
    others, _, root = text.rpartition(_ROOT_CAUSE)
    return {
        int(found[1]): int(found[2])
        for part in (root, others)
        for found in _FAILED_RANK.finditer(part)
        if found[3] not in stopped
    }


def _check_started(server: _Server, whole: Ending) -> None:
    """Refuse to go on where torchrun failed before there was any rank."""
    if server.attempt >= 0:
        return
    lines = "".join(f"\n  | {line}" for line in last_lines(whole.log)[-12:])
    raise UsageError(
        f"torchrun started no rank ({whole.how}){lines}",
        "with several servers, all must be started, and the first be reached from the others",
    )


def _run(order: Order) -> Finished:
    # the ranks get no rank table: see what they are told
    order = replace(order, plan=replace(order.plan, table=""))
    servers = _servers(order)
    # starting again is torchrun's part
    once = replace(order.watch, max_restarts=0)
    attempt = _attempt(order, servers)
    finished = local.run(
        order.plan, order.ranks, once, order.stream, order.given, order.told, attempt
    )
    for server in servers:
        shutil.rmtree(server.folder, ignore_errors=True)
    return replace(finished, restarts=max(server.attempt for server in servers))


def _shown(order: Order) -> str:
    plan, meeting = order.plan, _meeting(order)
    lines = [
        f"# {plan.size} ranks on {len(plan.inventory.servers)} servers; job {plan.name}",
        f"cd {shlex.quote(plan.project)}",
    ]
    for server in _servers(order):
        words = [f"{name}={shlex.quote(value)}" for name, value in _told(server.ranks[0]).items()]
        lines.append(" ".join((*words, shlex.join(_command(order, server, meeting)))))
    return "".join(f"{line}\n" for line in lines)


ENGINE = Engine("torchrun", OPTIONS, _shown, _run, _check, every_server=False)
