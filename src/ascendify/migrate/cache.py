"""Cache of ``check``: results of files that need no second look, kept between runs.

A record holds the results of one run, what each was read from, and what the project answered then
(see :mod:`ascendify.source.reads`). A result is used again when the project gives the same answers
now. A record is found by what all results depend on: the code and data of ascendify, the settings
that findings depend on, the folder. It is a text of JSON lines, read without trust: one that is
damaged is left alone, and the run does its work as if there were none.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import ascendify
from ascendify.findings import Effort, Finding, RuleInfo, Span, Status, Stop
from ascendify.migrate.discovery import SourceFiles, digest
from ascendify.migrate.known_files import KnownFiles
from ascendify.migrate.settings import Settings
from ascendify.migrate.survey import Survey
from ascendify.reports.model import ApiUse, FileAction, FileResult, Mention, Place
from ascendify.rules.site import Facts
from ascendify.source.module import CallNames, Module
from ascendify.source.project import Project
from ascendify.source.reads import PARTS, Read

_FORMAT = 6
_SUFFIX = ".record"
_FOLLOWED = ("file", "led")
"""Kinds of reads that depend on where the imports lead that were followed from a file."""
OWN_FOLDER = ".ascendify_cache"
"""Where records lie in a folder that the user names; no part of any project."""
_MOST_RECORDS = 100
_MOST_BYTES = 256_000_000
"""More than this is never kept; the records that were not used for the longest time go first."""
_MOST_UNUSED = 1.5
"""A record that has grown to this many times its reads is freed of those that nothing needs."""
_ROOMS = ("catalog", "migrate", "reports", "rules", "source")
"""Rooms of the package whose code or data findings depend on."""
_WITHOUT_EFFECT = frozenset(
    {"output", "in_place", "force", "diff", "jobs", "fail_under", "config", "warnings"}
)
"""Settings that no result depends on."""


@dataclass(frozen=True)
class Context:
    """What a report says about the whole project, beside the results of its files."""

    apis: tuple[ApiUse, ...]
    rules: dict[str, RuleInfo]
    catalog_version: str
    target: str
    offer: str = ""
    added: tuple[FileResult, ...] = ()
    """Files that are generated beside the user's."""


@dataclass(frozen=True)
class ProjectState:
    """A project as it is now, which answers the questions of an earlier run again."""

    project: Project
    sources: SourceFiles
    imported_by: Mapping[str, list[str]]
    _answers: dict[tuple[Read, tuple[str, ...]], object] = field(default_factory=dict, repr=False)

    def answer(self, read: Read, origins: Iterable[str]) -> object:
        """Answer a question about the project as it is now, with something that JSON can store."""
        key = (read, tuple(origins))
        if key not in self._answers:
            self._answers[key] = self._answer(*key)
        return self._answers[key]

    def _answer(self, read: Read, origins: Iterable[str]) -> object:
        kind, *words = read
        project = self.project
        if kind in ("file", "led"):
            (path,) = words
            led = {origin: project.locate(path, origin) for origin in sorted(origins)}
            return [self.sources.digest(path) if kind == "file" else "", _plain(led)]
        if kind == "mentions":
            path, *wanted = words
            if path not in self.sources.kinds:
                return False
            return any(word.encode() in self.sources.content(path) for word in wanted)
        if kind in ("relevant with", "linked with", "reached with"):
            return self._digest_with(kind, words)
        if kind == "calls" or kind in PARTS:
            return self.sources.digest(words[0])
        if kind == "importers":
            return self.imported_by.get(words[0], [])
        if kind == "imports":
            return list(project.imported_paths(*words))
        if kind == "inside":
            return _plain(project.inside(*words))
        if kind == "beside":
            return project.beside(*words)
        if kind == "relevant named":
            return project.relevant_named(*words)
        if kind in ("has", "is relevant"):
            return project.has(*words) if kind == "has" else project.is_relevant(*words)
        return sorted({"files": project.files, "relevant files": project.relevant}[kind])

    def _digest_with(self, kind: str, words: list[str]) -> str:
        """A digest of which files there are to look for words in, and which have one."""
        paths, wanted = sorted(self.project.relevant), words
        if kind == "linked with":
            paths, wanted = list(self.project.linked(words[0])), words[1:]
        if kind == "reached with":
            paths, wanted = sorted(self.project.reached(words[0])), words[1:]
        having = [path for path in paths if self.answer(("mentions", path, *wanted), ())]
        return digest("\n".join((*paths, "", *having)).encode("utf-8", "surrogateescape"))

    def still(self, read: Read, origins: Iterable[str], before: object) -> bool:
        """Whether the project answers as before."""
        if self.answer(read, origins) == before:
            return True
        if not (read[0] == "calls" or read[0] in PARTS) or not self.project.has(read[1]):
            return False
        # the file is another one, but the part that was looked at may be as it was
        module = self.project.module(read[1])
        return module is not None and _part(module, read) == read[-1]


def _part(module: Module, read: Read) -> str:
    """A digest of the part of a file that a read is about."""
    kind, _, *words, _ = read
    if kind == "calls":
        return module.call_names.digest
    if kind == "name":
        return module.definitions.digest(*words)
    if kind == "calling":
        calls = module.quiet_index.calls_known_as(words)
        return module.definitions.digest_of_callees(calls) if calls else ""
    if kind == "caller":
        number, *names = words
        calls = module.quiet_index.calls_known_as(names)[int(number) :][:1]
        return module.definitions.digest_around(*calls) if calls else ""
    return "yes"


def _plain(value: object) -> object:
    """A value as JSON gives it back."""
    return json.loads(json.dumps(value))


@dataclass(frozen=True)
class _ReadsOfResults:
    """The reads that results depend on, stored compactly."""

    of: dict[str, set[Read]] = field(default_factory=dict)
    """The reads of the result of each file."""
    origins: dict[str, set[str]] = field(default_factory=dict)
    """File -> the imports in it that were followed."""
    members: dict[str, set[Read]] = field(default_factory=dict)
    """Group -> the reads that it stands for."""
    called: dict[str, CallNames] = field(default_factory=dict)
    """File -> the names it calls, for files in which calls were searched."""

    def add(self, path: str, read: Read) -> None:
        """Add a read that the result of a file depends on, or the reads of a group."""
        kind, *words = read
        if kind == "import":
            self.origins.setdefault(words[0], set()).add(words[1])
        elif kind == "member":
            self.members.setdefault(words[0], set()).add(tuple(words[1:]))
        elif kind == "called":
            self.called[words[0]] = CallNames(words[0], words[1], frozenset(words[2:]))
        else:
            of_result = self.of.setdefault(path, set())
            of_result.add(read)
            if kind in PARTS:
                of_result.add(("led", words[0]))

    def table(self) -> list[Read]:
        """Every read, and the groups with the reads that each stands for."""
        found = {read for some in self.of.values() for read in some}
        groups = {read for read in found if read[0] == "group"}
        found.update(member for group in groups for member in self.members[group[1]])
        return [*sorted(found - groups), *sorted(groups)]


_Row = tuple[list[str], list[str], object]


class CacheRecord:
    """The stored results of an earlier run over the same folder."""

    def __init__(self, text: str) -> None:
        head, self._known, *lines = text.split("\n")
        self._head = json.loads(head)
        self.rows: list[str] = lines[: self._head["rows"]]
        """The reads of results as they are stored, each with its answer."""
        results = lines[self._head["rows"] :]
        self.paths = {json.loads(line.partition("\t")[0]): line for line in results}

    def has_all(self, sources: SourceFiles) -> bool:
        """Whether nothing that a run looks at has changed."""
        torch = self._head["torch"]
        return bool(self._head["inputs"]) and self._head["inputs"] == inputs(sources, torch)

    @cached_property
    def table(self) -> list[_Row]:
        """The reads of results: each a question, the imports that were followed, the answer."""
        return cast("list[_Row]", json.loads(f"[{','.join(self.rows)}]"))

    @property
    def used_rows(self) -> int:
        """How many reads there were when all of them were used; further ones may not be."""
        return int(self._head["used"])

    def known_files(self, sources: SourceFiles) -> KnownFiles:
        """Stored facts about the files that have not changed."""
        return KnownFiles.of_rows(json.loads(self._known), sources)

    @property
    def context(self) -> Context:
        """The stored part of the report about the whole project."""
        head = self._head
        apis = (
            ApiUse(api, status, vendor, note, count, tuple(Place(*place) for place in places))
            for api, status, vendor, note, count, places in head["apis"]
        )
        rules = (
            RuleInfo(code, title, why, family, tuple(map(Status, statuses)), tuple(foretells))
            for code, title, why, family, statuses, foretells in head["rules"]
        )
        return Context(
            tuple(apis),
            {info.code: info for info in rules},
            head["catalog_version"],
            head["target"],
            head["offer"],
            tuple(_result(path, row) for path, row in head["added"]),
        )

    def results(self, paths: Iterable[str]) -> list[FileResult]:
        """The results of some files."""
        return [
            _result(path, json.loads(self.paths[path].split("\t", 2)[2]))
            for path in paths
            if path in self.paths
        ]

    def unchanged(self, state: ProjectState, surveyed: Survey) -> list[str]:
        """Files for which the project gives all the answers that it gave in that run."""
        if self._head["facts"] != _facts_digest(surveyed.facts):
            return []
        work = set(surveyed.work)
        same: list[bool] = []
        for read, followed, answer in self.table:
            if read[0] == "group":
                same.append(all(same[number] for number in cast("list[int]", answer)))
            else:
                same.append(state.still(tuple(read), followed, answer))
        return [
            path
            for path, line in self.paths.items()
            if path in work and all(same[number] for number in json.loads(line.split("\t", 2)[1]))
        ]

    def reads_of(self, paths: Iterable[str]) -> _ReadsOfResults:
        """The reads that the results of some files depend on."""
        table = self.table
        found = _ReadsOfResults()
        for path in paths:
            for number in json.loads(self.paths[path].split("\t", 2)[1]):
                read, followed, answer = table[number]
                found.add(path, tuple(read))
                if read[0] in _FOLLOWED:
                    found.origins.setdefault(read[1], set()).update(followed)
                elif read[0] == "group" and read[1] not in found.members:
                    members = (table[member][0] for member in cast("list[int]", answer))
                    found.members[read[1]] = set(map(tuple, members))
        return found

    def line(self, path: str) -> str:
        """The stored line with the result of a file."""
        return self.paths[path].split("\t", 2)[2]


def inputs(sources: SourceFiles, torch: bool) -> str:
    """A digest of everything a run looks at: the list of files and their contents.

    Large configuration files count as data, whose contents are not read.
    """
    lines = [*sources.tree.files, ""]
    for path, kind in sources.kinds.items():
        looked_into = kind != "config" or not sources.is_data(path)
        project_file = kind == "config" and torch and path.endswith((".toml", ".cfg"))
        shown = sources.digest(path) if looked_into or project_file else ""
        lines.append(f"{path}\t{kind}\t{shown}")
    return digest("\n".join(lines).encode("utf-8", "surrogateescape"))


def _facts_digest(facts: Facts) -> str:
    """A digest of the facts about the whole project that rules can read."""
    values = {item.name: getattr(facts, item.name) for item in fields(facts)}
    return digest(json.dumps(values, default=sorted, sort_keys=True).encode())


class Cache:
    """Records in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _version(self) -> str:
        return _own_version()

    def load(self, settings: Settings) -> CacheRecord | None:
        """The record of the last run with these settings, None if there is no usable one."""
        file = self._file(settings)
        try:
            checksum, _, text = file.read_text(encoding="utf-8").partition("\n")
            if checksum != digest(text.encode()):
                return None
            os.utime(file)  # records that are used stay
            return CacheRecord(text)
        except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None

    def store(self, settings: Settings, text: str) -> None:
        """Keep a record; where that cannot be, nothing happens."""
        content = f"{digest(text.encode())}\n{text}".encode()
        if len(content) > _MOST_BYTES:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.folder.name == OWN_FOLDER:
                (self.folder / ".gitignore").write_text("*\n", encoding="utf-8")
            _replace(self._file(settings), content)
            self._prune()
        except OSError:
            return

    def _file(self, settings: Settings) -> Path:
        chosen = {
            item.name: str(getattr(settings, item.name))
            for item in fields(settings)
            if item.name not in _WITHOUT_EFFECT
        }
        key = [_FORMAT, self._version, platform.python_version(), str(settings.root), chosen]
        return self.folder / (digest(json.dumps(key, sort_keys=True).encode()) + _SUFFIX)

    def _prune(self) -> None:
        records = [(file.stat(), file) for file in self.folder.glob(f"*{_SUFFIX}")]
        records.sort(key=lambda item: item[0].st_mtime, reverse=True)
        size = 0
        for number, (stat, file) in enumerate(records):
            size += stat.st_size
            if number >= _MOST_RECORDS or size > _MOST_BYTES:
                file.unlink(missing_ok=True)


def in_folder(named: Path | None) -> Cache | None:
    """The cache in a folder that the user names, or in the user's own; None without a home."""
    folder = _users_folder(os.environ) if named is None else named.absolute() / OWN_FOLDER
    return None if folder is None else Cache(folder)


def _users_folder(environment: Mapping[str, str]) -> Path | None:
    named = environment.get("XDG_CACHE_HOME") or (
        environment.get("LOCALAPPDATA") if sys.platform == "win32" else None
    )
    try:
        base = Path(named) if named else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "ascendify" / "check" if base.is_absolute() else None


def _own_version(package: Path = Path(ascendify.__file__).parent) -> str:
    """A digest of the code and data that findings depend on, edits of our own files included."""
    lines = [ascendify.__version__]
    for room in _ROOMS:
        lines.extend(sorted(_files_of(package / room)))
    lines.extend(
        f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}"
        for file in sorted(package.glob("*.py"))
    )
    return digest("\n".join(lines).encode())


def _files_of(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as listing:
        for entry in listing:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files_of(Path(entry.path))
            else:
                stat = entry.stat()
                yield f"{entry.path} {stat.st_size} {stat.st_mtime_ns}"


def _replace(target: Path, content: bytes) -> None:
    """Replace a file in one step, so that nobody reads a file that is partly written."""
    handle, name = tempfile.mkstemp(dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


# --- writing ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class CachedRun:
    """All that a record stores of one run."""

    results: list[FileResult]
    context: Context
    state: ProjectState
    surveyed: Survey


def written(run: CachedRun, earlier: CacheRecord | None, reused: Iterable[str]) -> str:
    """Write the record of a run; results taken from an earlier record are copied unchanged.

    So are the reads of that record, until too many of them are those of results that are gone.
    """
    reads = _ReadsOfResults()
    lines: dict[str, str] = {}
    copied: dict[str, str] = {}
    kept = _Rows()
    if earlier is not None and len(earlier.rows) <= _MOST_UNUSED * earlier.used_rows:
        kept = _Rows(earlier)
        copied = {path: earlier.paths[path] for path in reused}
    elif earlier is not None:
        reads = earlier.reads_of(reused)
        lines = {path: earlier.line(path) for path in reused}
    facts = run.surveyed.facts
    torch = "torch" in facts.frameworks
    complete = True
    for result in run.results:
        if result.path in lines or result.path in copied:
            continue
        if result.reads is None:
            complete = False
            continue
        lines[result.path] = _dumped(_row(result))
        for read in result.reads:
            reads.add(result.path, read)
    rows = kept.with_reads(reads, run.state)
    numbers = kept.numbers
    head = {
        "rows": len(rows),
        "used": kept.used or len(rows),
        "inputs": inputs(run.state.sources, torch) if complete else "",
        "facts": _facts_digest(facts),
        "torch": torch,
        "apis": [
            [*astuple(use)[:-1], [[place.path, place.line] for place in use.places]]
            for use in run.context.apis
        ],
        "rules": [
            [
                *(info.code, info.title, info.why, info.family),
                *([item.value for item in info.statuses], info.foretells),
            ]
            for info in run.context.rules.values()
        ],
        "catalog_version": run.context.catalog_version,
        "target": run.context.target,
        "offer": run.context.offer,
        "added": [[result.path, _row(result)] for result in run.context.added],
    }
    for path, line in lines.items():
        of_result = sorted(numbers[read] for read in reads.of[path])
        copied[path] = f"{_dumped(path)}\t{_dumped(of_result)}\t{line}"
    calls = {**run.surveyed.known_calls, **reads.called}
    known = KnownFiles(run.surveyed.traits, calls).rows(run.state.sources)
    results = map(copied.__getitem__, sorted(copied))
    return "\n".join([_dumped(head), _dumped(known), *rows, *results])


class _Rows:
    """The reads of a record, numbered: those of an earlier record first, as they stand there."""

    def __init__(self, earlier: CacheRecord | None = None) -> None:
        self.used = 0 if earlier is None else earlier.used_rows
        self._rows = [] if earlier is None else earlier.rows
        self._table = [] if earlier is None else earlier.table
        self.numbers = {tuple(read): number for number, (read, _, _) in enumerate(self._table)}

    def with_reads(self, reads: _ReadsOfResults, state: ProjectState) -> list[str]:
        """Number further reads; return all as they are stored, with the answers of now."""
        rows: list[str] = []
        for raw, (words, before, answer) in zip(self._rows, self._table):
            if words[0] != "group":
                followed = before
                if words[0] in _FOLLOWED and words[1] in reads.origins:
                    followed = sorted(reads.origins[words[1]].union(before))
                now = state.answer(tuple(words), followed)
                if followed is not before or now != answer:
                    rows.append(_dumped([words, followed, now]))
                    continue
            rows.append(raw)
        for read in reads.table():
            if read in self.numbers:
                continue
            self.numbers[read] = len(self.numbers)
            if read[0] == "group":
                members = sorted(self.numbers[member] for member in reads.members[read[1]])
                rows.append(_dumped([read, [], members]))
            else:
                followed = sorted(reads.origins.get(read[1], ())) if read[0] in _FOLLOWED else []
                rows.append(_dumped([read, followed, state.answer(read, followed)]))
        return rows


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _row(result: FileResult) -> list[Any]:
    return [
        result.action.value,
        result.before,
        result.after,
        result.reason,
        result.migrated,
        result.line,
        result.encoding,
        [_finding_row(finding) for finding in result.findings],
        result.apis,
        [
            [item.line, item.text, item.reason, item.code, item.cell, item.lines]
            for item in result.mentions
        ],
    ]


def _finding_row(item: Finding) -> list[Any]:
    span = item.span
    return [
        item.code,
        item.status.value,
        item.path,
        [span.line, span.column, span.end_line, span.end_column],
        item.found,
        item.done,
        item.todo,
        item.effort.value,
        item.possible,
        item.cell,
        item.cause,
        item.unlisted,
        item.stops.value,
    ]


def _finding(row: list[Any]) -> Finding:
    code, status, path, span, found, done, todo, effort, possible, cell, cause, unlisted, stop = row
    return Finding(
        code, _STATUSES[status], path, Span(*span), found, done, todo, _EFFORTS[effort],
        possible, cell, cause, unlisted, _STOPS[stop],
    )  # fmt: skip


def _result(path: str, row: list[Any]) -> FileResult:
    action, before, after, reason, migrated, line, encoding, findings, apis, mentions = row
    found = tuple(map(_finding, findings))
    return FileResult(
        path,
        FileAction(action),
        before,
        after,
        reason,
        migrated,
        line,
        encoding,
        found,
        apis,
        tuple(Mention(path, *item) for item in mentions),
    )


_STATUSES = {status.value: status for status in Status}
_EFFORTS = {effort.value: effort for effort in Effort}
_STOPS = {stop.value: stop for stop in Stop}
