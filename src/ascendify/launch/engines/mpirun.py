"""Open MPI: one ``mpirun`` that starts an agent for every rank, on the servers of the plan.

The folder of the logs must be the same on all servers, as must be the project: mpirun's users share
them. The agents write the logs there, and how their ranks ended, which mpirun itself does not tell.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.launch import ended, local, remote
from ascendify.launch.engines import Engine, Order
from ascendify.launch.engines.dry import rank_lines
from ascendify.launch.local import Attempt, Finished
from ascendify.launch.plan import PLAN_FILE, Plan, Rank, environment
from ascendify.processes import Ending, Outcome, Process, Tail, run_all

OPTIONS = {
    "mpirun": "the mpirun program",
    "arguments": "more options for mpirun, as one text: '--mca btl_tcp_if_include eth0'",
    "python": "the Python of the servers that runs our agent; python3",
}
AGENT_FILE = "agent.py"
LOG_FILE = "mpirun.log"
_NUMBER = "OMPI_COMM_WORLD_RANK"
"""Where Open MPI tells a process its number."""
_HERE = "localhost"
_HOST = re.compile(r"[A-Za-z0-9_][\w.-]*", re.ASCII)
_IS_OPEN_MPI = re.compile(r"Open ?MPI|OpenRTE|prte", re.IGNORECASE)
_LOST_SERVER = re.compile(r"Remote daemon:.*\bon node (\S+)")
_PATIENCE_SECONDS = 20.0
_MOST_BYTES = 1 << 16
"""More than mpirun has to say."""
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
"""What mpirun says, and what to do."""


def _check(order: Order) -> None:
    local.check(order.plan, order.watch)
    program = order.options.get("mpirun", "mpirun")
    if shutil.which(program) is None:
        raise UsageError(
            f"{program}: there is no such program",
            "install Open MPI (openmpi-bin), or name its mpirun with -O mpirun=PATH",
        )
    version = subprocess.run(  # noqa: S603 (the program that the user has named)
        (program, "--version"),
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_SECONDS,
    )
    if _IS_OPEN_MPI.search(version.stdout + version.stderr) is None:
        found = (version.stdout.strip() or "it does not say what it is").splitlines()[0]
        raise UsageError(
            f"{program} is not of Open MPI ({found})", "name that one with -O mpirun=PATH"
        )
    _arguments(order)
    for server in order.plan.inventory.servers:
        host = server.host or server.id
        if _HOST.fullmatch(host) is None:
            raise UsageError(
                f"{host!r} cannot be the name of a server for mpirun", "use a name, or IPv4"
            )


def _arguments(order: Order) -> list[str]:
    text = order.options.get("arguments", "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"-O arguments={text}: {error}", "close every quote") from error


def _is_here(order: Order) -> bool:
    """Whether all ranks run on this machine."""
    servers = order.plan.inventory.servers
    return order.given is not environment or (len(servers) == 1 and not servers[0].host)


def _command(order: Order) -> tuple[str, ...]:
    """The command: an application a server, which gives the ranks the order of the plan."""
    general = [order.options.get("mpirun", "mpirun")]
    if os.geteuid() == 0:
        general.append("--allow-run-as-root")
    # mpirun would give each rank a single core; the agents give it its share
    general += ["--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none"]
    general += [word for name in local.RESTART_WORDS for word in ("-x", name)]
    folder = Path(order.plan.folder)
    agent = (
        order.options.get("python", "python3"),
        *(str(folder / AGENT_FILE), str(folder / PLAN_FILE), _NUMBER, f"{order.watch.grace:g}"),
        *(("bind",) if order.watch.bind else ()),
    )
    return (*general, *_arguments(order), *_applications(order, agent))


def _applications(order: Order, agent: tuple[str, ...]) -> Iterator[str]:
    ranks = sorted(order.ranks, key=lambda rank: rank.number)
    groups = [
        (server, len(list(of_server)))
        for server, of_server in itertools.groupby(ranks, lambda rank: rank.server)
    ]
    for position, (number, count) in enumerate(groups):
        server = order.plan.inventory.servers[number]
        host = _HERE if _is_here(order) else server.host or server.id
        if position:
            yield ":"
        yield from ("--host", f"{host}:{count}", "-n", str(count), *agent)


def _settings(order: Order) -> dict[str, str]:
    """Settings of Open MPI, by the names of version 4 and of version 5."""
    settings = {
        # node1.site.example is not node1
        "OMPI_MCA_orte_keep_fqdn_hostnames": "1",
        "PRTE_MCA_prte_keep_fqdn_hostnames": "1",
    }
    if _is_here(order):
        # works where there is no ssh
        settings["OMPI_MCA_plm"] = "isolated"
    else:
        # servers are those of the plan, also inside an allocation of a scheduler
        settings.update({"OMPI_MCA_plm": "rsh", "PRTE_MCA_plm": "ssh"})
    return {name: os.environ.get(name, value) for name, value in settings.items()}


def _planned(order: Order) -> Plan:
    """The plan as the agents find it, with what stand-ins need where they are used."""
    if order.given is environment:
        return order.plan
    here = os.environ

    def changed(rank: Rank) -> Rank:
        found = order.given(rank, here)
        return replace(rank, environment={k: v for k, v in found.items() if here.get(k) != v})

    return replace(order.plan, ranks=tuple(map(changed, order.plan.ranks)))


def _attempt(order: Order) -> Attempt:
    plan, folder = order.plan, Path(order.plan.folder)

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        (folder / AGENT_FILE).write_text(remote.agent(), encoding="utf-8")
        for rank in order.ranks:
            plan.log(rank.number).write_bytes(b"")
            ended.record(plan, rank).unlink(missing_ok=True)
        process = Process(
            _command(order), {**base, **_settings(order)}, Path(plan.project), folder / LOG_FILE
        )
        watch = order.watch
        ran = run_all([process], tail=tail, timeout=watch.timeout, grace=watch.grace)
        return _outcome(order, ran)

    return attempt


def _outcome(order: Order, ran: Outcome) -> Outcome:
    """How the ranks ended, from what their agents have written and how mpirun ended."""
    (whole,) = ran.endings
    _check_started(order, whole)
    found = ended.outcome(order.plan, order.ranks, ran)
    if whole.failed and not found.failed:
        lost = _lost(order, whole.log)
        # the last words are those of mpirun
        endings = (*found.endings[:lost], whole, *found.endings[lost + 1 :])
        found = replace(found, endings=endings, failed=(lost,))
    # what ranks have forgotten is the agents' business
    return replace(found, left_behind=0)


def _lost(order: Order, log: Path) -> int:
    """The rank to speak of where mpirun failed and none of its ranks did."""
    named = _LOST_SERVER.search("\n".join(_said(log)))
    servers = order.plan.inventory.servers
    for position, rank in enumerate(order.ranks):
        server = servers[rank.server]
        if named is not None and named[1] in (server.host, server.id):
            return position
    return 0


def _said(log: Path) -> list[str]:
    """What mpirun has printed, the cause first; without the lines it draws."""
    with log.open("rb") as file:
        text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip(" -")]


def _check_started(order: Order, whole: Ending) -> None:
    """Refuse to go on where mpirun failed before there was any rank."""
    printed = any(order.plan.log(rank.number).stat().st_size for rank in order.ranks)
    begun = any(ended.record(order.plan, rank).exists() for rank in order.ranks)
    if not whole.failed or printed or begun:
        return
    said = _said(whole.log)
    text = "\n".join(said)
    advice = next((advice for pattern, advice in _ADVICE if re.search(pattern, text)), "")
    lines = "".join(f"\n  | {line}" for line in said[:12])
    raise UsageError(
        f"mpirun started no rank ({whole.how}){lines}", advice or f"all it said is in {whole.log}"
    )


def _run(order: Order) -> Finished:
    plan = _planned(order)
    order = replace(order, plan=plan)
    return local.run(
        plan, order.ranks, order.watch, order.stream, order.given, order.told, _attempt(order)
    )


def _shown(order: Order) -> str:
    plan = order.plan
    settings = [f"{name}={shlex.quote(value)}" for name, value in _settings(order).items()]
    lines = [
        f"# {plan.size} ranks on {len(plan.inventory.servers)} servers; job {plan.name}",
        f"# {AGENT_FILE} and {PLAN_FILE} are written to {plan.folder!r} first; agents run there:",
        *(line for rank in order.ranks for line in rank_lines(plan, rank, rank.environment)),
        f"cd {shlex.quote(plan.project)}",
        " ".join((*settings, shlex.join(_command(order)))),
    ]
    return "".join(f"{line}\n" for line in lines)


ENGINE = Engine("mpirun", OPTIONS, _shown, _run, _check)
