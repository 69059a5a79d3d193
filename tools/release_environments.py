"""Environments for releases of PyTorch and TensorFlow, outside the repository and for a while."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from make_environments import TORCH_INDEX, find_python, size
from release_commands import NotPossibleError, last_line, run, run_checked

from ascendify.emulation.releases import TENSORFLOW

HELPERS = ("numpy", "expecttest", "packaging", "pillow", "pyyaml", "accelerate", "transformers")
"""What OpInfo and the examples import."""
OLD_HELPERS = (
    ((2, 5), "numpy", "numpy<2"),
    ((2, 6), "transformers", "transformers<5"),
    ((2, 3), "transformers", "transformers<4.50"),
    ((2, 3), "accelerate", "accelerate<1.8"),
    ((2, 2), "setuptools", "setuptools<80"),
)
"""PyTorch before the first needs the third instead of the second; a later row wins."""
NO_WHEEL = ("No matching distribution found", "No solution found", "no wheels with a matching")
"""What pip and uv say where there is no wheel for a Python."""


@dataclass(frozen=True)
class Wanted:
    """A release to make an environment for."""

    framework: str
    version: str
    """May name a build: ``2.13.0+cpu``."""

    @property
    def line(self) -> tuple[int, int]:
        """Major and minor number."""
        return version(self.version)

    @property
    def pythons(self) -> list[tuple[int, int]]:
        """Versions of Python to try, the preferred one first."""
        if self.framework == TENSORFLOW and self.line < (2, 0):
            return [(3, 7)]
        return [(3, minor) for minor in range(13, 7, -1)]

    @property
    def requirements(self) -> list[str]:
        """Arguments of ``pip install``."""
        if self.framework == TENSORFLOW:
            if self.line < (2, 0):
                return [f"tensorflow=={self.version}", "protobuf<3.21", "numpy<1.19"]
            old = ["protobuf<3.21", "numpy<1.24"] if self.line < (2, 12) else []
            return [f"tensorflow-cpu=={self.version}", *old]
        helpers = {name: name for name in HELPERS}
        for before, name, requirement in OLD_HELPERS:
            if self.line < before:
                helpers[name] = requirement
        index = ["--extra-index-url", TORCH_INDEX] if self.version.endswith("+cpu") else []
        return [f"torch=={self.version}", *helpers.values(), *index]

    @property
    def sizes(self) -> tuple[int, int]:
        """Megabytes to download and on disk, about."""
        if self.framework == TENSORFLOW:
            return 450, 1500
        return (300, 1400) if self.version.endswith("+cpu") else (3000, 5600)


@contextlib.contextmanager
def environment(wanted: Wanted, where: Path, python: str, keep: bool) -> Iterator[str]:
    """Make an environment for a release, give its interpreter, and remove it.

    Raises:
        NotPossibleError: there is no Python or no wheel for it, or no room on the disk.
    """
    download, disk = wanted.sizes
    folder = where / f"{wanted.framework}-{wanted.version}"
    print(f"{wanted.framework} {wanted.version}: an environment in {folder}, about "
          f"{size(download)} to download and {size(disk)} on disk"
          f"{'' if keep else '; removed afterwards'}", flush=True)  # fmt: skip
    where.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(where).free // 10**6
    if free < disk:
        raise NotPossibleError(f"{where} has only {size(free)} free: name a folder with --where")
    try:
        yield _made(wanted, folder, python)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _made(wanted: Wanted, folder: Path, python: str) -> str:
    versions = [version(python)] if python else wanted.pythons
    commands = (find_python([version], os.environ) for version in versions)
    for command in filter(None, commands):
        shutil.rmtree(folder, ignore_errors=True)
        run_checked([command, "-m", "venv", str(folder)])
        interpreter = str(folder / "bin" / "python")
        ended = run([*_installer(interpreter), *wanted.requirements], {})
        if not ended.returncode:
            return interpreter
        if not any(message in ended.stderr for message in NO_WHEEL):
            raise NotPossibleError(last_line(ended.stderr))
        print(f"  no wheels for {command}", flush=True)
    tried = ", ".join(f"{major}.{minor}" for major, minor in versions)
    raise NotPossibleError(f"no Python here that has wheels of it (looked for {tried})")


def _installer(interpreter: str) -> list[str]:
    uv = shutil.which("uv")
    if uv:
        return [uv, "pip", "install", "-q", "-p", interpreter, "--index-strategy",
                "unsafe-best-match"]  # fmt: skip
    return [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "-q"]


def version(text: str) -> tuple[int, int]:
    """Major and minor number of a release."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)
