"""Jobs on ModelArts: data is copied from one address before the job, output to another after it.

The launcher copies, so it is done once per server, not once per rank. Addresses are
folders (``/data``, ``file:///data``) or object storage (``obs://``, ``s3://``), which is reached
through ``moxing`` of the command's interpreter. A file is at its target complete or not at all.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ascendify.errors import UsageError
from ascendify.jobs.job import Job
from ascendify.processes.commands import read_python, run_program

DATA, OUTPUT = "{data}", "{output}"
"""The placeholders for the local folders in a command."""
DATA_VARIABLE, OUTPUT_VARIABLE = "DATA_PATH", "OUTPUT_PATH"
_CACHE = Path("/cache")
"""ModelArts has a fast disk there."""
_OBJECTS = ("obs", "s3")
_CANNOT_IMPORT = 3
_NOTHING_THERE = 4
_MOXING = f"""
import sys
try:
    import moxing
except ImportError:
    sys.exit({_CANNOT_IMPORT})
what, *paths = sys.argv[1:]
if what == "find" and not moxing.file.exists(paths[0]):
    sys.exit({_NOTHING_THERE})
if what == "make":
    moxing.file.make_dirs(paths[0])
if what == "copy":
    moxing.file.copy_parallel(*paths)
"""


@dataclass(frozen=True)
class StorageAddress:
    """An address the user gave."""

    option: str
    """The option that gave it, for messages."""
    url: str

    @property
    def path(self) -> Path | None:
        """Return the folder on this machine; None for object storage.

        Raises:
            UsageError: it is an address of another kind.
        """
        parts = urlsplit(self.url)
        if "://" not in self.url:
            return Path(self.url)
        if parts.scheme == "file" and parts.netloc in ("", "localhost"):
            return Path(unquote(parts.path))
        if parts.scheme in _OBJECTS and parts.netloc:
            return None
        raise UsageError(
            f"{self.option} {self.url} is no address that can be copied",
            "give a folder, file:///folder, obs://bucket/folder or s3://bucket/folder",
        )

    def below(self, name: str) -> StorageAddress:
        """Return the address of a folder below this one."""
        return replace(self, url=f"{self.url.rstrip('/')}/{name}")


@dataclass(frozen=True)
class Transfer:
    """The local folders for a job's data and its output, and the addresses to copy from and to."""

    source: StorageAddress | None
    target: StorageAddress | None
    folder: Path
    """The local folder of this job on this server, removed afterwards."""
    python: str
    """The interpreter that may have moxing."""
    logs: Path

    @property
    def data(self) -> Path:
        """The local folder with the data."""
        return self.folder / "data"

    @property
    def output(self) -> Path:
        """The local folder whose files are copied to the target."""
        return self.folder / "output"


def new_transfer(data_url: str | None, train_url: str | None, job: Job, server: int) -> Transfer:
    """Plan the copies for the ranks of one server; nothing is copied or created yet.

    Raises:
        UsageError: an address is not valid.
    """
    source = None if data_url is None else StorageAddress("--data_url", data_url)
    target = None if train_url is None else StorageAddress("--train_url", train_url)
    for place in filter(None, (source, target)):
        place.path  # noqa: B018 (raises for what is no address)
    if target is not None and server > 0:
        target = target.below(f"server-{server}")
    root = _CACHE if os.access(_CACHE, os.W_OK) else Path(tempfile.gettempdir())
    folder = root / f"ascendify-{job.name}-{secrets.token_hex(4)}"
    python = job.command[0] if read_python(job.command) is not None else sys.executable
    return Transfer(source, target, folder, python, job.folder)


def with_folders(job: Job, transfer: Transfer) -> Job:
    """Return the job with the local folders in its command and in its ranks' environments.

    Raises:
        UsageError: the command names a folder that is not given.
    """
    folders = (
        (transfer.source, DATA, DATA_VARIABLE, "--data_url", transfer.data),
        (transfer.target, OUTPUT, OUTPUT_VARIABLE, "--train_url", transfer.output),
    )
    command, found = list(job.command), {}
    for place, placeholder, variable, option, folder in folders:
        if place is not None:
            found[variable] = str(folder)
            command = [argument.replace(placeholder, str(folder)) for argument in command]
        elif any(placeholder in argument for argument in command):
            raise UsageError(f"{placeholder} in the command needs {option}", f"give {option}")

    ranks = (replace(rank, environment={**found, **rank.environment}) for rank in job.ranks)
    return replace(job, command=tuple(command), ranks=tuple(ranks))


@contextlib.contextmanager
def copying(transfer: Transfer | None) -> Iterator[None]:
    """Copy the data here before the block, and the output to its address after it, even on errors.

    Raises:
        UsageError: something could not be copied.
    """
    if transfer is None:
        yield
        return
    try:
        fetch(transfer)
    except BaseException:
        shutil.rmtree(transfer.folder, ignore_errors=True)
        raise
    try:
        yield
    finally:
        deliver(transfer)


def fetch(transfer: Transfer) -> None:
    """Copy the data here, and check that the output can be written, before the training starts.

    Raises:
        UsageError: what is wrong with which address.
    """
    _make(transfer.folder)
    if transfer.target is not None:
        _make(transfer.output)
        _open(transfer.target, transfer.python)
    if transfer.source is not None:
        try:
            _fetch(transfer.source, transfer.data, transfer.python)
        except OSError as error:
            raise _failed(transfer.source, error) from error


def deliver(transfer: Transfer) -> None:
    """Copy the output and the logs to their address, then remove what was copied.

    Raises:
        UsageError: it could not be copied; the message says where it still is.
    """
    if transfer.target is not None:
        try:
            _send(transfer.output, transfer.target, transfer.python)
            if transfer.logs.is_dir():
                _send(transfer.logs, transfer.target.below("logs"), transfer.python)
        except (OSError, UsageError) as error:
            reason = error.message if isinstance(error, UsageError) else str(error)
            raise UsageError(
                f"the output could not be copied to {transfer.target.url}: {reason}",
                f"it is still in {transfer.output}, the logs are in {transfer.logs}",
            ) from error
    shutil.rmtree(transfer.folder, ignore_errors=True)


# --- one direction and the other ---------------------------------------------------------------


def _fetch(source: StorageAddress, folder: Path, python: str) -> None:
    part = folder.with_name(f"{folder.name}.part")
    for old in (part, folder):
        shutil.rmtree(old, ignore_errors=True)
    path = source.path
    if path is None:
        _moxing(python, source, "find", source.url)
        _moxing(python, source, "copy", source.url, str(part))
    elif path.is_dir():
        _copy_folder(path, part)
    elif path.is_file():
        part.mkdir()
        shutil.copyfile(path, part / path.name)
    else:
        raise UsageError(f"{source.option} {source.url} does not exist", "name a folder or a file")
    part.replace(folder)


def _open(target: StorageAddress, python: str) -> None:
    """Check that files can be written to an address."""
    path = target.path
    if path is None:
        _moxing(python, target, "make", target.url)
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise _failed(target, error) from error


def _send(folder: Path, target: StorageAddress, python: str) -> None:
    path = target.path
    if path is None:
        _moxing(python, target, "copy", str(folder), target.url)
    elif path.resolve() != folder.resolve():
        _copy_folder(folder, path)


def _copy_folder(source: Path, target: Path) -> None:
    """Copy all files, each under a temporary name first, so that none is seen half-written."""
    target.mkdir(parents=True, exist_ok=True)
    # list the files first: the target may be a folder inside the source
    for path in list(_files(source)):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_name(f".{place.name}.part-{os.getpid()}")
        try:
            shutil.copy2(path, part)
            part.replace(place)
        finally:
            part.unlink(missing_ok=True)


def _files(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[Path]:
    """Yield the files of a folder and its subfolders; a link to a parent folder is not followed."""
    here = folder.resolve()
    if here in above:
        return
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from _files(path, (*above, here))
        elif path.is_file():
            yield path


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make {folder}, the folder for the job's data: {error.strerror}",
            "free disk space or check the permissions there; TMPDIR names another place",
        ) from error


def _failed(place: StorageAddress, error: OSError) -> UsageError:
    reason = f"{error.strerror}: {error.filename}" if error.strerror else str(error)
    return UsageError(f"{place.option} {place.url}: {reason}", "check that it can be reached")


def _moxing(python: str, place: StorageAddress, *arguments: str) -> None:
    """Run an operation on object storage with moxing in the user's interpreter."""
    try:
        answer = run_program((python, "-c", _MOXING, *arguments), timeout=None)
    except OSError as error:
        raise UsageError(
            f"cannot start {python}: {error.strerror}", "name a Python that has moxing"
        ) from error
    if answer.returncode == _CANNOT_IMPORT:
        raise UsageError(
            f"{place.option} {place.url} is object storage, and {python} has no moxing",
            "run it where moxing is (ModelArts images have it), or give a folder",
        )
    if answer.returncode == _NOTHING_THERE:
        raise UsageError(f"{place.option} {place.url} does not exist", "name what is there")
    if answer.returncode != 0:
        lines = (answer.stdout + answer.stderr).strip().splitlines()
        said = lines[-1] if lines else f"exit code {answer.returncode}"
        raise UsageError(f"{place.option} {place.url}: moxing failed: {said}", "see its message")
