"""Open MPI: one ``mpirun`` that starts an agent for every rank, on the servers of the job.

The folder of the logs and the project must be at the same path on all servers, usually on a shared
file system. The agents write the logs there, and how their ranks exited: mpirun does not report it.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.jobs import exit_status
from ascendify.jobs import run as jobs
from ascendify.jobs.job import PLAN_FILE
from ascendify.launch import remote
from ascendify.launch.engines import Engine, EngineInput, split_arguments
from ascendify.launch.engines.dry_run import assignments, headline, rank_lines
from ascendify.processes import Ending, Outcome, Process, Tail, run_all
from ascendify.processes.commands import run_program

OPTIONS = {
    "mpirun": "the mpirun program",
    "arguments": "more options for mpirun, as one text: '--mca btl_tcp_if_include eth0'",
    "python": "the Python of the servers that runs our agent; python3",
}
AGENT_FILE = "agent.py"
LOG_FILE = "mpirun.log"
_NUMBER = "OMPI_COMM_WORLD_RANK"
"""The variable in which Open MPI gives a process its number."""
_HERE = "localhost"
_HOST = re.compile(r"[A-Za-z0-9_][\w.-]*", re.ASCII)
_IS_OPEN_MPI = re.compile(r"Open ?MPI|OpenRTE|prte", re.IGNORECASE)
_LOST_SERVER = re.compile(r"Remote daemon:.*\bon node (\S+)")
_MOST_BYTES = 1 << 16
"""More bytes than mpirun prints."""
_SHARED = (
    "the folder of the logs and the project must be on every server, at the same path: share them "
    "(--log-dir names another folder), or use --engine ssh"
)
_ADVICE = (
    (r"can't open file|No such file or directory", _SHARED),
    (
        r"unable to reliably start|daemons|ssh|Permission denied|resolve hostname",
        "mpirun must reach every server by ssh without a password, and find Open MPI there: "
        "ssh HOST mpirun --version shows both; --engine ssh needs no Open MPI",
    ),
    (
        r"executable|execve|not found|No such file",
        "name the Python of the servers with -O python=PATH",
    ),
    (r"unrecognized|Unrecognized|invalid option|unknown option", "correct -O arguments=..."),
)
"""Messages of mpirun, each with what to do."""


def _check(given: EngineInput) -> None:
    jobs.check(given.job, given.supervision)
    program = given.options.get("mpirun", "mpirun")
    if shutil.which(program) is None:
        raise UsageError(
            f"{program}: there is no such program",
            "install Open MPI (openmpi-bin), or name its mpirun with -O mpirun=PATH",
        )
    version = run_program((program, "--version"))
    if _IS_OPEN_MPI.search(version.stdout + version.stderr) is None:
        found = (version.stdout.strip() or "it does not say what it is").splitlines()[0]
        raise UsageError(
            f"{program} is not of Open MPI ({found})", "name that one with -O mpirun=PATH"
        )
    split_arguments(given, "arguments")
    for server in given.job.inventory.servers:
        host = server.host or server.id
        if _HOST.fullmatch(host) is None:
            raise UsageError(
                f"{host!r} cannot be the name of a server for mpirun", "use a name, or IPv4"
            )


def _is_here(given: EngineInput) -> bool:
    """Whether all ranks run on this machine."""
    servers = given.job.inventory.servers
    return not given.job.on_npus or (len(servers) == 1 and not servers[0].host)


def _command(given: EngineInput) -> tuple[str, ...]:
    """Return the command; mpirun numbers ranks as the job does, one application a server."""
    general = [given.options.get("mpirun", "mpirun")]
    if os.geteuid() == 0:
        general.append("--allow-run-as-root")
    # mpirun would give each rank a single core; the agents give it its share
    general += ["--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none"]
    general += [word for name in jobs.RESTART_VARIABLES for word in ("-x", name)]
    folder, supervision = given.job.folder, given.supervision
    agent = (
        given.options.get("python", "python3"),
        *(str(folder / AGENT_FILE), str(folder / PLAN_FILE), _NUMBER, f"{supervision.grace:g}"),
        *(("bind",) if supervision.bind else ()),
    )
    return (*general, *split_arguments(given, "arguments"), *_applications(given, agent))


def _applications(given: EngineInput, agent: tuple[str, ...]) -> Iterator[str]:
    ranks = sorted(given.ranks, key=lambda rank: rank.number)
    groups = [
        (server, len(list(of_server)))
        for server, of_server in itertools.groupby(ranks, lambda rank: rank.server)
    ]
    for position, (number, count) in enumerate(groups):
        server = given.job.inventory.servers[number]
        host = _HERE if _is_here(given) else server.host or server.id
        if position:
            yield ":"
        yield from ("--host", f"{host}:{count}", "-n", str(count), *agent)


def _settings(given: EngineInput) -> dict[str, str]:
    """Settings of Open MPI, by the names of version 4 and of version 5."""
    settings = {
        # node1.site.example is not node1
        "OMPI_MCA_orte_keep_fqdn_hostnames": "1",
        "PRTE_MCA_prte_keep_fqdn_hostnames": "1",
    }
    if _is_here(given):
        # works where there is no ssh
        settings["OMPI_MCA_plm"] = "isolated"
    else:
        # servers are those of the job, even inside an allocation of a scheduler
        settings.update({"OMPI_MCA_plm": "rsh", "PRTE_MCA_plm": "ssh"})
    return {name: os.environ.get(name, value) for name, value in settings.items()}


def _attempt(given: EngineInput) -> jobs.Attempt:
    job, supervision = given.job, given.supervision

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        (job.folder / AGENT_FILE).write_text(remote.agent(), encoding="utf-8")
        for rank in given.ranks:
            job.log(rank.number).write_bytes(b"")
            exit_status.record(job, rank).unlink(missing_ok=True)
        process = Process(
            _command(given), {**base, **_settings(given)}, job.project, job.folder / LOG_FILE
        )
        ran = run_all([process], tail=tail, timeout=supervision.timeout, grace=supervision.grace)
        _check_started(given, ran.endings[0])
        return exit_status.outcome(job, given.ranks, ran, lambda log: _lost_rank(given, log))

    return attempt


def _lost_rank(given: EngineInput, log: Path) -> int:
    """Return the position of the rank whose server mpirun reports as lost; 0 if it names none."""
    named = _LOST_SERVER.search("\n".join(_messages(log)))
    for position, rank in enumerate(given.ranks):
        server = given.job.inventory.servers[rank.server]
        if named is not None and named[1] in (server.host, server.id):
            return position
    return 0


def _messages(log: Path) -> list[str]:
    """Return the messages that mpirun printed, the cause first, without separator lines."""
    with log.open("rb") as file:
        text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip(" -")]


def _check_started(given: EngineInput, whole: Ending) -> None:
    """Raise an error if mpirun failed before it started any rank."""
    printed = any(given.job.log(rank.number).stat().st_size for rank in given.ranks)
    begun = any(exit_status.record(given.job, rank).exists() for rank in given.ranks)
    if not whole.failed or printed or begun:
        return
    said = _messages(whole.log)
    text = "\n".join(said)
    advice = next((advice for pattern, advice in _ADVICE if re.search(pattern, text)), "")
    lines = "".join(f"\n  | {line}" for line in said[:12])
    raise UsageError(
        f"mpirun started no rank ({whole.how}){lines}", advice or f"its output is in {whole.log}"
    )


def _run(given: EngineInput) -> jobs.JobResult:
    return given.run(_attempt(given))


def _dry_run(given: EngineInput) -> str:
    job, folder = given.job, str(given.job.folder)
    lines = [
        headline(job),
        f"# {AGENT_FILE} and {PLAN_FILE} are written to {folder!r} first; agents run there:",
        *(line for rank in given.ranks for line in rank_lines(job, rank, rank.environment)),
        f"cd {shlex.quote(str(job.project))}",
        " ".join((*assignments(_settings(given)), shlex.join(_command(given)))),
    ]
    return "".join(f"{line}\n" for line in lines)


ENGINE = Engine("mpirun", OPTIONS, _dry_run, _run, _check)
