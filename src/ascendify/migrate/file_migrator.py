"""Migrate files one by one: read each, migrate it by its kind, report one that fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.findings import Effort, Finding, Span, Status
from ascendify.migrate.analyse import CRASH_CODE, Analyser
from ascendify.migrate.large_files import Moved, is_large, migrate_large
from ascendify.migrate.notebook import Notebook
from ascendify.migrate.notebook_commands import migrate_commands
from ascendify.migrate.passes import migrate_python, migrate_text
from ascendify.migrate.survey import Survey
from ascendify.reports.model import FileAction, FileResult, Mention
from ascendify.rules.registry import Dispatch, needed
from ascendify.rules.site import TextSite
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.reads import PARTS, Read, Reads
from ascendify.source.text import SourceError, SourceText

_HELD_BYTES = 24_000_000
"""Sources whose trees are kept at once, about 1 GB: parsing and inferring again costs a fifth."""
_RECURSION_LIMIT = 20_000 if sys.version_info >= (3, 11) else 10_000
"""Generated code nests expressions a few thousand deep; the default limit is one thousand.

Before 3.11 every call of a Python function takes a piece of the C stack, which is 8 MB.
"""


class FileMigrator:
    """Migrate files of one project in one process, with what the survey found."""

    def __init__(
        self,
        survey: Survey,
        codes: frozenset[str],
        keep_reads: bool = True,
        moved: Moved | None = None,
    ) -> None:
        """Describe the work.

        Args:
            survey: What is known of the project.
            codes: The codes of the rules.
            keep_reads: Whether results are to say what they were read from.
            moved: Called after each piece of a large file.
        """
        self._survey = survey
        self._moved = moved
        self._keep_reads = keep_reads
        self._dispatch = Dispatch(needed(codes, survey.facts), *survey.facts.frameworks)
        self._knowledge = CatalogKnowledge(survey.facts.releases)
        self._project = survey.project()
        self._project.reading.only_contents = not keep_reads
        self._analyser = self._fresh()
        self._held = 0
        """Bytes of source migrated since trees were last let go."""
        self._reported: dict[str, int] = {}
        """How many imports of each file results have named."""
        self._explained: set[Read] = set()
        """Groups of reads whose members results have named."""
        self._called: set[str] = set(survey.known_calls)
        """Files of which results have named what they call."""

    def _fresh(self) -> Analyser:
        """An analyser that knows no tree yet; where imports lead, the project still knows."""
        resolver = Resolver(self._project, self._knowledge)
        return Analyser(resolver, self._dispatch, self._survey.facts)

    def migrate(self, paths: list[str]) -> list[FileResult]:
        """Migrate some files, each to its fixed point.

        Parsed trees are kept for the batches that follow, which import the same files, until they
        take too much memory.
        """
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        try:
            return [self._one(path) for path in paths]
        finally:
            sys.setrecursionlimit(limit)
            self._held += sum(map(self._survey.size, paths))
            if self._held > _HELD_BYTES:
                self.release()

    def release(self) -> None:
        """Let go of the trees."""
        self._project.release()
        self._analyser = self._fresh()
        self._held = 0

    def _one(self, path: str) -> FileResult:
        result, reads = self._project.reading.of(lambda: self._guarded(path))
        if result.reads is None or not self._keep_reads:
            return result
        files = {path, *(read[1] for read in reads if read[0] in ("file", *PARTS))}
        reads = reads.union(("file", other) for other in files if _is_named(other, result))
        new = (*self._new_imports(files), *self._new_members(reads), *self._new_calls())
        return replace(result, reads=frozenset({("file", path), *reads, *new}))

    def _new_imports(self, importers: set[str]) -> Iterator[Read]:
        """Imports of some files that were followed and not reported before."""
        for importer in importers:
            origins = self._project.located.get(importer, {})
            before, self._reported[importer] = self._reported.get(importer, 0), len(origins)
            for origin in list(origins)[before:] if before < len(origins) else ():
                yield ("import", importer, origin)

    def _new_members(self, reads: Reads) -> Iterator[Read]:
        """The reads of groups that were not reported before."""
        groups = self._project.reading.groups
        for group in reads:
            if group[0] == "group" and group not in self._explained:
                self._explained.add(group)
                yield from (("member", group[1], *read) for read in groups[group])

    def _new_calls(self) -> Iterator[Read]:
        """The names that files call, if calls were searched there and not reported before."""
        known = self._project.known_calls
        for path in known.keys() - self._called:
            self._called.add(path)
            yield ("called", path, known[path].digest, *known[path].names)

    def _guarded(self, path: str) -> FileResult:
        try:
            return replace(self._migrated(path), reads=frozenset())
        except SourceError as error:
            return replace(_unreadable(path, error), reads=frozenset())
        except RecursionError:
            return _unreadable(path, SourceError("expressions are nested too deeply to analyse"))
        except Exception as error:
            # one file must not cost the user the others
            reason = f"ascendify failed on it ({type(error).__name__}: {error}); please report that"
            return _unreadable(path, SourceError(reason))

    def _migrated(self, path: str) -> FileResult:
        if path in self._survey.texts:
            return self._text(path)
        if path.endswith(".ipynb"):
            return self._notebook(path)
        return self._python(path)

    def _python(self, path: str) -> FileResult:
        if is_large(self._survey.size(path)):
            source = SourceText.decode(self._project.read(path))
            return migrate_large(self._for_piece, path, source, self._moved)
        module = self._project.module(path)
        if module is None:
            raise self._project.errors[path].kept()
        return migrate_python(self._analyser, module)

    def _for_piece(self) -> Analyser:
        """Drop the tree of the previous piece; the reads of its analysis stay recorded."""
        self._project.release_replaced()
        self._analyser = self._fresh()
        return self._analyser

    def _notebook(self, path: str) -> FileResult:
        source = SourceText.decode((self._survey.root / path).read_bytes())
        notebook = Notebook.read(source.text)
        module = Module.parse_text(path, SourceText(notebook.text))
        result = migrate_python(self._analyser, module)
        cells = notebook.text if result.after is None else result.after
        text, of_commands = migrate_commands(self._analyser, path, notebook.text, cells)
        mentions = tuple(_placed(notebook, item) for item in result.mentions)
        findings = [notebook.place(finding) for finding in (*result.findings, *of_commands)]
        findings.extend(_unread_cell(path, *item) for item in notebook.unreadable)
        changed = text != notebook.text
        return replace(
            result,
            action=FileAction.CHANGED if changed else FileAction.UNCHANGED,
            before=source.text if changed else None,
            after=notebook.write(text) if changed else None,
            encoding="utf-8-sig" if source.bom else "utf-8",
            findings=tuple(findings),
            mentions=mentions,
        )

    def _text(self, path: str) -> FileResult:
        source = SourceText.decode((self._survey.root / path).read_bytes())
        kind = self._survey.texts[path]
        site = TextSite(path, kind, source.text, self._survey.facts.of(path))
        return replace(migrate_text(self._analyser, site), encoding=source.codec)


def _is_named(path: str, result: FileResult) -> bool:
    """Whether a finding names a file, and then perhaps a line of it, which any edit may move."""
    name = path.rpartition("/")[2]
    return any(
        name in text for item in result.findings for text in (item.found, item.done, item.todo)
    )


def _placed(notebook: Notebook, item: Mention) -> Mention:
    """A mention with its line counted inside its cell."""
    span = Span(item.line, 1, item.line, 1)
    there = notebook.place(Finding(CRASH_CODE, Status.INFO, item.path, span, ""))
    return replace(item, line=there.span.line, cell=there.cell)


def _unread_cell(path: str, cell: int, error: SourceError) -> Finding:
    return Finding(
        code=CRASH_CODE,
        status=Status.MANUAL,
        path=path,
        span=Span(error.line, error.column, error.line, error.column),
        found=f"this cell cannot be read as Python: {error.reason}",
        todo="Migrate the cell by hand, or correct it and migrate again.",
        effort=Effort.MINUTES,
        cell=cell,
    )


def _unreadable(path: str, error: SourceError) -> FileResult:
    return FileResult(path, FileAction.UNREADABLE, reason=error.reason, line=error.line)
