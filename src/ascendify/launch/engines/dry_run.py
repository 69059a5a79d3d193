"""Dry run: print what a launch would start, as lines that a shell could run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from ascendify.jobs.job import TABLE_FILE, Job, Rank
from ascendify.jobs.unset import SEARCH, UNSET


def script(job: Job, ranks: tuple[Rank, ...]) -> str:
    """Return the commands of some ranks, with their environment variables."""
    return "".join(f"{line}\n" for line in _lines(job, ranks))


def rank_lines(
    job: Job, rank: Rank, variables: Mapping[str, str], command: Sequence[str] = ()
) -> Iterator[str]:
    """Return the command of a rank on its server, as comments."""
    yield f"# rank {rank.number} on {job.host(rank)}:"
    yield from (f"#   {line}" for line in command_line(job, variables, command).split("\n"))


def command_line(job: Job, variables: Mapping[str, str], command: Sequence[str] = ()) -> str:
    """Return the command of a rank with its variables, for a shell."""
    line = shlex.join(command or job.command)
    return " ".join((f"cd {shlex.quote(str(job.project))} &&", *assignments(variables), line))


def assignments(variables: Mapping[str, str]) -> list[str]:
    """Return variables as a shell accepts them before a command."""
    return [f"{name}={shlex.quote(value)}" for name, value in variables.items()]


def headline(job: Job) -> str:
    """Return the size of a job, as a comment."""
    return f"# {job.size} ranks on {len(job.inventory.servers)} servers; job {job.name}"


def _lines(job: Job, ranks: tuple[Rank, ...]) -> Iterator[str]:
    common = _common(ranks)
    yield headline(job)
    if job.table:
        yield f"cat > {shlex.quote(str(job.folder / TABLE_FILE))} <<'TABLE'"
        yield from job.table.rstrip().split("\n")
        yield "TABLE"
    yield f"cd {shlex.quote(str(job.project))}"
    yield f"unset {' '.join(sorted(UNSET))}"
    if SEARCH in ranks[0].environment:
        search = shlex.quote(ranks[0].environment[SEARCH])
        yield f"export PYTHONPATH={search}${{PYTHONPATH:+:$PYTHONPATH}}"
    for name, value in sorted(common.items()):
        yield f"export {name}={shlex.quote(value)}"
    for rank in ranks:
        own = {name: value for name, value in rank.environment.items() if name not in common}
        log = shlex.quote(str(job.log(rank.number)))
        yield " ".join((*assignments(own), shlex.join(job.command), f"> {log} 2>&1 &"))
    yield "wait"


def _common(ranks: tuple[Rank, ...]) -> dict[str, str]:
    first = dict(ranks[0].environment)
    if len(ranks) == 1:
        return {}
    return {
        name: value
        for name, value in first.items()
        if all(rank.environment.get(name) == value for rank in ranks)
    }
