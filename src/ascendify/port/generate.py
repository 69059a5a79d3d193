"""Generate a port in an empty folder: migrated code, launch scripts, rank tables, README."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ascendify.catalog import launch_tuning, torch_releases
from ascendify.catalog.launch_tuning import TuningVariable
from ascendify.launch.scaffold import planning, writing
from ascendify.launch.scaffold.writing import PYTORCH, Scaffold, network_of
from ascendify.migrate.pipeline import Progress, migrate_known
from ascendify.migrate.programs import find_programs
from ascendify.migrate.settings import load
from ascendify.port import readme
from ascendify.port.request import PortRequest
from ascendify.programs.program import Programs
from ascendify.reports.model import Report
from ascendify.rules.site import Facts


@dataclass(frozen=True)
class Generated:
    """A port as the tool makes it of the original, before any edit of a person."""

    report: Report
    programs: Programs
    """What the migrated project can start."""
    scaffolds: tuple[Scaffold, ...]
    """A set of launch scripts for each program that trains, the main one first."""
    files: tuple[str, ...]
    """Everything that was written, by its path in the port."""
    clashes: tuple[str, ...] = ()
    """Files that were not generated, because the project has files of these names."""
    warnings: tuple[str, ...] = ()
    """Warnings about the options that were given."""

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of devices that the main program trains one model on."""
        return self.scaffolds[0].trained_counts if self.scaffolds else (1,)


def generate(
    request: PortRequest, folder: Path, progress: Progress = None, process_ends: bool = False
) -> Generated:
    """Write the port to a folder that does not exist yet.

    In a process that ends soon after, memory is left for its end to free.

    Raises:
        UsageError: an option is wrong.
    """
    settings = load(
        request.project,
        output=folder,
        main=request.main,
        framework=request.framework,
        exclude=request.exclude or None,
        style=request.style,
        transfer=request.transfer or None,
        torch_npu=request.torch_npu,
        dynamic_rnn=request.dynamic_rnn,
        tune=request.tune,
        keras=request.keras,
        npu=request.npu,
        jobs=request.jobs,
        distributed=None if request.count == 1 else "add",
        switches=True,
        undo=False,  # an update of the port needs the original anyway
    )
    scaffold = planning.ScaffoldRequest(
        request.project, network=network_of(request.project), devices=request.count
    )
    planning.check(scaffold)
    migrated = migrate_known(settings, progress, process_ends)
    report = replace(migrated.report, output=str(request.output))
    found = find_programs(folder, migrated.known)
    chosen = found.choose(request.programs)
    sets = (
        planning.plan(replace(scaffold, project=folder), chosen, found.framework) if chosen else ()
    )
    tuning = _tuning(folder, migrated.facts) if sets and sets[0].framework == PYTORCH else ()
    made = writing.files(sets, tuning) if sets else {}
    made[readme.FILE] = readme.render(request, report, sets)
    there = [entry.path for entry in report.files]
    # a file of the project is kept: scripts of the same name belong to the user
    clashes = tuple(sorted(made.keys() & set(there)))
    added = {name: text for name, text in made.items() if name not in clashes}
    writing.write(folder, added, force=False)
    files = (*there, *added)
    return Generated(report, found.programs, sets, files, clashes, settings.warnings)


def _tuning(folder: Path, facts: Facts) -> tuple[TuningVariable, ...]:
    """The variables that make the launch scripts' training faster, with ``--tune``.

    A program of the project that sets one of them, or one that contradicts it, decides itself.
    """
    if not facts.tune:
        return ()
    texts = [path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*.py"))]
    return tuple(
        item
        for item in launch_tuning.read_by(torch_releases.chosen(facts.torch_npu, facts.torch).stack)
        if not any(word in text for text in texts for word in item.unless)
    )
