"""The options of ``ascendify verify``, checked before anything runs."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ascendify.cluster import npus
from ascendify.errors import UsageError, did_you_mean
from ascendify.jobs import emulated
from ascendify.jobs.run import Supervision, check_supervision
from ascendify.processes.commands import check_command, package_release, split_text
from ascendify.processes.launchers import find_launcher, strip_mpi_launcher
from ascendify.verify import gpu
from ascendify.verify.original_launcher import OriginalLaunch, choose_launch
from ascendify.verify.reordering import Reordering
from ascendify.verify.tolerance import Tolerance

DEFAULT_SEED = 20
DEFAULT_TIMEOUT = 3600.0


@dataclass(frozen=True)
class VerifyRequest:
    """Two projects, the command to run in each, and how to compare them."""

    original: Path
    migrated: Path
    original_command: tuple[str, ...]
    migrated_command: tuple[str, ...]
    devices: int = 1
    soc: str | None = None
    """The hardware that is emulated for the migrated project; None for the default."""
    strict: bool = True
    pretend_gpu: bool = False
    original_on: str = gpu.CPU
    """Where the original runs: on the CPU, or on the real GPU of this machine."""
    emulate: bool = False
    """Whether to emulate although this machine has NPUs."""
    once: bool | None = None
    """Whether the command starts the ranks itself, on both sides; None to find out."""
    audit: bool = False
    """Whether to count what the migrated project runs on the device."""
    in_place: bool = False
    """Run in the folders themselves instead of in copies."""
    folder: Path | None = None
    """For logs and copies; None for a new one among the temporary files."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds for each side."""
    seed: int = DEFAULT_SEED
    repeat: bool = True
    """Run the original again when the numbers differ, to see whether it repeats itself."""
    pattern: str | None = None
    """A regular expression for numbers in the output."""
    tolerance: Tolerance = field(default_factory=Tolerance)
    without: tuple[Reordering, ...] = ()
    """What a control run of the original does without."""
    independent_samples: bool = False
    """Let no sample depend on draws or on the others of its batch, on both sides."""
    moved_weights: bool = False
    """Let the original begin a rounding error away from its first weights."""
    add_gradients: bool = False
    """Let ranks of the migrated project add up gradients that it averages."""
    replaced: tuple[tuple[str, bytes], ...] = ()
    """Files of the migrated project -> their content in the copy that runs."""
    replaced_original: tuple[tuple[str, bytes], ...] = ()
    """The same of the original."""

    @property
    def original_launch(self) -> OriginalLaunch:
        """How the original is started, which may take more than its command."""
        return choose_launch(self.original_command, self.devices, self.original, self.once)


def commands(
    common: Sequence[str] | str, original: str | None, migrated: str | None, devices: int | None
) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """The command of each side and the number of ranks.

    A command that starts with Horovod's or MPI's launcher is what the original needs; the migrated
    script has its ranks from us. Launchers of PyTorch start the ranks of both.

    Raises:
        UsageError: a side has no command.
    """
    if isinstance(common, str):
        common = _split(common, "--verify")
    first = tuple(_split(original, "--original")) if original else tuple(common)
    second = tuple(_split(migrated, "--migrated")) if migrated else tuple(common)
    if not first or not second:
        side = "the original" if not first else "the migrated project"
        raise UsageError(f"no command for {side}", "ascendify verify A B -- python train.py")
    launched, rest = strip_mpi_launcher(first)
    if migrated is None and original is None:
        second = rest
    own = find_launcher(second, Path())
    return first, second, devices or launched or (own.ranks if own else None) or 1


def request_after_migration(
    original: Path, migrated: Path | None, command_line: str
) -> VerifyRequest:
    """What ``migrate --verify COMMAND`` verifies; refused before anything is migrated.

    Raises:
        UsageError: the migrated project could not be verified.
    """
    if migrated is None:
        raise UsageError("--verify needs both projects", "write the migrated one with -o FOLDER")
    if original.is_file():
        raise UsageError(f"--verify runs projects, and {original} is a file", "migrate its folder")
    if npus.find():
        raise UsageError(
            f"--verify computes on the CPU, and this machine has an NPU ({npus.find()})",
            f"leave it out, then: ascendify verify {original} {migrated} --emulate -- "
            f"{command_line}",
        )
    first, second, devices = commands(command_line, None, None, None)
    if original.is_dir():
        check_command(first, original, os.environ)
    return VerifyRequest(original, migrated, first, second, devices)


def keras_of(request: VerifyRequest) -> str:
    """Return the release of the keras package that the original trains with; empty without one."""
    return package_release(request.original_command, "keras", request.original, os.environ)


def _split(text: str, option: str) -> list[str]:
    try:
        return split_text(text)
    except ValueError as error:
        raise UsageError(f"{option} cannot be read: {error}", "close the quotes") from None


def check(request: VerifyRequest, warn: Callable[[str], None]) -> None:
    """Refuse requests that cannot run.

    Raises: UsageError: what is wrong, and what to do.
    """
    check_supervision(Supervision(timeout=request.timeout), "verify")
    for folder, name in ((request.original, "ORIGINAL"), (request.migrated, "MIGRATED")):
        if not folder.is_dir():
            raise UsageError(f"{name} {folder} is not a folder", "name the folder of a project")
    if request.original.resolve() == request.migrated.resolve():
        raise UsageError(
            f"ORIGINAL and MIGRATED are both {request.original}", "name two different folders"
        )
    real = f"ascendify launch -- {shlex.join(request.migrated_command)}, in MIGRATED"
    emulated.check(
        request.migrated_command,
        request.migrated,
        request.devices,
        request.soc,
        warn,
        emulate=request.emulate,
        real=real,
    )
    _check_once(request, warn)
    _check_folder(request)
    check_pattern(request.pattern)
    check_command(request.original_launch.command, request.original, os.environ)
    _check_place(request)
    emulated.warn_of_count(request.devices, request.soc, warn)


def _check_once(request: VerifyRequest, warn: Callable[[str], None]) -> None:
    """Say which way the ranks are started where a script could be started in two ways."""
    launcher = find_launcher(request.migrated_command, request.migrated)
    if launcher is None or launcher.certain or request.devices == 1:
        return
    if request.once is None:
        warn(
            f"{launcher.how}, so the command is started once; --no-once starts one per device, if "
            "it takes its rank from the environment"
        )


def _check_place(request: VerifyRequest) -> None:
    """Refuse a place that the original cannot run in."""
    if request.original_on not in gpu.PLACES:
        hint = did_you_mean(request.original_on, gpu.PLACES, "it is cpu or gpu")
        raise UsageError(f"--original-on {request.original_on} is no place to run in", hint)
    if request.original_on == gpu.CPU:
        return
    if request.pretend_gpu:
        raise UsageError(
            "--pretend-gpu and --original-on gpu contradict each other",
            "leave one of them out",
        )
    gpu.check(request.original_command, request.original, request.devices)


def _check_folder(request: VerifyRequest) -> None:
    folder = request.folder
    if folder is None:
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--log-dir {folder} is not an empty folder", "name a new one")
    for project in (request.original.resolve(), request.migrated.resolve()):
        if project == folder.resolve() or project in folder.resolve().parents:
            raise UsageError(f"--log-dir {folder} is inside {project}", "name a folder elsewhere")


def check_pattern(pattern: str | None) -> None:
    """Refuse a pattern that cannot yield numbers.

    Raises:
        UsageError: it is no regular expression, or has no group named value.
    """
    if pattern is None:
        return
    try:
        groups = re.compile(pattern).groupindex
    except re.error as error:
        raise UsageError(f"--pattern is no regular expression: {error}", "escape it") from None
    if "value" not in groups:
        raise UsageError(
            "--pattern has no group named value",
            r"for example: --pattern 'step (?P<step>\d+) loss (?P<value>\S+)'",
        )
