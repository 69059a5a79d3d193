"""The findings and the report of an emulated run, from what its ranks recorded.

Each rank writes lines of JSON: findings, and the collectives and operators of its graph. A finding
of several ranks is reported once. The graphs are compared here, after the run, so that no rank has
to wait for another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ascendify import __version__
from ascendify.emulation import records
from ascendify.emulation.audit import Audit, relative
from ascendify.emulation.codes import CODES
from ascendify.findings import Effort, Finding, Span, Status
from ascendify.reports.model import Report

_EFFORT = {Status.BLOCKER: Effort.HOURS, Status.MANUAL: Effort.MINUTES}
_ANYWHERE = "."
"""The path of a finding that belongs to no file: the project folder."""
_TYPES_NAMED = 4
"""How many operator types a finding names where the graphs of two ranks differ."""
_COLLECTIVES_TODO = (
    "Build and run the same collectives, in the same order and with the same shapes, on every "
    "rank: move what depends on the rank out of the graph."
)
_DEVICE_TODO = (
    "Call torch.npu.set_device(local_rank) in every rank before the first tensor and before "
    "init_process_group."
)
_WAITS_SHOWN = 5
"""How many lines that wait for the device are named."""
_OPERATORS_TODO = (
    "Build the same graph on every rank, summaries and metrics included, and let only one rank "
    "write the results."
)


@dataclass(frozen=True)
class _RankFinding:
    """A finding as a rank wrote it."""

    code: str
    status: Status
    path: str
    line: int
    found: str
    todo: str


@dataclass(frozen=True)
class _Collective:
    """One collective of a graph."""

    name: str
    operands: str
    path: str
    line: int

    @property
    def kind(self) -> tuple[str, str]:
        """The part that must be equal on every rank; the source line may differ."""
        return self.name, self.operands


_NO_COLLECTIVE = _Collective("", "", "", 0)
"""Placeholder for a rank that has no further collective where another rank has one."""


@dataclass(frozen=True)
class _Graph:
    """Collectives and operators of one step of one rank."""

    collectives: tuple[_Collective, ...]
    operators: Mapping[str, int]
    """How many operators of each type run on the device; empty for a run that does not train."""
    path: str
    line: int


@dataclass(frozen=True)
class _Device:
    """The device one rank trains on."""

    server: int
    device: str
    path: str
    line: int


def report(
    files: Sequence[Path],
    root: Path,
    command: str = "run",
    *,
    ranks: int | None = None,
    audit: Audit | None = None,
) -> Report:
    """Build the report of a run from the files of its ranks.

    Args:
        files: The findings file of each rank, in the order of the ranks; a rank without findings
        has no file.
        root: The project's folder.
        command: The command that ran it: ``run`` or ``verify``.
        ranks: The number of ranks, if one command started them all and they share a file.
        audit: The audit of the same run, if there is one.
    """
    found = findings(files, root, ranks=ranks)
    named = {finding.code for finding in found}
    return Report(
        command=command,
        version=__version__,
        root=str(root),
        output=None,
        files=(),
        findings=found,
        apis=audit.apis if audit is not None else (),
        rules={code: info for code, info in CODES.items() if code in named},
        seen=_seen(ranks or len(files), audit, _waits(files, root)),
    )


def with_audit(report: Report, audit: Audit | None) -> Report:
    """Add the findings and APIs of an audited run to the report on a project's sources.

    Where both name the same API, the entry from the sources stays.
    """
    if audit is None:
        return report
    known = {use.api for use in report.apis}
    named = {finding.code for finding in audit.findings}
    return replace(
        report,
        findings=(*report.findings, *audit.findings),
        apis=(*report.apis, *(use for use in audit.apis if use.api not in known)),
        rules={**report.rules, **{code: CODES[code] for code in CODES if code in named}},
    )


def _seen(ranks: int, audit: Audit | None, waits: str) -> str:
    """What a report of a run covers, and how often its host waited for the device."""
    who = "one rank" if ranks == 1 else f"{ranks} ranks"
    ran = "" if audit is None else f" ({audit.summary})"
    return f"what {who} ran{ran}; code that did not run is not judged{waits}"


def _waits(files: Iterable[Path], root: Path) -> str:
    """Say how often a step makes the host wait, and where, of the process that waits most."""
    entries = [entry["waits"] for file in files for entry in records.read(file) if "waits" in entry]
    if not entries:
        return ""
    most = max(entries, key=lambda item: sum(line[2] for line in item["lines"]) / item["steps"])
    places: Counter[tuple[str, int]] = Counter()
    for path, line, count in most["lines"]:
        places[path, line] += count
    steps = most["steps"]
    rate = _rate(sum(places.values()) / steps)
    named = [
        f"{relative(path, root) or 'a library'}:{line} ({_rate(count / steps)})"
        for (path, line), count in places.most_common(_WAITS_SHOWN)
    ]
    more = f" and {len(places) - _WAITS_SHOWN} more lines" if len(places) > _WAITS_SHOWN else ""
    where = f": {', '.join(named)}{more}" if named else ""
    return f"; the host waits for the device {rate} times a step{where}"


def _rate(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def findings(files: Sequence[Path], root: Path, *, ranks: int | None = None) -> tuple[Finding, ...]:
    """Return every finding of a run, each once for all ranks, and differences between the ranks."""
    recorded: dict[_RankFinding, list[int]] = {}
    graphs: dict[int, list[_Graph]] = {}
    devices: dict[int, _Device] = {}
    for position, file in enumerate(files):
        for entry in records.read(file):
            number = position if ranks is None else int(entry.get("rank") or 0)
            if "graph" in entry:
                graphs.setdefault(number, []).append(_graph(entry))
            elif "device" in entry:
                devices[number] = _device(entry)
            elif "code" in entry:
                recorded.setdefault(_rank_finding(entry), [])
                if number not in recorded[_rank_finding(entry)]:
                    recorded[_rank_finding(entry)].append(number)
    size = ranks or len(files)
    compared = (*_differences(graphs), *_shared_devices(devices))
    differences = ((item, list(range(size))) for item in compared)
    result = [
        _finding(item, sorted(who), size, root) for item, who in (*recorded.items(), *differences)
    ]
    return tuple(sorted(result, key=lambda finding: finding.sort_key))


def _rank_finding(entry: Mapping[str, Any]) -> _RankFinding:
    return _RankFinding(
        code=str(entry["code"]),
        status=Status(entry.get("status", Status.MANUAL.value)),
        path=str(entry.get("path") or ""),
        line=int(entry.get("line") or 0),
        found=str(entry.get("found", "")),
        todo=str(entry.get("todo", "")),
    )


def _graph(entry: Mapping[str, Any]) -> _Graph:
    content = entry["graph"]
    return _Graph(
        collectives=tuple(_Collective(*item) for item in content["collectives"]),
        operators=content["operators"],
        path=str(entry.get("path") or ""),
        line=int(entry.get("line") or 0),
    )


def _device(entry: Mapping[str, Any]) -> _Device:
    content = entry["device"]
    return _Device(
        server=int(content["server"]),
        device=str(content["device"]),
        path=str(entry.get("path") or ""),
        line=int(entry.get("line") or 0),
    )


def _finding(item: _RankFinding, ranks: Sequence[int], size: int, root: Path) -> Finding:
    line = max(item.line, 1)
    where = "" if len(ranks) == size else f" ({_rank_text(ranks)} of {size})"
    return Finding(
        code=item.code,
        status=item.status,
        path=relative(item.path, root) or _ANYWHERE,
        span=Span(line, 1, line + 1, 1),
        found=item.found + where,
        todo=item.todo,
        effort=_EFFORT.get(item.status, Effort.NONE),
    )


def _rank_text(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"


# --- differences between the ranks -----------------------------------------------------------


def _differences(graphs: Mapping[int, Sequence[_Graph]]) -> Iterator[_RankFinding]:
    """Yield how each rank differs from the first rank that runs collectives."""
    if len(graphs) < 2:
        return
    first, *others = sorted(graphs)
    for other in others:
        difference = _collective_difference(first, other, graphs)
        if difference is None:
            difference = _operator_difference(first, other, graphs)
        if difference is not None:
            yield difference


def _shared_devices(devices: Mapping[int, _Device]) -> Iterator[_RankFinding]:
    """Yield a finding for each device that several ranks train on."""
    users: dict[tuple[int, str], list[int]] = {}
    for rank, one in sorted(devices.items()):
        users.setdefault((one.server, one.device), []).append(rank)
    for (_, device), ranks in users.items():
        if len(ranks) > 1:
            first = devices[ranks[0]]
            found = f"{_rank_text(ranks)} all train on device {device}"
            yield _RankFinding(
                "EMU-TORCH-RANK-1", Status.BLOCKER, first.path, first.line, found, _DEVICE_TODO
            )


def _collective_difference(
    first: int, other: int, graphs: Mapping[int, Sequence[_Graph]]
) -> _RankFinding | None:
    """Return the first difference between the collectives of two ranks, None if they are equal."""
    left, right = (_distinct_collectives(graphs[rank]) for rank in (first, other))
    for mine, theirs in zip_longest(left, right, fillvalue=()):
        for one, two in zip_longest(mine, theirs, fillvalue=_NO_COLLECTIVE):
            if one.kind == two.kind:
                continue
            shown = two if one is _NO_COLLECTIVE else one
            found = (
                f"rank {first} runs {_collective_text(one)} "
                f"where rank {other} runs {_collective_text(two)}"
            )
            return _RankFinding(
                "EMU-RANK-1", Status.BLOCKER, shown.path, shown.line, found, _COLLECTIVES_TODO
            )
    return None


def _distinct_collectives(graphs: Iterable[_Graph]) -> list[tuple[_Collective, ...]]:
    seen = {tuple(one.kind for one in graph.collectives): graph.collectives for graph in graphs}
    return list(seen.values())


def _collective_text(collective: _Collective) -> str:
    if collective is _NO_COLLECTIVE:
        return "no further collective"
    return f"{collective.name} of {collective.operands}"


def _operator_difference(
    first: int, other: int, graphs: Mapping[int, Sequence[_Graph]]
) -> _RankFinding | None:
    """Return a training step that only one of two ranks has, None if there is none."""
    left, right = (_training_steps(graphs[rank]) for rank in (first, other))
    for (rank, mine), (peer, theirs) in (
        ((first, left), (other, right)),
        ((other, right), (first, left)),
    ):
        for graph in mine:
            if any(graph.operators == one.operators for one in theirs):
                continue
            found = f"the training step of rank {rank} differs from that of rank {peer}"
            if theirs:
                found += f": {_type_text(graph.operators, theirs[0].operators)}"
            return _RankFinding(
                "EMU-RANK-2", Status.BLOCKER, graph.path, graph.line, found, _OPERATORS_TODO
            )
    return None


def _training_steps(graphs: Iterable[_Graph]) -> list[_Graph]:
    return [graph for graph in graphs if graph.operators]


def _type_text(mine: Mapping[str, int], theirs: Mapping[str, int]) -> str:
    differing = sorted(
        name for name in {*mine, *theirs} if mine.get(name, 0) != theirs.get(name, 0)
    )
    named = ", ".join(
        f"{mine.get(name, 0)} instead of {theirs.get(name, 0)} {name}"
        for name in differing[:_TYPES_NAMED]
    )
    more = len(differing) - _TYPES_NAMED
    return f"{named} and {more} more types" if more > 0 else named
