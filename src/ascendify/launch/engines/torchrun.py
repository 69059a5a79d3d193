"""PyTorch's torchrun: one per server, which starts the ranks of its server and restarts them.

torchrun writes two files per rank to folders that it names itself, and prints a table of how ranks
exited; here they become one log per rank, and the same result as with every engine.
"""

from __future__ import annotations

import math
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.jobs import run as jobs
from ascendify.jobs.environment import LOOPBACK, rank_environment
from ascendify.jobs.job import Rank
from ascendify.jobs.ports import free_port
from ascendify.jobs.unset import OF_ASCEND, OF_TORCHRUN
from ascendify.launch.engines import Engine, EngineInput, split_arguments
from ascendify.launch.engines.dry_run import assignments, headline
from ascendify.processes import Ending, Outcome, Process, Tail, last_lines, run_all
from ascendify.processes.commands import read_python, run_program
from ascendify.processes.launchers import find_launcher
from ascendify.processes.tail import Growing

OPTIONS = {
    "python": "the interpreter that has PyTorch, for a command that does not start with one",
    "arguments": "more options for torchrun, as one text: '--numa-binding node'",
}
_MODULE = "torch.distributed.run"
_LEFT_OUT = frozenset((*OF_TORCHRUN, *OF_ASCEND))
"""Variables that torchrun sets itself, or that describe a rank table: PyTorch needs none."""
_WHERE = """
import importlib.util, os
found = importlib.util.find_spec("torch")
print(os.path.join(os.path.dirname(found.origin), "distributed", "run.py") if found else "")
"""
_MONITOR_SECONDS = "0.2"
"""Seconds between two checks of torchrun on its ranks; the default of older versions is five."""
_PATIENCE_SECONDS = 30.0
_FAILED_RANK = re.compile(
    r"^ *rank +: (\d+) \(local_rank: \d+\)\s*\n *exitcode +: (-?\d+) +\(pid: (\d+)\)",
    re.MULTILINE,
)
_STOPPED = re.compile(r"Sending process (\d+) closing signal")
_ROOT_CAUSE = "Root Cause"


def _check(given: EngineInput) -> None:
    job = given.job
    jobs.check(job, given.supervision)
    launcher = find_launcher(job.command, job.project)
    if launcher is not None and (launcher.certain or job.once):
        raise UsageError(
            f"{launcher.how}, so torchrun must not",
            "leave out --engine torchrun, or launch the script itself: python train.py",
        )
    if given.supervision.max_restarts and len(job.inventory.servers) > 1:
        raise UsageError(
            "the torchrun processes of several servers do not restart together",
            "leave out --max-restarts, or use --engine ssh, which starts all ranks again",
        )
    split_arguments(given, "arguments")
    _run_file(given)


def _python(given: EngineInput) -> str:
    own = given.job.command[0] if read_python(given.job.command) else "python3"
    return given.options.get("python", own)


def _run_file(given: EngineInput) -> Path:
    """Find the file of torchrun in the user's PyTorch.

    Raises:
        UsageError: there is none.
    """
    python = _python(given)
    try:
        answer = run_program((python, "-c", _WHERE), given.job.project, timeout=_PATIENCE_SECONDS)
    except OSError as error:
        raise UsageError(f"cannot start {python}: {error.strerror}", "-O python=PATH") from error
    path = Path(answer.stdout.strip() or "none")
    if not path.is_file():
        raise UsageError(
            f"{python} has no PyTorch with torchrun",
            "name the interpreter that has it, in the command or with -O python=PATH",
        )
    return path


# --- the commands


def _servers(given: EngineInput) -> list[_Server]:
    """Return the servers whose ranks start here: this one, or all if they are emulated."""
    numbers = sorted({rank.server for rank in given.ranks})
    return [
        _Server(
            number,
            tuple(rank for rank in given.ranks if rank.server == number),
            given.job.folder / f"torchrun-{number}",
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
    """The output of torchrun for the ranks of this attempt, and the folder for it."""

    @property
    def log(self) -> Path:
        """The file for torchrun's own output."""
        return self.folder.with_suffix(".log")

    def next_attempt(self) -> Path | None:
        """Return the folder of the next attempt, if it has begun."""
        return next(self.folder.glob(f"*/attempt_{self.attempt + 1}"), None)


def _meeting(given: EngineInput) -> tuple[str, str]:
    """Return the address and port that the torchrun processes of all servers connect to."""
    variables = given.job.ranks[0].environment
    return variables.get("MASTER_ADDR", LOOPBACK), variables.get("MASTER_PORT") or str(free_port())


def _command(given: EngineInput, server: _Server, meeting: tuple[str, str]) -> tuple[str, ...]:
    address, port = meeting
    # every version knows the names with underscores
    parts = [
        *("--nnodes", str(len(given.job.inventory.servers))),
        *("--nproc_per_node", str(len(server.ranks))),
        *("--node_rank", str(server.number)),
        *("--master_addr", address),
        *("--master_port", port),
        *("--max_restarts", str(given.supervision.max_restarts)),
        *("--monitor_interval", _MONITOR_SECONDS),
        *("--log_dir", str(server.folder)),
        *("--redirects", "3"),
    ]
    if "--shutdown-timeout" in _run_file(given).read_text(encoding="utf-8"):
        parts += ["--shutdown_timeout", str(math.ceil(given.supervision.grace))]
    more = split_arguments(given, "arguments")
    return (_python(given), "-m", _MODULE, *parts, *more, *_script(given))


def _script(given: EngineInput) -> list[str]:
    """Return the user's command as torchrun expects it: without the interpreter."""
    command = given.job.command
    python, *parts = command
    if read_python(command) is None or python != _python(given):
        return ["--no_python", *command]
    if parts[:1] == ["-u"]:
        # torchrun adds that itself
        del parts[0]
    if parts[:1] == ["-m"]:
        return ["--module", *parts[1:]]
    if parts and not parts[0].startswith("-"):
        return parts
    return ["--no_python", *command]


def _variables(rank: Rank) -> dict[str, str]:
    """Return the variables of torchrun, which every rank inherits."""
    return {name: value for name, value in rank.environment.items() if name not in _LEFT_OUT}


# --- while it runs


class _LogGatherer(Tail):
    """Joins torchrun's files of each rank into one log, and shows the selected ranks."""

    def __init__(self, given: EngineInput, servers: list[_Server]) -> None:
        self._given = given
        self._servers = servers
        self._shown = self._new_tail()

    def advance(self, last: bool = False) -> None:
        """Collect output that is new."""
        for server in self._servers:
            self._gather(server)
            while (folder := server.next_attempt()) is not None:
                self._gather(server)
                self._begin(server, folder)
                self._gather(server)
        if self._shown is not None:
            self._shown.advance(last)

    def close(self) -> None:
        """Collect the remaining output."""
        self.advance(last=True)
        for server in self._servers:
            for file, _ in server.growing:
                file.close()
        if self._shown is not None:
            self._shown.close()

    def _new_tail(self) -> Tail | None:
        given = self._given
        if given.stream is None:
            return None
        return jobs.tail_of(given.job, given.ranks, given.supervision.show, given.stream)

    def _begin(self, server: _Server, folder: Path) -> None:
        server.attempt += 1
        job = self._given.job
        if server.attempt:
            self._given.warn(
                f"a rank failed; torchrun starts again, {server.attempt} of "
                f"{self._given.supervision.max_restarts}"
            )
            if self._shown is not None:
                self._shown.close()
            jobs.keep_logs(job, server.ranks, server.attempt)
            for rank in server.ranks:
                job.log(rank.number).write_bytes(b"")
            self._shown = self._new_tail()
            for file, _ in server.growing:
                file.close()
        server.growing = [
            (Growing(folder / str(local_rank) / f"{name}.log"), job.log(rank.number))
            for local_rank, rank in enumerate(server.ranks)
            for name in ("stdout", "stderr")
        ]

    def _gather(self, server: _Server) -> None:
        for file, log in server.growing:
            for chunk in file.new():
                with log.open("ab") as out:
                    out.write(chunk)


# --- the result


def _attempt(given: EngineInput, servers: list[_Server]) -> jobs.Attempt:
    job, supervision = given.job, given.supervision

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        if tail is not None:
            tail.close()
        meeting = _meeting(given)
        processes = []
        for server in servers:
            shutil.rmtree(server.folder, ignore_errors=True)
            first = replace(server.ranks[0], environment=_variables(server.ranks[0]))
            parts = _command(given, server, meeting)
            found = {
                name: value
                for name, value in rank_environment(first, base).items()
                if name not in jobs.RESTART_VARIABLES
            }
            processes.append(Process(parts, found, job.project, server.log))
        for rank in given.ranks:
            job.log(rank.number).write_bytes(b"")
        gathered = _LogGatherer(given, servers)
        ran = run_all(
            processes, tail=gathered, timeout=supervision.timeout, grace=supervision.grace
        )
        return _outcome(given, servers, ran)

    return attempt


def _outcome(given: EngineInput, servers: list[_Server], ran: Outcome) -> Outcome:
    """Return how the ranks exited, from what the torchrun processes have printed."""
    endings: dict[int, Ending] = {}
    failed: list[int] = []
    in_order = [*ran.failed, *(n for n in range(len(servers)) if n not in ran.failed)]
    for number in in_order:
        server, whole = servers[number], ran.endings[number]
        codes = _failed_ranks(server)
        for rank in server.ranks:
            endings[rank.number] = _ending(given, rank, whole, codes.get(rank.number))
        failed += [rank for rank in codes if rank in endings]
        if whole.failed and not codes:
            _check_started(server, whole)
            # its exit code and log are used for the rank
            endings[server.ranks[0].number] = whole
            failed.append(server.ranks[0].number)
    positions = {rank.number: position for position, rank in enumerate(given.ranks)}
    return replace(
        ran,
        endings=tuple(endings[rank.number] for rank in given.ranks),
        failed=tuple(positions[number] for number in failed),
    )


def _ending(given: EngineInput, rank: Rank, whole: Ending, code: int | None) -> Ending:
    log = given.job.log(rank.number)
    if code is None:
        return replace(whole, log=log, stopped=whole.exit_code != 0)
    return Ending.from_code(log, code, whole.seconds, stopped=False)


def _failed_ranks(server: _Server) -> dict[int, int]:
    """Return exit codes of the ranks that failed, the first to fail first.

    torchrun prints a table of them, which ends with the first. It knows the order best: from the
    error files that ranks with ``@record`` write, and from when it saw each rank exit.
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
    """Raise an error if torchrun failed before it started any rank."""
    if server.attempt >= 0:
        return
    lines = "".join(f"\n  | {line}" for line in last_lines(whole.log)[-12:])
    raise UsageError(
        f"torchrun started no rank ({whole.how}){lines}",
        "with several servers, all must be started, and the first be reached from the others",
    )


def _run(given: EngineInput) -> jobs.JobResult:
    # torchrun starts ranks again itself; they get no rank table, see _LEFT_OUT
    given = replace(given, job=replace(given.job, table=""))
    servers = _servers(given)
    once = replace(given.supervision, max_restarts=0)
    result = replace(given, supervision=once).run(_attempt(given, servers))
    for server in servers:
        shutil.rmtree(server.folder, ignore_errors=True)
    return replace(result, restarts=max(server.attempt for server in servers))


def _dry_run(given: EngineInput) -> str:
    job, meeting = given.job, _meeting(given)
    lines = [headline(job), f"cd {shlex.quote(str(job.project))}"]
    for server in _servers(given):
        command = shlex.join(_command(given, server, meeting))
        lines.append(" ".join((*assignments(_variables(server.ranks[0])), command)))
    return "".join(f"{line}\n" for line in lines)


ENGINE = Engine("torchrun", OPTIONS, _dry_run, _run, _check, every_server=False)
