"""The programs of a project on disk; see :mod:`ascendify.programs`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ascendify.errors import UsageError
from ascendify.migrate import traits
from ascendify.migrate.discovery import SourceFiles, files
from ascendify.migrate.garbage import collector_paused
from ascendify.migrate.known_files import KnownFiles
from ascendify.migrate.notebook import Notebook
from ascendify.migrate.settings import load
from ascendify.migrate.survey import Survey, survey
from ascendify.programs.finding import describe, find
from ascendify.programs.program import Program, Programs
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceError, SourceText

_DOCUMENTS = ("README", "Makefile", "INSTALL", "USAGE", "TRAIN")


@dataclass(frozen=True)
class ProgramsFound:
    """The programs of a project, with what the survey knows of it."""

    programs: Programs
    framework: str
    """The framework that most programs train with: ``tensorflow``, ``tensorflow2`` or ``torch``."""
    project: Project
    mentions: dict[str, str]

    def choose(self, names: Iterable[str] = ()) -> tuple[Program, ...]:
        """Return the programs that the user names, else all that train, the most likely first.

        Raises:
            UsageError: a name is that of no file.
        """
        return tuple(map(self._named, names)) or self.programs.training

    def _named(self, name: str) -> Program:
        path = PurePosixPath(name).as_posix()
        known = self.programs.get(path)
        if known is not None and known.trains:
            return known
        path = known.path if known is not None else path
        if not (self.project.root / path).is_file():
            raise UsageError(
                f"--program {name} does not exist in {self.project.root}", "name it from there"
            )
        return describe(self.project, path, self.mentions)


def find_programs(root: Path, known: KnownFiles | None = None) -> ProgramsFound:
    """Find and rank the programs below a folder; facts of some files may be known."""
    settings = load(root)
    tree = files(settings)
    sources = SourceFiles.find(settings, tree)
    with collector_paused():
        return programs_of(survey(settings, tree, sources, known), sources)


def programs_of(surveyed: Survey, sources: SourceFiles) -> ProgramsFound:
    """Find and rank the programs of a project that was surveyed."""
    project = surveyed.project()
    notebooks = tuple(path for path in surveyed.notebooks if _put(project, path, sources))
    mentions = _mentions(surveyed, sources)
    found = find(project, notebooks, mentions)
    return ProgramsFound(found, surveyed.facts.framework, project, mentions)


def _put(project: Project, path: str, sources: SourceFiles) -> bool:
    """Put a notebook's code into a project; whether it could be read."""
    raw = sources.content(path).decode("utf-8", errors="replace")
    try:
        text = Notebook.read(raw).text
        project.put(Module.parse_text(path, SourceText(text)))
    except SourceError:
        return False  # the migration reports what is wrong with it
    return True


def _mentions(surveyed: Survey, sources: SourceFiles) -> dict[str, str]:
    """Return the files that documents and launch scripts start, each with the first to do so."""
    root = surveyed.root
    documents = [
        path
        for path in surveyed.tree.files
        if path.rpartition("/")[2].startswith(_DOCUMENTS) and path not in surveyed.tree.links
    ]
    scripts = [path for path, kind in surveyed.texts.items() if kind == "shell"]
    found: dict[str, str] = {}
    for path in sorted(documents, key=lambda item: (item.count("/"), item)) + sorted(scripts):
        content = (root / path).read_bytes() if path in documents else sources.content(path)
        for started in traits.launched_files(path, content):
            found.setdefault(started, path)
    return found
