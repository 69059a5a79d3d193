"""The audit of a run: what a program did on the emulated device, counted, as JSON.

Each process writes lines of JSON when it exits. This module adds them up: operators by type and
line, copies between host and device, waits, remaining uses of CUDA, and memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from ascendify import __version__
from ascendify.emulation import records
from ascendify.errors import UsageError
from ascendify.findings import Effort, Finding, Span, Status, Stop
from ascendify.reports.model import ApiUse, Place

SCHEMA_VERSION = "1.1"
"""A new field raises the second number; a changed or removed field raises the first."""
_OPERATOR = ("operator", "dtype", "api", "support", "note")
_PLACES = 5
"""How many lines a report names for one operator."""


@dataclass(frozen=True)
class OperatorUse:
    """One operator with one type, at one line."""

    operator: str
    """As torch names it: ``aten::add.Tensor``."""
    dtype: str
    """Of its first tensor; empty when it has none."""
    api: str
    """The public function it belongs to; empty where the catalogue does not list it."""
    support: str
    """Support by the catalogue: supported, partial, unsupported, or empty."""
    note: str
    path: str
    line: int
    count: int
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class DeviceCopy:
    """Copies between host and device at one line."""

    direction: str
    """``to device`` or ``to host``."""
    bytes: int
    path: str
    line: int
    count: int
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class AuditEvent:
    """An event at one line: a wait for the device, a call of torch.cuda, a use of a variable."""

    what: str
    path: str
    line: int
    count: int
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class ProcessUse:
    """Steps and memory of one process."""

    rank: int
    steps: int
    """Steps of the optimizer with the most steps."""
    peak_bytes: int
    """The peak of the memory that its tensors took on the device."""


@dataclass(frozen=True)
class Audit:
    """Everything that the processes of one run counted."""

    command: tuple[str, ...]
    root: str
    soc: str
    devices: int
    seconds: float
    processes: tuple[ProcessUse, ...]
    operators: tuple[OperatorUse, ...]
    moves: tuple[DeviceCopy, ...]
    waits: tuple[AuditEvent, ...]
    cuda: tuple[AuditEvent, ...]
    variables: tuple[AuditEvent, ...]
    findings: tuple[Finding, ...] = ()
    """Findings of strict mode in the same run."""

    @cached_property
    def apis(self) -> tuple[ApiUse, ...]:
        """The operators under their public names, as reports list what a project uses."""
        uses: dict[str, list[OperatorUse]] = {}
        for use in self.operators:
            if use.api:
                uses.setdefault(use.api, []).append(use)
        return tuple(
            ApiUse(
                api=api,
                support=_support(group[0]),
                vendor=group[0].support,
                note=group[0].note,
                count=sum(use.count for use in group),
                places=tuple(_first_places(group)),
            )
            for api, group in sorted(uses.items())
        )

    @property
    def calls(self) -> int:
        """How many operators ran."""
        return sum(use.count for use in self.operators)

    @property
    def summary(self) -> str:
        """One line with the main counts."""
        distinct = len({use.operator for use in self.operators})
        lines = len({(use.path, use.line) for use in self.operators if use.path})
        steps = max((one.steps for one in self.processes), default=0)
        return (
            f"{self.calls} calls of {distinct} operators at {lines} lines, {steps} optimizer steps"
        )


def schema() -> dict[str, Any]:
    """The JSON schema of what :func:`to_dict` returns."""
    file = resources.files("ascendify.emulation") / "schema" / "audit-1.json"
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def to_dict(audit: Audit) -> dict[str, Any]:
    """The audit as plain data."""
    data = json.loads(json.dumps(asdict(audit)))
    for finding in data["findings"]:
        # a run reports each place on its own, so there is no cause that joins some
        del finding["cause"], finding["also"], finding["unlisted"]
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ascendify", "version": __version__},
        **data,
    }


def to_json(audit: Audit) -> str:
    """The audit as a JSON document in ASCII."""
    return json.dumps(to_dict(audit), indent=1) + "\n"


def load(file: Path) -> Audit:
    """Read the file that ``ascendify run --audit FILE`` has written.

    Raises:
        UsageError: the file cannot be read, or is no audit.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"--audit {file}: {error.strerror}", "name a file that exists") from error
    except ValueError as error:
        raise UsageError(f"--audit {file} is no JSON", _WRITTEN_BY) from error
    version = str(data.get("schema_version", "")) if isinstance(data, dict) else ""
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0] or "operators" not in data:
        raise UsageError(f"--audit {file} is no audit of a run", _WRITTEN_BY)
    return Audit(
        command=tuple(data["command"]),
        root=data["root"],
        soc=data["soc"],
        devices=data["devices"],
        seconds=data["seconds"],
        processes=tuple(ProcessUse(**one) for one in data["processes"]),
        operators=tuple(OperatorUse(**_frozen(one)) for one in data["operators"]),
        moves=tuple(DeviceCopy(**_frozen(one)) for one in data["moves"]),
        waits=tuple(AuditEvent(**_frozen(one)) for one in data["waits"]),
        cuda=tuple(AuditEvent(**_frozen(one)) for one in data["cuda"]),
        variables=tuple(AuditEvent(**_frozen(one)) for one in data["variables"]),
        findings=tuple(map(_finding, data["findings"])),
    )


_WRITTEN_BY = "give what `ascendify run --audit FILE -- python train.py` has written"


def gather(
    files: Iterable[Path],
    root: Path,
    *,
    command: Sequence[str],
    soc: str,
    devices: int,
    seconds: float,
    findings: tuple[Finding, ...] = (),
) -> Audit:
    """Add up the files that the processes of a run wrote."""
    entries = [entry for file in files for entry in records.read(file)]
    return Audit(
        command=tuple(command),
        root=str(root),
        soc=soc,
        devices=devices,
        seconds=round(seconds, 3),
        processes=tuple(
            ProcessUse(int(one["rank"]), int(one["steps"]), int(one["peak_bytes"]))
            for one in sorted(_of_kind(entries, "process"), key=lambda one: int(one["rank"]))
        ),
        operators=tuple(
            _operator(key, group, root) for key, group in _groups(entries, "operator", _OPERATOR)
        ),
        moves=tuple(
            DeviceCopy(key[0], sum(int(one["bytes"]) for one in group), *_where(group, root))
            for key, group in _groups(entries, "move", ("direction",))
        ),
        waits=_events(entries, "wait", ("what",), root),
        cuda=_events(entries, "cuda", ("what",), root),
        variables=_events(entries, "variable", ("name", "access"), root),
        findings=findings,
    )


def _operator(key: Sequence[str], group: Sequence[Mapping[str, Any]], root: Path) -> OperatorUse:
    operator, dtype, api, support, note = key
    return OperatorUse(operator, dtype, api, support, note, *_where(group, root))


def _of_kind(entries: Iterable[Mapping[str, Any]], kind: str) -> Iterator[Mapping[str, Any]]:
    return (entry for entry in entries if entry.get("kind") == kind)


def _groups(
    entries: Iterable[Mapping[str, Any]], kind: str, names: Sequence[str]
) -> list[tuple[tuple[str, ...], list[Mapping[str, Any]]]]:
    """Group the entries of one kind by their keys and line, the most frequent group first."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for entry in _of_kind(entries, kind):
        key = (*(str(entry[name]) for name in names), entry["path"], entry["line"])
        groups.setdefault(key, []).append(entry)
    ordered = sorted(groups.items(), key=lambda item: (-_count(item[1]), item[0]))
    return [(key[:-2], group) for key, group in ordered]


def _count(group: Iterable[Mapping[str, Any]]) -> int:
    return sum(int(one["count"]) for one in group)


def _where(group: Sequence[Mapping[str, Any]], root: Path) -> tuple[str, int, int, tuple[int, ...]]:
    ranks = tuple(sorted({int(one["rank"]) for one in group}))
    path = relative(str(group[0]["path"]), root)
    return path, int(group[0]["line"]), _count(group), ranks


def _events(
    entries: Iterable[Mapping[str, Any]], kind: str, names: Sequence[str], root: Path
) -> tuple[AuditEvent, ...]:
    return tuple(
        AuditEvent(" ".join(key), *_where(group, root))
        for key, group in _groups(entries, kind, names)
    )


def _finding(entry: Mapping[str, Any]) -> Finding:
    return Finding(
        **{
            **entry,
            "status": Status(entry["status"]),
            "span": Span(**entry["span"]),
            "effort": Effort(entry["effort"]),
            # older files have none
            "stops": Stop(entry.get("stops", Stop.NEVER)),
        }
    )


def _frozen(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {**entry, "ranks": tuple(entry["ranks"])}


def _support(use: OperatorUse) -> str:
    """Support for a report: partial without a note counts as supported.

    Such an entry only lists supported types; a run with other types has findings of its own.
    """
    return "supported" if use.support == "partial" and not use.note else use.support


def _first_places(group: Iterable[OperatorUse]) -> Iterator[Place]:
    places = dict.fromkeys((use.path, use.line) for use in group if use.path)
    for path, line in list(places)[:_PLACES]:
        yield Place(path, max(line, 1))


def relative(path: str, root: Path) -> str:
    """Return a path as reports show it: relative to the project if it is inside."""
    try:
        return Path(path).relative_to(root.resolve()).as_posix() if path else ""
    except ValueError:
        return Path(path).as_posix()
