"""Migrate a batch of files: what one process does, given what the survey found."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.findings import Effort, Finding, Span, Status
from ascendify.migrate.analyse import CRASH_CODE, Analyser
from ascendify.migrate.magics import migrate_commands
from ascendify.migrate.notebook import Notebook
from ascendify.migrate.onefile import Outcome, migrate_python, migrate_text
from ascendify.migrate.survey import EXTERNAL, Survey
from ascendify.reports.model import FileAction, FileEntry
from ascendify.rules.registry import Dispatch
from ascendify.rules.site import File, TextSite
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceError, SourceText

_HELD_BYTES = 24_000_000
"""Sources whose trees are kept at once, about 1 GB: parsing and inferring again costs a fifth."""
_RECURSION_LIMIT = 20_000 if sys.version_info >= (3, 11) else 10_000
"""Generated code nests expressions a few thousand deep; the default limit is one thousand.

Before 3.11 every call of a Python function takes a piece of the C stack, which is 8 MB.
"""


@dataclass
class Result:
    """One file's share of the report."""

    entry: FileEntry
    findings: list[Finding] = field(default_factory=list)
    apis: dict[str, list[int]] = field(default_factory=dict)


class Worker:
    """Analyses batches of files of one project."""

    def __init__(self, survey: Survey, codes: frozenset[str]) -> None:
        self._survey = survey
        self._dispatch = Dispatch(codes, *survey.facts.frameworks)
        self._knowledge = CatalogKnowledge()
        self._project = Project(
            survey.root,
            survey.python,
            external=EXTERNAL,
            imported_by=survey.imported_by,
            relevant=frozenset(survey.analysed),
        )
        self._analyser = self._fresh()
        self._held = 0
        """Bytes of source migrated since trees were last let go."""

    def _fresh(self) -> Analyser:
        """An analyser that knows no tree yet; where imports lead, the project still knows."""
        resolver = Resolver(self._project, self._knowledge)
        return Analyser(resolver, self._dispatch, self._survey.facts)

    def batch(self, paths: list[str]) -> list[Result]:
        """Migrate some files.

        Parsed trees are kept for the batches that follow, which import the same files, until they
        take too much memory.
        """
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        try:
            return [self._one(self._analyser, self._project, path) for path in paths]
        finally:
            sys.setrecursionlimit(limit)
            self._held += sum(self._survey.sizes.get(path, 0) for path in paths)
            if self._held > _HELD_BYTES:
                self.release()

    def release(self) -> None:
        """Let go of the trees."""
        self._project.release()
        self._analyser = self._fresh()
        self._held = 0

    def _one(self, analyser: Analyser, project: Project, path: str) -> Result:
        try:
            if path in self._survey.texts:
                return self._text(analyser, path)
            if path.endswith(".ipynb"):
                return self._notebook(analyser, path)
            return self._python(analyser, project, path)
        except SourceError as error:
            return _unreadable(path, error)
        except RecursionError:
            return _unreadable(path, SourceError("expressions are nested too deeply to analyse"))
        except Exception as error:
            # one file must not cost the user the others
            reason = f"ascendify failed on it ({type(error).__name__}: {error}); please report that"
            return _unreadable(path, SourceError(reason))

    def _python(self, analyser: Analyser, project: Project, path: str) -> Result:
        module = project.module(path)
        if module is None:
            raise project.errors[path].kept()
        outcome = migrate_python(analyser, module)
        encoding = "utf-8-sig" if module.source.bom else module.source.encoding
        migrated = File(module, analyser.resolver, analyser.facts).migrated
        return _result(path, outcome, encoding, migrated)

    def _notebook(self, analyser: Analyser, path: str) -> Result:
        source = SourceText.decode((self._survey.root / path).read_bytes())
        notebook = Notebook.read(source.text)
        module = Module.parse_text(path, SourceText(notebook.text))
        outcome = migrate_python(analyser, module)
        migrate_commands(analyser, path, outcome)
        if outcome.changed:
            outcome.after = notebook.write(outcome.after)
            outcome.before = source.text
        outcome.findings = [notebook.place(finding) for finding in outcome.findings]
        outcome.findings.extend(_unread_cell(path, *item) for item in notebook.unreadable)
        migrated = File(module, analyser.resolver, analyser.facts).migrated
        return _result(path, outcome, "utf-8-sig" if source.bom else "utf-8", migrated)

    def _text(self, analyser: Analyser, path: str) -> Result:
        source = SourceText.decode((self._survey.root / path).read_bytes())
        kind = self._survey.texts[path]
        site = TextSite(path, kind, source.text, self._survey.facts)
        encoding = "utf-8-sig" if source.bom else source.encoding
        return _result(path, migrate_text(analyser, site), encoding)


def _result(path: str, outcome: Outcome, encoding: str, migrated: bool = False) -> Result:
    if outcome.changed:
        entry = FileEntry(
            path,
            FileAction.CHANGED,
            before=outcome.before,
            after=outcome.after,
            migrated=migrated,
            encoding=encoding,
        )
    else:
        entry = FileEntry(path, FileAction.UNCHANGED, migrated=migrated, encoding=encoding)
    return Result(entry, outcome.findings, outcome.apis)


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


def _unreadable(path: str, error: SourceError) -> Result:
    entry = FileEntry(path, FileAction.UNREADABLE, reason=error.reason, line=error.line)
    return Result(entry)
