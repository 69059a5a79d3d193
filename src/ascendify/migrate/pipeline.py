"""Check and migrate: the way of a project and of each of its files.

1. discover: :func:`discovery.files` lists every file below the paths given, and
   :func:`survey.survey` finds those that matter and the facts that rules ask for.
2. analyse: :class:`analyse.Analyser` asks the rules about one file. Each :class:`Diagnosis` is a
   finding and, where something can be rewritten, a fix.
3. fix: :func:`fixing.fix_python` makes the new text with all fixes that fit together.
4. check: the new text parses and keeps every comment. :func:`passes.migrate_python` repeats 2 to 4
   until no fix is left, which gives a :class:`FileResult`: what was found and both texts.
5. write: :func:`writer.write` writes the migrated project, and the patch that undoes it.

:class:`workers.Workers` shares the files among processes; in each a
:class:`file_migrator.FileMigrator` takes one file after the other through analyse, fix and check.
This module puts the results together into one ``Report``. ``check`` takes results of an earlier run
from a :class:`cache.Cache`, for files whose findings nothing has changed since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ascendify import __version__
from ascendify.catalog import support, types
from ascendify.findings import by_cause
from ascendify.migrate import mentions, writer
from ascendify.migrate.cache import Cache, CachedRun, Context, ProjectState, written
from ascendify.migrate.discovery import SourceFiles, files
from ascendify.migrate.helper_files import helper_files
from ascendify.migrate.known_files import KnownFiles
from ascendify.migrate.options_files import options_files
from ascendify.migrate.settings import Settings
from ascendify.migrate.survey import Survey, survey
from ascendify.migrate.workers import Workers
from ascendify.reports.model import ApiUse, FileAction, FileResult, Place, Report
from ascendify.rules.registry import entries
from ascendify.rules.site import Facts
from ascendify.source.project import Tree

Progress = Optional[Callable[[float, int, str], None]]
"""Called with the number of finished files, the finished fraction of the current one, the number of
all files, and the text to show."""
_SHOWN_PLACES = 5


_ONE_DEVICE = (
    "one; --distributed add, or ascendify port, makes training data-parallel: gradients averaged, "
    "variables broadcast, data divided, files written by rank 0"
)
"""Sentence of the report on a project that trains on one device."""


def check(
    settings: Settings,
    progress: Progress = None,
    cache: Cache | None = None,
    process_ends: bool = False,
) -> Report:
    """Report what migrating would do; write nothing, but for a record into a cache.

    In a process that ends soon after, memory is left for its end to free.
    """
    tree = files(settings)
    sources = SourceFiles.find(settings, tree)
    earlier = None if cache is None else cache.load(settings)
    if earlier is not None and earlier.has_all(sources):
        return _report("check", settings, tree, earlier.results(earlier.paths), earlier.context)
    with Workers(settings, process_ends) as workers:
        if earlier is None:
            workers.start(tree.files)
        known_files = None if earlier is None else earlier.known_files(sources)
        surveyed = survey(settings, tree, sources, known_files)
        state = ProjectState(surveyed.project(), sources, surveyed.imported_by)
        reused = [] if earlier is None else earlier.unchanged(state, surveyed)
        left = sorted(set(surveyed.work).difference(reused))
        if earlier is not None:
            workers.start(left)
        known = [] if earlier is None else earlier.results(reused)
        steps = _Steps(progress, len(left), known)
        migrated = workers.migrate(surveyed, left, cache is not None, steps.within)
        results = steps.collected(migrated)
    context = _context(settings, surveyed, results)
    # results of a run during which somebody wrote a file may be about either content of it
    if cache is not None and sources.are_as_read():
        run = CachedRun(results, context, state, surveyed)
        cache.store(settings, written(run, earlier, reused))
    return _report("check", settings, tree, results, context)


@dataclass(frozen=True)
class Migrated:
    """A migrated project, with facts for callers that go on with it."""

    report: Report
    known: KnownFiles
    """Facts about the files that the migration left unchanged."""
    facts: Facts
    """Facts about the project that the rules were told."""


def migrate(settings: Settings, progress: Progress = None, process_ends: bool = False) -> Report:
    """Migrate and write the result, unless only a diff is requested.

    In a process that ends soon after, memory is left for its end to free.
    """
    return migrate_known(settings, progress, process_ends).report


def migrate_known(
    settings: Settings, progress: Progress = None, process_ends: bool = False
) -> Migrated:
    """Migrate as :func:`migrate` does, for a caller that goes on with the result."""
    if settings.in_place and not settings.diff:
        writer.refuse_dirty_tree(settings)
    tree = files(settings)
    with Workers(settings, process_ends) as workers:
        workers.start(tree.files)
        surveyed = survey(settings, tree)
        steps = _Steps(progress, len(surveyed.work))
        migrated = workers.migrate(surveyed, surveyed.work, False, steps.within)
        results = steps.collected(migrated)
        context = _context(settings, surveyed, results)
        report = _report("migrate", settings, tree, results, context)
        if not settings.diff:
            writer.write(settings, tree, report, workers)
    changed = {entry.path for entry in report.files if entry.action is FileAction.CHANGED}
    traits = {path: item for path, item in surveyed.traits.items() if path not in changed}
    return Migrated(report, KnownFiles(traits), surveyed.facts)


class _Steps:
    """Collect the results of files that are analysed now, beside stored ones, and show progress."""

    def __init__(self, progress: Progress, count: int, known: Iterable[FileResult] = ()) -> None:
        self._progress = progress
        self._results = list(known)
        self._total = len(self._results) + count

    def collected(self, migrated: Iterable[FileResult]) -> list[FileResult]:
        """Collect all results, by path."""
        for result in migrated:
            self._results.append(result)
            self.within(0, result.path)
        return sorted(self._results, key=lambda result: result.path)

    def within(self, part: float, shown: str) -> None:
        """Report that a part of the next file is done, from 0 to 1."""
        if self._progress is not None:
            self._progress(len(self._results) + part, self._total, shown)


def _context(settings: Settings, surveyed: Survey, results: list[FileResult]) -> Context:
    """The part of the report about the whole project."""
    named = {finding.code for result in results for finding in result.findings}
    known = entries(surveyed.facts.frameworks) if named else {}
    apis = tuple(_api_uses(results, surveyed.facts.releases))
    facts = surveyed.facts
    all_files = _all_files(surveyed.tree, results)
    importing = (all_files, facts.entry_points, surveyed.imported_by)
    options = facts.npu_options if facts.has_options_module else None
    added = [*options_files(options, *importing), *helper_files(*importing)]
    return Context(
        apis,
        {code: entry.info for code, entry in sorted(known.items()) if code in named},
        support.release(*(use.api for use in apis)),
        surveyed.facts.target,
        _offer(settings, surveyed),
        tuple(added),
    )


def _offer(settings: Settings, surveyed: Survey) -> str:
    """A sentence on what data-parallel training would add to training on one device."""
    if settings.distributed != "auto" or surveyed.facts.distributed != "none":
        return ""
    traits = surveyed.traits.values()
    if surveyed.facts.platform == "torch":
        return _ONE_DEVICE if {file.torch_devices for file in traits} - {""} == {"one"} else ""
    trains = any(file.tensorflow is not None and file.tensorflow.trains for file in traits)
    if not trains or any(file.hccl for file in traits):
        return ""
    return _ONE_DEVICE


def _all_files(tree: Tree, results: list[FileResult]) -> list[FileResult]:
    by_path = {result.path: result for result in results}
    return [by_path.get(path) or FileResult(path, FileAction.COPIED) for path in tree.files]


def _report(
    command: str, settings: Settings, tree: Tree, results: list[FileResult], context: Context
) -> Report:
    findings = sorted(
        (finding for result in results for finding in result.findings),
        key=lambda finding: finding.sort_key,
    )
    files = _all_files(tree, results)
    found = [item for entry in results for item in entry.mentions]
    if found or any(code.startswith("TORCH-") for code in context.rules):
        found.extend(mentions.elsewhere(settings.root, files))
    return Report(
        command=command,
        version=__version__,
        root=_shown(settings.root),
        output=None if settings.diff or command == "check" else _shown(_target(settings)),
        files=(*files, *context.added),
        findings=tuple(by_cause(findings)),
        apis=context.apis,
        rules=context.rules,
        catalog_version=context.catalog_version,
        target=context.target,
        offer=context.offer,
        mentions=tuple(sorted(found, key=lambda item: (item.path, item.cell or 0, item.line))),
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
    counts: Counter[str] = Counter()
    known: dict[str, str | None] = {}
    for result in results:
        for name, lines in result.apis.items():
            if name not in known:
                known[name] = _listed(name)
            api = known[name]
            if api is not None:
                if releases.get(result.path) == "tf2":
                    api = _in_tf2(api)
                counts[api] += len(lines)
                shown = places.setdefault(api, [])
                missing = _SHOWN_PLACES - len(shown)
                shown.extend(Place(result.path, line) for line in lines[:missing])
    uses = []
    for api, where in places.items():
        entry = support.lookup(api)
        if entry is not None:
            of_table = (entry.effective, entry.vendor, entry.note_text)
            uses.append(ApiUse(api, *of_table, counts[api], tuple(where)))
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
