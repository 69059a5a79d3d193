"""Slurm: a script for sbatch, or the same steps at once inside an allocation.

Which nodes a job gets is known only when it runs. So every node is first asked what it is and what
the addresses of its devices are; the plan is written again for these nodes, and srun starts the
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
from ascendify.launch import ended, local, remote
from ascendify.launch.engines import Engine, Handed, Order
from ascendify.launch.local import Attempt, Finished
from ascendify.launch.plan import PLAN_FILE, Plan, environment, settled
from ascendify.processes import Outcome, Process, Tail, run_all

SCRIPT = "job.sh"
OPTIONS = {
    "submit": "yes: hand the script to sbatch; no: only write it, also inside an allocation",
    "gres": "what the devices are called in Slurm's Gres; npu, or none to ask for none",
    "partition": "of the nodes",
    "account": "who pays",
    "qos": "the quality of service",
    "time": "the longest it may take, as sbatch has it: 60, 1:30:00 or 2-00",
    "exclusive": "yes: nobody else on the nodes",
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
_ASKING = (*(set(_SBATCH) - {"cpus"}), "exclusive", "sbatch")
"""Those that say something about the nodes, which an allocation has already."""
_NODE_SECONDS = 120.0


def allocation() -> str:
    """The number of the job that this runs in; empty outside of one."""
    return os.environ.get("SLURM_JOB_ID", "")


def nodes() -> int | None:
    """How many nodes the allocation has."""
    count = os.environ.get("SLURM_JOB_NUM_NODES", "")
    return int(count) if allocation() and count.isdigit() else None


def _at_once(order: Order) -> bool:
    """Whether the ranks are started from here instead of by a script."""
    return bool(allocation()) and "submit" not in order.options


def _check(order: Order) -> None:
    local.check_watch(order.watch)
    options = order.options
    if order.given is not environment:
        raise UsageError("--emulate runs on this machine alone", "leave out --engine slurm")
    for name in ("submit", "exclusive"):
        if options.get(name, "no") not in ("yes", "no"):
            raise UsageError(f"-O {name}={options[name]}", "say yes or no")
    for name, value in options.items():
        if not value or "\n" in value or "\0" in value:
            raise UsageError(f"-O {name}={value!r} cannot be said in a script", "give one line")
    for path in (order.plan.project, order.plan.folder):
        if "\n" in path or "\\" in path:
            raise UsageError(f"{path!r}: Slurm cannot have such a name in a script", "rename it")
    if not Path(order.plan.project).is_dir():
        raise UsageError(f"--project {order.plan.project} is not a folder", "name a folder")
    if re.fullmatch(r"[A-Za-z]\w*(?::\w+)?", options.get("gres", "npu"), re.ASCII) is None:
        raise UsageError(f"-O gres={options['gres']} is no name", "such as npu, or npu:910b")
    for name in ("sbatch", "srun"):
        _words(options, name)
    if _at_once(order):
        _check_allocation(order)
    elif order.watch.max_restarts:
        raise UsageError(
            "--max-restarts needs somebody who watches the job",
            "use it inside an allocation (salloc), or have Slurm do it: -O sbatch=--requeue",
        )


def _check_allocation(order: Order) -> None:
    for name in _ASKING:
        if name in order.options:
            raise UsageError(
                f"-O {name}: the nodes are those of job {allocation()}, in which this runs",
                "leave it out, or give -O submit=yes for a job of its own",
            )
    here, asked = nodes(), len(order.plan.inventory.servers)
    if here is not None and asked > here:
        raise UsageError(
            f"--servers {asked}: job {allocation()} has {here} nodes", "ask for no more than that"
        )
    _program("srun")


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise UsageError(f"{name} is not here", "use this where Slurm's commands are")
    return found


def _words(options: Mapping[str, str], name: str) -> list[str]:
    try:
        return shlex.split(options.get(name, ""))
    except ValueError as error:
        raise UsageError(f"-O {name}={options[name]}: {error}", "end every quotation") from None


# --- the script


def script(order: Order) -> str:
    """What sbatch gets: valid also for ``bash`` inside an allocation."""
    plan, options = order.plan, order.options
    lines = [
        "#!/bin/bash",
        *(f"#SBATCH {_spelled(word)}" for word in _asked(order)),
        "",
        f"# {plan.size} ranks on {len(plan.inventory.servers)} servers; job {plan.name}",
    ]
    if "setup" in options:
        lines += ["# shellcheck source=/dev/null", f"source {shlex.quote(options['setup'])}", ""]
    python = options.get("python", "python3")
    lines += [
        "set -euo pipefail",
        f"folder={shlex.quote(plan.folder)}",
        f"cd {shlex.quote(plan.project)}",
        'rm -f "$folder"/rank-*.ended',
        'echo "nodes: $(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -sd \' \')"',
        "",
        "# each node tells what it is; the plan is written again for these nodes",
        f"{_joined(_tell(order, python))} \\",
        f"  | {_joined(_settle(order, python))}",
        "",
        "# the ranks; when one fails the others are stopped",
        "status=0",
        f"{_joined(_start(order, python))} || status=$?",
        f'{shlex.quote(python)} "$folder/nodes.py" blame "$folder/{PLAN_FILE}" || true',
        'exit "$status"',
    ]
    return "\n".join(lines) + "\n"


def _asked(order: Order) -> Iterator[str]:
    """What sbatch is asked for."""
    plan, options = order.plan, order.options
    devices = max(len(server.devices) for server in plan.inventory.servers)
    yield f"--job-name={plan.name}"
    yield f"--nodes={len(plan.inventory.servers)}"
    yield f"--ntasks-per-node={len(plan.on(0))}"
    if options.get("gres") != "none":
        yield f"--gres={options.get('gres', 'npu')}:{devices}"
    yield f"--chdir={plan.project}"
    yield f"--output={_pattern(plan.folder)}/slurm-%j.log"
    for name, flag in _SBATCH.items():
        if name in options:
            yield f"--{flag}={options[name]}"
    if "time" not in options and order.watch.timeout is not None:
        minutes, seconds = divmod(math.ceil(order.watch.timeout), 60)
        yield f"--time={minutes}:{seconds:02}"
    if options.get("exclusive") == "yes":
        yield "--exclusive"
    yield from _words(options, "sbatch")


def _spelled(word: str) -> str:
    """A word in a line of sbatch, which knows quotation marks but nothing else of a shell."""
    name, equals, value = word.partition("=")
    return f"{name}{equals}{shlex.quote(value)}" if equals else shlex.quote(word)


def _pattern(path: str) -> str:
    """A path where Slurm looks for such as %j."""
    return path.replace("%", "%%")


class _Here(str):
    """A word of a command that starts with the folder."""


def _joined(words: Sequence[str]) -> str:
    """A command for the script, where the folder has a name."""
    return " ".join(
        f'"$folder/{word}"' if isinstance(word, _Here) else shlex.quote(word) for word in words
    )


def _filled(order: Order, words: Sequence[str]) -> tuple[str, ...]:
    """A command as it is started from here."""
    folder = order.plan.folder
    return tuple(f"{folder}/{word}" if isinstance(word, _Here) else word for word in words)


def _tell(order: Order, python: str) -> tuple[str, ...]:
    count = len(order.plan.inventory.servers)
    hccn = order.options.get("hccn", "/etc/hccn.conf")
    return (
        *("srun", f"--nodes={count}", f"--ntasks={count}", "--ntasks-per-node=1"),
        *_words(order.options, "srun"),
        *(python, _Here("nodes.py"), "tell", order.plan.folder, hccn),
    )


def _settle(order: Order, python: str) -> tuple[str, ...]:
    kind = order.options.get("gres", "npu").partition(":")[0]
    return python, _Here("nodes.py"), "settle", _Here(PLAN_FILE), kind


def _start(order: Order, python: str) -> tuple[str, ...]:
    plan = order.plan
    cpus = order.options.get("cpus")
    return (
        *("srun", f"--job-name={plan.name}", f"--nodes={len(plan.inventory.servers)}"),
        *(f"--ntasks={plan.size}", f"--ntasks-per-node={len(plan.on(0))}"),
        *("--distribution=block", "--kill-on-bad-exit=1"),
        *([f"--cpus-per-task={cpus}"] if cpus else ()),
        *_words(order.options, "srun"),
        *(python, _Here("agent.py"), _Here(PLAN_FILE), "SLURM_PROCID", f"{order.watch.grace:g}"),
    )


# --- handing over


def _write(order: Order) -> Path:
    """Put the script into the folder, with everything it needs."""
    local.prepare(order.plan)
    _write_programs(order.plan)
    path = Path(order.plan.folder) / SCRIPT
    path.write_text(script(order), encoding="utf-8")
    path.chmod(0o755)
    return path


def _write_programs(plan: Plan) -> None:
    folder = Path(plan.folder)
    (folder / "agent.py").write_text(remote.agent(), encoding="utf-8")
    (folder / "nodes.py").write_text(remote.text("nodes.py"), encoding="utf-8")


def _submit(order: Order) -> Handed:
    program = _program("sbatch") if order.options.get("submit") == "yes" else ""
    path = _write(order)
    if not program:
        return Handed(f"{path} is written; submit it with: sbatch {shlex.quote(str(path))}")
    asked = subprocess.run(  # noqa: S603 (our own script)
        (program, "--parsable", str(path)),
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode != 0:
        raise UsageError(
            f"sbatch does not take {path}: {_said(asked.stderr, 'sbatch: error: ')}",
            "change the options with -O, or the script, and submit it again",
        )
    job = asked.stdout.strip().partition(";")[0]
    log = shlex.quote(str(order.plan.log(0)))
    return Handed(
        f"submitted as job {job}: squeue --job={job} tells how it is, scancel {job} stops it, "
        f"tail -F {log} follows rank 0"
    )


def _said(text: str, prefix: str) -> str:
    lines = [line.removeprefix(prefix).strip() for line in text.splitlines() if line.strip()]
    return "; ".join(lines[:3]) or "it does not say why"


# --- inside an allocation


def _attempt(order: Order) -> Attempt:
    """Run the ranks once: the steps of the script, with srun as a process of ours."""
    plan = order.plan
    python = order.options.get("python", "python3")

    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        _write_programs(plan)
        _settle_here(order, python, base)
        log = Path(plan.folder) / "srun.log"
        start = (*_WATCHED, plan.name, *_filled(order, _start(order, python)))
        process = Process(start, base, Path(plan.project), log, input=b"")
        # srun gives up on tasks by itself; our grace is for those that are asked to end
        outcome = run_all([process], tail=tail, timeout=order.watch.timeout, grace=_grace(order))
        found = ended.outcome(plan, order.ranks, outcome)
        if not found.failed and not outcome.succeeded and not outcome.timed_out:
            order.told(_said(log.read_text(errors="replace"), "srun: error: "))
        return found

    return attempt


_WATCHED = (sys.executable, "-I", str(Path(remote.__file__).with_name("stepping.py")))
"""In front of a srun command: it is ended kindly when standard input ends."""


def _grace(order: Order) -> float:
    """A little more than the ranks' own, which their agents see to."""
    return order.watch.grace + 1.0


def _settle_here(order: Order, python: str, base: Mapping[str, str]) -> None:
    told = _asked_for(_filled(order, _tell(order, python)), base)
    if told.returncode != 0:
        raise UsageError(
            f"the nodes of job {allocation()} cannot be asked what they are: "
            f"{_said(told.stderr, 'srun: error: ')}",
            "srun must be able to start a step there; -O srun=--overlap where another runs",
        )
    settled = _asked_for(_filled(order, _settle(order, sys.executable)), base, told.stdout)
    for line in settled.stderr.splitlines():
        if line.startswith("warning: "):
            order.told(line.removeprefix("warning: "))
    if settled.returncode != 0:
        message, _, hint = settled.stderr.strip().partition("\nhint: ")
        raise UsageError(message.removeprefix("error: "), hint or "see the message")


def _asked_for(
    command: Sequence[str], base: Mapping[str, str], text: str | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 (our own programs)
            command,
            env=dict(base),
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            timeout=_NODE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"the nodes of job {allocation()} did not answer within {_NODE_SECONDS:.0f} s",
            "another step may have all of their cores: -O srun=--overlap shares them",
        ) from None


def _run(order: Order) -> Finished | Handed:
    if not _at_once(order):
        return _submit(order)
    plan = order.plan
    finished = local.run(
        plan, order.ranks, order.watch, order.stream, told=order.told, attempt=_attempt(order)
    )
    return replace(finished, plan=settled(plan, Path(plan.folder, PLAN_FILE).read_text("utf-8")))


ENGINE = Engine("slurm", OPTIONS, script, _run, _check, found=nodes)
