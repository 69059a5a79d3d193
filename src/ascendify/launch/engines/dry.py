"""What a launch would start, as lines that a shell could run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from ascendify.launch.plan import CONTRADICTING, SEARCH, TABLE_FILE, Plan, Rank


def shown(plan: Plan, ranks: tuple[Rank, ...]) -> str:
    """The commands of some ranks, with everything that is set for them."""
    return "".join(f"{line}\n" for line in _lines(plan, ranks))


def rank_lines(
    plan: Plan, rank: Rank, told: Mapping[str, str], command: Sequence[str] = ()
) -> Iterator[str]:
    """What a rank on a server amounts to, as comments."""
    server = plan.inventory.servers[rank.server]
    yield f"# rank {rank.number} on {server.host or server.id}:"
    yield from (f"#   {line}" for line in run_there(plan, told, command).split("\n"))


def run_there(plan: Plan, told: Mapping[str, str], command: Sequence[str] = ()) -> str:
    """What a shell would have to run in the place of a rank."""
    words = (f"{name}={shlex.quote(value)}" for name, value in told.items())
    line = shlex.join(command or plan.command)
    return " ".join((f"cd {shlex.quote(plan.project)} &&", *words, line))


def _lines(plan: Plan, ranks: tuple[Rank, ...]) -> Iterator[str]:
    common = _common(ranks)
    yield f"# {plan.size} ranks on {len(plan.inventory.servers)} servers; job {plan.name}"
    if plan.table:
        yield f"cat > {shlex.quote(f'{plan.folder}/{TABLE_FILE}')} <<'TABLE'"
        yield from plan.table.rstrip().split("\n")
        yield "TABLE"
    yield f"cd {shlex.quote(plan.project)}"
    yield f"unset {' '.join(sorted(CONTRADICTING))}"
    if SEARCH in ranks[0].environment:
        search = shlex.quote(ranks[0].environment[SEARCH])
        yield f"export PYTHONPATH={search}${{PYTHONPATH:+:$PYTHONPATH}}"
    for name, value in sorted(common.items()):
        yield f"export {name}={shlex.quote(value)}"
    for rank in ranks:
        own = {name: value for name, value in rank.environment.items() if name not in common}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in own.items())
        command = shlex.join(plan.command)
        log = shlex.quote(str(plan.log(rank.number)))
        yield f"{words} {command} > {log} 2>&1 &".lstrip()
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
