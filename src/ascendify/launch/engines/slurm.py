"""Slurm: a script for sbatch, or the same steps at once inside an allocation.

Which nodes a job gets is known only when it runs. So every node first reports its name and
the addresses of its devices; the plan is written again for these nodes, and srun starts the
ranks. Nodes need Python 3.6 and see the project and the folder of the logs under the same paths,
as nodes of Slurm do. Accounting is not needed.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.jobs import exit_status
from ascendify.jobs import run as jobs
from ascendify.jobs.job import PLAN_FILE, Job, with_known_servers
from ascendify.launch import remote
from ascendify.launch.engines import (
    Engine,
    EngineInput,
    HandedOver,
    check_on_npus,
    check_values,
    split_arguments,
)
from ascendify.launch.engines.dry_run import headline
from ascendify.processes import Outcome, Process, Tail, run_all
from ascendify.processes.commands import run_program

SCRIPT = "job.sh"
OPTIONS = {
    "submit": "yes: hand the script to sbatch; no: only write it, also inside an allocation",
    "gres": "what the devices are called in Slurm's Gres; npu, or none to request none",
    "partition": "of the nodes",
    "account": "who pays",
    "qos": "the quality of service",
    "time": "the longest it may take, as sbatch has it: 60, 1:30:00 or 2-00",
    "exclusive": "yes: no other job on the nodes",
    "nodelist": "nodes that must be among those of the job",
    "exclude": "nodes that must not",
    "constraint": "features that the nodes must have",
    "reservation": "to take nodes from",
    "dependency": "other jobs to wait for, such as afterok:17",
    "cpus": "cores for each rank",
    "mem": "memory of each node, such as 200G",
    "signal": "a signal for the ranks before the time is up, such as USR1@120",
    "setup": "a shell script that is sourced first, such as CANN's set_env.sh",
    "python": "the Python of the nodes that runs our programs; python3",
    "hccn": "where the nodes have their devices' addresses; /etc/hccn.conf",
    "sbatch": "more options for sbatch",
    "srun": "more options for srun",
}
_SBATCH = {
    "partition": "partition",
    "account": "account",
    "qos": "qos",
    "time": "time",
    "nodelist": "nodelist",
    "exclude": "exclude",
    "constraint": "constraint",
    "reservation": "reservation",
    "dependency": "dependency",
    "cpus": "cpus-per-task",
    "mem": "mem",
    "signal": "signal",
}
"""Our options that are options of sbatch."""
_ABOUT_NODES = (*(set(_SBATCH) - {"cpus"}), "exclusive", "sbatch")
"""Options that choose nodes, which an allocation has already."""
_NODE_SECONDS = 120.0


def allocation() -> str:
    """Return the number of the Slurm job that this process runs in; empty outside of a job."""
    return os.environ.get("SLURM_JOB_ID", "")


def nodes() -> int | None:
    """Return how many nodes the allocation has."""
    count = os.environ.get("SLURM_JOB_NUM_NODES", "")
    return int(count) if allocation() and count.isdigit() else None


def _at_once(given: EngineInput) -> bool:
    """Whether the ranks are started by this process instead of by a script."""
    return bool(allocation()) and "submit" not in given.options


def _check(given: EngineInput) -> None:
    jobs.check_supervision(given.supervision)
    options = given.options
    check_on_npus(given, "slurm")
    check_values(given, "submit", "exclusive")
    for path in map(str, (given.job.project, given.job.folder)):
        if "\n" in path or "\\" in path:
            raise UsageError(f"{path!r}: Slurm cannot have such a name in a script", "rename it")
    jobs.check_project(given.job.project)
    if re.fullmatch(r"[A-Za-z]\w*(?::\w+)?", options.get("gres", "npu"), re.ASCII) is None:
        raise UsageError(f"-O gres={options['gres']} is no name", "such as npu, or npu:910b")
    for name in ("sbatch", "srun"):
        split_arguments(given, name)
    if _at_once(given):
        _check_allocation(given)
    elif given.supervision.max_restarts:
        raise UsageError(
            "--max-restarts needs a process that supervises the job",
            "use it inside an allocation (salloc), or have Slurm do it: -O sbatch=--requeue",
        )


def _check_allocation(given: EngineInput) -> None:
    for name in _ABOUT_NODES:
        if name in given.options:
            raise UsageError(
                f"-O {name}: the nodes are those of job {allocation()}, in which this runs",
                "leave it out, or give -O submit=yes for a job of its own",
            )
    here, wanted = nodes(), len(given.job.inventory.servers)
    if here is not None and wanted > here:
        raise UsageError(
            f"--servers {wanted}: job {allocation()} has {here} nodes", "request no more than that"
        )
    _program("srun")


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise UsageError(f"{name} is not here", "use this where Slurm's commands are")
    return found


# --- the script


def script(given: EngineInput) -> str:
    """Return the script for sbatch; ``bash`` can also run it, inside an allocation."""
    job, options = given.job, given.options
    lines = [
        "#!/bin/bash",
        *(f"#SBATCH {_quote_for_sbatch(argument)}" for argument in _sbatch_options(given)),
        "",
        headline(job),
    ]
    if "setup" in options:
        lines += ["# shellcheck source=/dev/null", f"source {shlex.quote(options['setup'])}", ""]
    python = options.get("python", "python3")
    lines += [
        "set -euo pipefail",
        f"folder={shlex.quote(str(job.folder))}",
        f"cd {shlex.quote(str(job.project))}",
        'rm -f "$folder"/rank-*.ended',
        'echo "nodes: $(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -sd \' \')"',
        "",
        "# each node describes itself; the plan is written again for these nodes",
        f"{_script_command(_describe(given, python))} \\",
        f"  | {_script_command(_settle(given, python))}",
        "",
        "# the ranks; when one fails the others are stopped",
        "status=0",
        f"{_script_command(_start(given, python))} || status=$?",
        f'{shlex.quote(python)} "$folder/nodes.py" blame "$folder/{PLAN_FILE}" || true',
        'exit "$status"',
    ]
    return "\n".join(lines) + "\n"


def _sbatch_options(given: EngineInput) -> Iterator[str]:
    job, options = given.job, given.options
    devices = max(len(server.devices) for server in job.inventory.servers)
    yield f"--job-name={job.name}"
    yield f"--nodes={len(job.inventory.servers)}"
    yield f"--ntasks-per-node={len(job.on(0))}"
    if options.get("gres") != "none":
        yield f"--gres={options.get('gres', 'npu')}:{devices}"
    yield f"--chdir={job.project}"
    yield f"--output={_pattern(str(job.folder))}/slurm-%j.log"
    for name, flag in _SBATCH.items():
        if name in options:
            yield f"--{flag}={options[name]}"
    if "time" not in options and given.supervision.timeout is not None:
        minutes, seconds = divmod(math.ceil(given.supervision.timeout), 60)
        yield f"--time={minutes}:{seconds:02}"
    if options.get("exclusive") == "yes":
        yield "--exclusive"
    yield from split_arguments(given, "sbatch")


def _quote_for_sbatch(argument: str) -> str:
    """Quote an argument for an #SBATCH line, where only quotation marks are special."""
    name, equals, value = argument.partition("=")
    return f"{name}{equals}{shlex.quote(value)}" if equals else shlex.quote(argument)


def _pattern(path: str) -> str:
    """Escape a path in which Slurm would replace patterns such as %j."""
    return path.replace("%", "%%")


class _Here(str):
    """An argument of a command that starts with the path of the folder."""


def _script_command(arguments: Sequence[str]) -> str:
    """Return a command for the script, in which a variable names the folder."""
    return " ".join(
        f'"$folder/{argument}"' if isinstance(argument, _Here) else shlex.quote(argument)
        for argument in arguments
    )


def _here_command(given: EngineInput, arguments: Sequence[str]) -> tuple[str, ...]:
    """Return a command as this process starts it."""
    folder = given.job.folder
    return tuple(
        f"{folder}/{argument}" if isinstance(argument, _Here) else argument
        for argument in arguments
    )


def _describe(given: EngineInput, python: str) -> tuple[str, ...]:
    count = len(given.job.inventory.servers)
    hccn = given.options.get("hccn", "/etc/hccn.conf")
    return (
        *("srun", f"--nodes={count}", f"--ntasks={count}", "--ntasks-per-node=1"),
        *split_arguments(given, "srun"),
        *(python, _Here("nodes.py"), "describe", str(given.job.folder), hccn),
    )


def _settle(given: EngineInput, python: str) -> tuple[str, ...]:
    kind = given.options.get("gres", "npu").partition(":")[0]
    return python, _Here("nodes.py"), "settle", _Here(PLAN_FILE), kind


def _start(given: EngineInput, python: str) -> tuple[str, ...]:
    job = given.job
    grace = f"{given.supervision.grace:g}"
    cpus = given.options.get("cpus")
    return (
        *("srun", f"--job-name={job.name}", f"--nodes={len(job.inventory.servers)}"),
        *(f"--ntasks={job.size}", f"--ntasks-per-node={len(job.on(0))}"),
        *("--distribution=block", "--kill-on-bad-exit=1"),
        *([f"--cpus-per-task={cpus}"] if cpus else ()),
        *split_arguments(given, "srun"),
        *(python, _Here("agent.py"), _Here(PLAN_FILE), "SLURM_PROCID", grace),
    )


# --- handing over


def _write(given: EngineInput) -> Path:
    """Write the script and all files it needs to the folder."""
    jobs.prepare(given.job)
    _write_programs(given.job)
    path = given.job.folder / SCRIPT
    path.write_text(script(given), encoding="utf-8")
    path.chmod(0o755)
    return path


def _write_programs(job: Job) -> None:
    (job.folder / "agent.py").write_text(remote.agent(), encoding="utf-8")
    (job.folder / "nodes.py").write_text(remote.text("nodes.py"), encoding="utf-8")


def _submit(given: EngineInput) -> HandedOver:
    program = _program("sbatch") if given.options.get("submit") == "yes" else ""
    path = _write(given)
    if not program:
        return HandedOver(f"{path} is written; submit it with: sbatch {shlex.quote(str(path))}")
    answer = run_program((program, "--parsable", str(path)), timeout=None)
    if answer.returncode != 0:
        raise UsageError(
            f"sbatch does not take {path}: {_error_text(answer.stderr, 'sbatch: error: ')}",
            "change the options with -O, or the script, and submit it again",
        )
    job = answer.stdout.strip().partition(";")[0]
    log = shlex.quote(str(given.job.log(0)))
    return HandedOver(
        f"submitted as job {job}: squeue --job={job} shows its state, scancel {job} stops it, "
        f"tail -F {log} follows rank 0"
    )


def _error_text(text: str, prefix: str) -> str:
    lines = [line.removeprefix(prefix).strip() for line in text.splitlines() if line.strip()]
    return "; ".join(lines[:3]) or "it does not say why"


# --- inside an allocation


def _attempt(given: EngineInput) -> jobs.Attempt:
    """Run the ranks once: the steps of the script, with srun as a child process."""
    job, supervision = given.job, given.supervision
    python = given.options.get("python", "python3")

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        _write_programs(job)
        _settle_here(given, python, base)
        start = (*_WATCHED, job.name, *_here_command(given, _start(given, python)))
        process = Process(start, base, job.project, job.folder / "srun.log", input=b"")
        # a little more than the grace period that the agents give their ranks
        grace = supervision.grace + 1.0
        ran = run_all([process], tail=tail, timeout=supervision.timeout, grace=grace)
        return exit_status.outcome(job, given.ranks, ran)

    return attempt


_WATCHED = (sys.executable, "-I", str(Path(remote.__file__).with_name("srun_step.py")))
"""Put in front of a srun command: its tasks exit when standard input is closed."""


def _settle_here(given: EngineInput, python: str, base: Mapping[str, str]) -> None:
    described = _run_program(_here_command(given, _describe(given, python)), base)
    if described.returncode != 0:
        raise UsageError(
            f"the nodes of job {allocation()} cannot be queried: "
            f"{_error_text(described.stderr, 'srun: error: ')}",
            "srun must be able to start a step there; -O srun=--overlap where another runs",
        )
    command = _here_command(given, _settle(given, sys.executable))
    settled = _run_program(command, base, described.stdout)
    for line in settled.stderr.splitlines():
        if line.startswith("warning: "):
            given.warn(line.removeprefix("warning: "))
    if settled.returncode != 0:
        message, _, hint = settled.stderr.strip().partition("\nhint: ")
        raise UsageError(message.removeprefix("error: "), hint or "see the message")


def _run_program(
    command: Sequence[str], base: Mapping[str, str], text: str | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return run_program(command, environment=base, input=text, timeout=_NODE_SECONDS)
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"the nodes of job {allocation()} did not answer within {_NODE_SECONDS:.0f} s",
            "another step may have all of their cores: -O srun=--overlap shares them",
        ) from None


def _run(given: EngineInput) -> jobs.JobResult | HandedOver:
    if not _at_once(given):
        return _submit(given)
    result = given.run(_attempt(given))
    return replace(result, job=with_known_servers(given.job))


ENGINE = Engine("slurm", OPTIONS, script, _run, _check, count_servers=nodes)
