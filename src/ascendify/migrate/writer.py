"""Write a migrated project under a temporary name, then rename it: none is half-written."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.migrate.settings import Settings
from ascendify.migrate.workers import Workers
from ascendify.reports import diff
from ascendify.reports.model import FileAction, Report
from ascendify.source.project import Tree

UNDO_SUFFIX = ".undo.patch"
"""Suffix of the patch beside the output that undoes the migration: ``<output>.undo.patch``."""


def write(settings: Settings, tree: Tree, report: Report, workers: Workers) -> None:
    """Write the result where the settings say, and, if wanted, a patch that undoes it beside it."""
    patch = diff.patch(report, inverse=True) if settings.undo else b""
    if settings.in_place:
        _write_in_place(settings, report, patch)
    elif settings.output is not None:
        _write_output(settings, tree, report, workers)
        if patch:
            _replace(_undo_file(settings.output), patch)
    else:
        raise UsageError("no place to write to is given", "add -o FOLDER or --in-place")


def _undo_file(target: Path) -> Path:
    return target.with_name(target.name + UNDO_SUFFIX)


def refuse_dirty_tree(settings: Settings) -> None:
    """Rewriting in place wants a clean git tree, so that the changes can be seen and undone."""
    if settings.force:
        return
    paths = [str(path) for path in settings.paths]
    command = ["git", "-C", str(settings.root), "status", "--porcelain", "--", *paths]
    plain = {**os.environ, "LC_ALL": "C"}
    try:
        status = subprocess.run(  # noqa: S603 - a fixed command; paths are arguments, not shell
            command, capture_output=True, text=True, check=False, env=plain
        )
    except FileNotFoundError:
        # without git there is no tree to be dirty; the inverse patch still undoes everything
        return
    if status.returncode and "not a git repository" not in status.stderr:
        said = (status.stderr.strip().splitlines() or ["no reason given"])[0]
        raise UsageError(
            f"git cannot tell whether {settings.root} is clean: {said}",
            "mend that, or use --force",
        )
    if status.returncode == 0 and status.stdout.strip():
        changed = status.stdout.strip().splitlines()
        raise UsageError(
            f"{settings.root} has {len(changed)} uncommitted changes, first: {changed[0].strip()}",
            "commit or stash them so that the migration can be reviewed alone, or use --force",
        )


def _write_in_place(settings: Settings, report: Report, patch: bytes) -> None:
    contents: dict[Path, bytes | Path] = {
        settings.root / entry.path: entry.content
        for entry in report.files
        if entry.action in (FileAction.CHANGED, FileAction.ADDED)
    }
    if patch:
        contents[_undo_file(settings.paths[0])] = patch
    replace_files(contents)


def replace_files(contents: Mapping[Path, bytes | Path], removed: Iterable[Path] = ()) -> None:
    """Write and remove files of a folder: all of them, or none where one cannot be written.

    Every new file is prepared beside the old one first; only when all are there, they are swapped
    in. What stood there is kept under a second name, and put back when a swap fails.

    Args:
        contents: The bytes of each target, or a file to copy with its mode.
        removed: Files to remove.
    """
    prepared: list[tuple[Path, Path]] = []
    kept: list[tuple[Path, Path | None]] = []
    try:
        for target, content in contents.items():
            prepared.append((_beside(target, content), target))
        for temporary, target in prepared:
            kept.append((target, _second_copy(target)))
            temporary.replace(target)
        for target in removed:
            kept.append((target, _second_copy(target)))
            target.unlink(missing_ok=True)
    except BaseException:
        for target, old in reversed(kept):
            if old is not None:
                old.replace(target)
            else:
                target.unlink(missing_ok=True)
        raise
    finally:
        for temporary, _ in prepared:
            temporary.unlink(missing_ok=True)
        for _, old in kept:
            if old is not None:
                shutil.rmtree(old.parent, ignore_errors=True)


def _second_copy(target: Path) -> Path | None:
    """A second name for a file, or a copy where the disk has no links; None where there is none."""
    if not os.path.lexists(target):
        return None
    folder = tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent)
    copy = Path(folder) / target.name
    try:
        os.link(target, copy, follow_symlinks=False)
    except OSError:
        shutil.copy2(target, copy, follow_symlinks=False)
    return copy


def _write_output(settings: Settings, tree: Tree, report: Report, workers: Workers) -> None:
    output = settings.output
    if output is None:
        raise UsageError("no output folder is given", "add -o FOLDER")
    missing = [folder for folder in output.parents if not folder.exists()]
    output.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    try:
        _fill(staging, settings.root, tree, report, workers)
        shutil.copymode(settings.root, staging)
        swap_folder(staging, output)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        for folder in missing:
            if not any(folder.iterdir()):
                folder.rmdir()


def _fill(staging: Path, root: Path, tree: Tree, report: Report, workers: Workers) -> None:
    made: set[Path] = set()
    copies: list[tuple[Path, Path]] = []
    for empty in tree.empty_folders:
        (staging / empty).mkdir(parents=True, exist_ok=True)
    for entry in report.files:
        target = staging / entry.path
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        source = root / entry.path
        if entry.action is FileAction.ADDED:
            target.write_bytes(entry.content)
        elif entry.action is FileAction.CHANGED:
            target.write_bytes(entry.content)
            shutil.copymode(source, target)
        else:
            copies.append((source, target))
    # making files is a tenth of a run, and goes as much faster as there are processes for it
    workers.share(_copy, copies)
    for folder in sorted(made, key=lambda path: len(path.parts), reverse=True):
        original = root / folder.relative_to(staging)
        if folder != staging and original.is_dir():
            shutil.copymode(original, folder)


def _copy(files: list[tuple[Path, Path]]) -> None:
    for source, target in files:
        shutil.copy2(source, target, follow_symlinks=False)


def swap_folder(staging: Path, output: Path) -> None:
    """Put the finished folder in place; the old one is kept until the new one is there."""
    if not output.exists():
        staging.replace(output)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{output.name}.old.", dir=output.parent))
    try:
        output.replace(old / output.name)
        try:
            staging.replace(output)
        except BaseException:
            (old / output.name).replace(output)
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _beside(target: Path, content: bytes | Path) -> Path:
    """The content in a temporary file in the target's folder, with the target's mode."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            if isinstance(content, bytes):
                stream.write(content)
        if isinstance(content, Path):
            temporary.unlink()
            shutil.copy2(content, temporary, follow_symlinks=False)
        elif target.exists():
            shutil.copymode(target, temporary)
        else:
            temporary.chmod(0o644)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _replace(target: Path, content: bytes) -> None:
    _beside(target, content).replace(target)
