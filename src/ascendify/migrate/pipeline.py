"""Check and migrate: survey the project, run the workers, gather the report, write the result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Optional

from ascendify import __version__
from ascendify.catalog import support, types
from ascendify.migrate import writer
from ascendify.migrate.crew import Crew
from ascendify.migrate.options_files import options_files
from ascendify.migrate.settings import Settings
from ascendify.migrate.survey import Survey, files, survey
from ascendify.migrate.worker import Result
from ascendify.reports.model import ApiUse, FileAction, FileEntry, Place, Report
from ascendify.rules.registry import entries

Progress = Optional[Callable[[int, int, str], None]]
_SHOWN_PLACES = 5


def check(settings: Settings, progress: Progress = None) -> Report:
    """Say what migrating would do; writes nothing."""
    tree = files(settings)
    with Crew(settings, tree) as crew:
        return _run("check", settings, survey(settings, tree), crew, progress)


def migrate(settings: Settings, progress: Progress = None) -> Report:
    """Migrate and write the result, unless only a diff is asked for."""
    if settings.in_place and not settings.diff:
        writer.refuse_dirty_tree(settings)
    tree = files(settings)
    with Crew(settings, tree) as crew:
        report = _run("migrate", settings, survey(settings, tree), crew, progress)
        if not settings.diff:
            writer.write(settings, tree, report, crew)
    return report


def _run(
    command: str, settings: Settings, surveyed: Survey, crew: Crew, progress: Progress
) -> Report:
    results: list[Result] = []
    total = len(surveyed.work)
    for result in crew.results(surveyed):
        results.append(result)
        if progress is not None:
            progress(len(results), total, result.entry.path)
    results.sort(key=lambda result: result.entry.path)
    return _report(command, settings, surveyed, results)


def _report(command: str, settings: Settings, surveyed: Survey, results: list[Result]) -> Report:
    by_path = {result.entry.path: result.entry for result in results}
    files = [
        by_path.get(path) or FileEntry(path, FileAction.COPIED) for path in surveyed.tree.files
    ]
    entry_points = surveyed.facts.entry_points
    files.extend(options_files(settings.npu, files, entry_points, surveyed.imported_by))
    findings = sorted(
        (finding for result in results for finding in result.findings),
        key=lambda finding: finding.sort_key,
    )
    told = {finding.code for finding in findings}
    known = entries(surveyed.facts.frameworks) if told else {}
    rules = {code: entry.info for code, entry in sorted(known.items()) if code in told}
    apis = tuple(_api_uses(results))
    return Report(
        command=command,
        version=__version__,
        root=_shown(settings.root),
        output=None if settings.diff or command == "check" else _shown(_target(settings)),
        files=tuple(files),
        findings=tuple(findings),
        apis=apis,
        rules=rules,
        catalog_version=support.release(*(use.api for use in apis)),
        target=surveyed.facts.target,
    )


def _target(settings: Settings) -> Path:
    return settings.root if settings.in_place or settings.output is None else settings.output


def _shown(path: Path) -> str:
    """A path as people here would type it: from the current folder when it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path == here or here in path.parents else str(path)


def _api_uses(results: list[Result]) -> list[ApiUse]:
    """Every framework API the project mentions that the support table knows."""
    places: dict[str, list[Place]] = {}
    known: dict[str, str | None] = {}
    for result in results:
        for name, lines in result.apis.items():
            if name not in known:
                known[name] = _listed(name)
            api = known[name]
            if api is not None:
                found = (Place(result.entry.path, line) for line in lines)
                places.setdefault(api, []).extend(found)
    uses = []
    for api, where in places.items():
        entry = support.lookup(api)
        if entry is not None:
            shown = tuple(where[:_SHOWN_PLACES])
            uses.append(
                ApiUse(api, entry.effective, entry.vendor, entry.note_text, len(where), shown)
            )
    return sorted(uses, key=lambda use: use.sort_key)


def _listed(name: str) -> str | None:
    """The longest beginning of a dotted name that the support table lists.

    What only an object has, a hyperparameter say, is no API: the class is.
    """
    owner, _, last = name.rpartition(".")
    if types.is_class(owner) and not types.declares(owner, last):
        name = owner
    while name:
        if support.lookup(name) is not None:
            return name
        name = name.rpartition(".")[0]
    return None
