"""``ascendify scaffold``: launch scripts for a migrated project."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ascendify.cli import job_output, options
from ascendify.cli.output import warn

if TYPE_CHECKING:
    from ascendify.migrate.survey import Survey


def command(
    project: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The migrated project."),
    ],
    arguments: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="[-- ARGUMENTS...]", help="Of the training script.", show_default=False
        ),
    ] = None,
    *,
    entry: Annotated[
        Optional[str],
        typer.Option(
            "--entry", metavar="FILE", help="The training script.", show_default="found by its name"
        ),
    ] = None,
    network: Annotated[
        Optional[str],
        typer.Option(
            "--network",
            metavar="NAME",
            help="Named in the results.",
            show_default="the name of the folder",
        ),
    ] = None,
    batch_size: Annotated[
        Optional[int],
        typer.Option(
            "--batch-size",
            metavar="N",
            help="Samples of a device in a step.",
            show_default="what the script takes by default",
        ),
    ] = None,
    data_option: Annotated[
        Optional[str],
        typer.Option(
            "--data-option",
            metavar="NAME",
            help="How the script is told where its data are, such as --data_dir; none: it is not.",
            show_default="found in the script",
        ),
    ] = None,
    batch_option: Annotated[
        Optional[str],
        typer.Option(
            "--batch-option",
            metavar="NAME",
            help="How it is told its batch size; none: it is not.",
            show_default="found in the script",
        ),
    ] = None,
    full_args: Annotated[
        str,
        typer.Option("--full-args", metavar="TEXT", help="Arguments of a full training."),
    ] = "",
    performance_args: Annotated[
        Optional[str],
        typer.Option(
            "--performance-args",
            metavar="TEXT",
            help="Arguments that make it short.",
            show_default="found in the script",
        ),
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="PROGRAM", help="The interpreter.")
    ] = "python3",
    servers: Annotated[
        int, typer.Option("--servers", metavar="N", help="Of 8 devices, in a rank table.")
    ] = 2,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write launch scripts, rank tables and a README for a migrated project, as the guides have.

    Exit code 0: written, 2: not.
    """
    from ascendify.errors import UsageError
    from ascendify.launch import scaffold

    if not project.is_dir():
        raise UsageError(f"{project} is not a folder", "name the folder of a migrated project")
    if servers < 2:
        raise UsageError(f"--servers {servers} is no cluster", "give 2 or more")
    survey = _survey(project)
    chosen = _entry(project, entry, survey)
    known = scaffold.read(_texts(project, chosen, survey))
    short = known.short
    if performance_args is not None:
        short = _split("--performance-args", performance_args)
    is_torch = survey.facts.framework == "torch"
    made = scaffold.Scaffold(
        network=network or scaffold.network_of(project),
        entry=chosen,
        framework=scaffold.PYTORCH if is_torch else scaffold.TENSORFLOW,
        python=python,
        data=_prefix(data_option, known.data),
        batch=_prefix(batch_option, known.batch),
        batch_size=batch_size or known.batch_size,
        common=tuple(arguments or ()),
        full=_split("--full-args", full_args),
        performance=short,
        starts_ranks=_starts_ranks(project, chosen),
        servers=servers,
    )
    files = scaffold.files(made)
    scaffold.write(project, files, force=force)
    module = (project / chosen).with_name("npu_options.py")
    if made.framework == scaffold.TENSORFLOW and not module.is_file():
        warn(
            f"there is no npu_options.py beside {chosen}, so switches such as --precision_mode do "
            "not reach it; migrate with an NPU option, such as --precision-mode, to have one"
        )
    if not quiet:
        job_output.say(f"{len(files)} files in {project / 'test'} and {project / 'configs'}")
        job_output.say(f"they run {chosen}; test/settings.sh says how")


def _survey(project: Path) -> "Survey":
    from ascendify.migrate.discovery import files
    from ascendify.migrate.settings import load
    from ascendify.migrate.survey import survey

    settings = load(project)
    return survey(settings, files(settings))


def _entry(project: Path, given: Optional[str], survey: "Survey") -> str:
    from ascendify.errors import UsageError
    from ascendify.launch import scaffold

    if given is None:
        return scaffold.choose(survey.facts.entry_points)
    if not (project / given).is_file():
        raise UsageError(f"--entry {given} does not exist in {project}", "name it from there")
    return Path(given).as_posix()


def _texts(project: Path, entry: str, survey: "Survey") -> list[str]:
    """The script, then what it imports of the project: options may be declared there."""
    imported = [path for path, users in sorted(survey.imported_by.items()) if entry in users]
    return [
        (project / path).read_text(encoding="utf-8", errors="replace")
        for path in (entry, *imported)
    ]


def _prefix(given: Optional[str], found: Optional[str]) -> Optional[str]:
    """What stands in front of a value: ``--data_dir=``, or nothing for a bare argument."""
    if given is None:
        return found
    return None if given == "none" else f"{given}="


def _split(option: str, text: str) -> tuple[str, ...]:
    from ascendify.errors import UsageError

    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}", "quote it as a shell would") from error


def _starts_ranks(project: Path, entry: str) -> bool:
    from ascendify.processes.launchers import find_launcher

    return find_launcher(("python3", entry), project) is not None
