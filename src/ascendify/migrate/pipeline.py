r"""Check and migrate: the way of a project and of each of its files.

========  ==================================  =================================================
step      where                               what comes of it
========  ==================================  =================================================
discover  :func:`discovery.files`             a ``Tree``: every file below the paths given
\          :func:`survey.survey`               a ``Survey``: files that matter, facts for rules
analyse   :class:`analyse.Analyser`           ``Diagnosis`` by ``Diagnosis``: a finding and a fix
fix       :func:`fixing.fix_python`           the new text, with all fixes that fit together
check     :mod:`fixing`, :mod:`passes`        the new text parses, keeps comments, needs no fix
\          :func:`passes.migrate_python`       a ``FileResult``: what was done, both texts
write     :func:`writer.write`                the migrated project, and the patch that undoes it
========  ==================================  =================================================

:class:`workers.Workers` shares the files among processes; in each a
:class:`file_migrator.FileMigrator` takes one file after the other through analyse, fix and check.
This module puts the results together into one ``Report``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Optional

from ascendify import __version__
from ascendify.catalog import support, types
from ascendify.migrate import writer
from ascendify.migrate.discovery import files
from ascendify.migrate.options_files import options_files
from ascendify.migrate.settings import Settings
from ascendify.migrate.survey import Survey, survey
from ascendify.migrate.workers import Workers
from ascendify.reports.model import ApiUse, FileAction, FileResult, Place, Report
from ascendify.rules.registry import entries

Progress = Optional[Callable[[int, int, str], None]]
_SHOWN_PLACES = 5


def check(settings: Settings, progress: Progress = None) -> Report:
    """Report what migrating would do; write nothing."""
    tree = files(settings)
    with Workers(settings, tree) as workers:
        return _run("check", settings, survey(settings, tree), workers, progress)


def migrate(settings: Settings, progress: Progress = None) -> Report:
    """Migrate and write the result, unless only a diff is asked for."""
    if settings.in_place and not settings.diff:
        writer.refuse_dirty_tree(settings)
    tree = files(settings)
    with Workers(settings, tree) as workers:
        report = _run("migrate", settings, survey(settings, tree), workers, progress)
        if not settings.diff:
            writer.write(settings, tree, report, workers)
    return report


def _run(
    command: str, settings: Settings, surveyed: Survey, workers: Workers, progress: Progress
) -> Report:
    results: list[FileResult] = []
    total = len(surveyed.work)
    for result in workers.migrate(surveyed):
        results.append(result)
        if progress is not None:
            progress(len(results), total, result.path)
    results.sort(key=lambda result: result.path)
    return _report(command, settings, surveyed, results)


def _report(
    command: str, settings: Settings, surveyed: Survey, results: list[FileResult]
) -> Report:
    by_path = {result.path: result for result in results}
    all_files = [
        by_path.get(path) or FileResult(path, FileAction.COPIED) for path in surveyed.tree.files
    ]
    entry_points = surveyed.facts.entry_points
    all_files.extend(options_files(settings.npu, all_files, entry_points, surveyed.imported_by))
    findings = sorted(
        (finding for result in results for finding in result.findings),
        key=lambda finding: finding.sort_key,
    )
    named = {finding.code for finding in findings}
    known = entries(surveyed.facts.frameworks) if named else {}
    rules = {code: entry.info for code, entry in sorted(known.items()) if code in named}
    apis = tuple(_api_uses(results, surveyed.facts.releases))
    return Report(
        command=command,
        version=__version__,
        root=_shown(settings.root),
        output=None if settings.diff or command == "check" else _shown(_target(settings)),
        files=tuple(all_files),
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


def _api_uses(results: list[FileResult], releases: Mapping[str, str]) -> list[ApiUse]:
    """Every framework API the project mentions that the support tables know."""
    places: dict[str, list[Place]] = {}
    known: dict[str, str | None] = {}
    for result in results:
        for name, lines in result.apis.items():
            if name not in known:
                known[name] = _listed(name)
            api = known[name]
            if api is not None:
                if releases.get(result.path) == "tf2":
                    api = _in_tf2(api)
                found = (Place(result.path, line) for line in lines)
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


def _in_tf2(api: str) -> str:
    """The name under which TensorFlow 2's table lists an API of TensorFlow 1, where it does."""
    name = f"tf2.compat.v1{api[len('tf') :]}"
    return name if api.startswith("tf.") and support.lookup(name) is not None else api


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
