"""Make the Python environments of this repository, and say first what that downloads.

    python3 tools/make_environments.py demo     # .venv with the package
    python3 tools/make_environments.py check    # and linters, type checker, tools for tests
    python3 tools/make_environments.py test     # and PyTorch; .venv-tf1, .venv-tf2

An environment that is made already is left as it is. Environment variables change what is made:

``TORCH=no``, ``TENSORFLOW=no``
    leave a framework out.
``TORCH_RELEASE``
    the release of PyTorch, such as ``2.13.0``.
``TORCH_INDEX``
    the package index to look for a CPU build of PyTorch in, beside those that pip is configured
    for. Empty: look in no other.

On Linux the package index that pip uses by default has PyTorch with gigabytes of CUDA inside, which
nothing here uses. So a CPU build is taken where pip finds one, and else the one that is there.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parent.parent
LEVELS = ("demo", "check", "test")
"""What ``.venv`` is made for; each level has everything of those before it."""

TORCH_RELEASE = "2.13.0"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
"""Where the PyTorch project publishes its CPU builds."""
PROBE = ("--timeout", "5", "--retries", "0")
"""Give up at once on an index that can be done without."""

NO_VENV = "cannot make environments: on Debian and Ubuntu, apt install python3-venv"


class RefusedError(Exception):
    """Something the user has to change; the message says what."""


@dataclass(frozen=True)
class Environment:
    """A folder with an interpreter and packages."""

    folder: str
    python: str
    """The command that it is made with."""
    requirements: tuple[str, ...]
    """Arguments of ``pip install``."""
    packages: str
    """The requirements, as text for the table."""
    download_mb: int
    disk_mb: int
    purpose: str
    stamps: tuple[tuple[str, str], ...]
    """Files written when it is complete, and what is in them; the last names all it was made of."""

    @property
    def interpreter(self) -> Path:
        """The Python inside."""
        return ROOT / self.folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    @property
    def is_made(self) -> bool:
        """Whether it is complete and made of what it is to be made of now."""
        name, text = self.stamps[-1]
        file = ROOT / self.folder / name
        return file.exists() and file.read_text("utf-8") == text


@dataclass(frozen=True)
class TorchBuild:
    """The PyTorch to install, and where from."""

    version: str
    """Such as ``2.13.0+cpu``; empty when there is none for this interpreter."""
    index: str = ""
    """A package index beside those that pip is configured for."""

    @property
    def with_cuda(self) -> bool:
        """Whether gigabytes of CUDA come with it."""
        return bool(self.version) and sys.platform == "linux" and "+cpu" not in self.version

    @property
    def requirements(self) -> tuple[str, ...]:
        """Arguments of ``pip install``."""
        named = (f"torch=={self.version}",) if self.version else ()
        return (*named, "--extra-index-url", self.index) if self.index else named


# --- interpreters


def pyenv_roots(variables: Mapping[str, str]) -> list[Path]:
    """Folders of pyenv: that of PYENV_ROOT, those whose shims are on the PATH, the usual one."""
    roots = [Path(variables["PYENV_ROOT"])] if variables.get("PYENV_ROOT") else []
    for entry in variables.get("PATH", "").split(os.pathsep):
        if Path(entry).name == "shims":
            roots.append(Path(entry).parent)
    if variables.get("HOME"):
        roots.append(Path(variables["HOME"]) / ".pyenv")
    return list(dict.fromkeys(roots))


def candidates(version: tuple[int, int], variables: Mapping[str, str]) -> Iterator[str]:
    """Commands that may be a Python of this version."""
    name = f"{version[0]}.{version[1]}"
    yield f"python{name}"
    for root in pyenv_roots(variables):
        yield from map(str, sorted(root.glob(f"versions/{name}.*/bin/python")))


def version_of(command: str) -> Optional[tuple[int, int]]:
    """The version of an interpreter that can make environments, None if the command is none."""
    program = "import ensurepip, venv, sys; print(*sys.version_info[:2])"
    try:
        ended = subprocess.run([command, "-c", program], capture_output=True, text=True, check=True)
        major, minor = ended.stdout.split()
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None
    return int(major), int(minor)


def find_python(versions: Iterable[tuple[int, int]], variables: Mapping[str, str]) -> Optional[str]:
    """The first interpreter of some versions, in the order given."""
    found = (
        command
        for version in versions
        for command in candidates(version, variables)
        if version_of(command) == version
    )
    return next(found, None)


# --- the build of PyTorch


def available(listing: str) -> list[str]:
    """Versions in what ``pip index versions`` prints, newest first."""
    found = re.search(r"^Available versions: (.*)$", listing, re.M)
    return found[1].split(", ") if found else []


def choose_version(versions: Sequence[str], release: str) -> str:
    """The version to install: the release or, where it is not offered, the newest before it.

    Its CPU build where there is one. Empty: the interpreter is too old or too new for all of them.
    """
    wanted = _numbers(release)
    fitting = [version for version in versions if _numbers(version) <= wanted]
    if not fitting:
        return ""
    newest = max(map(_numbers, fitting))
    builds = [version for version in fitting if _numbers(version) == newest]
    if "+" in release:
        return release if release in builds else ""
    cpu = [build for build in builds if build.endswith("+cpu")]
    plain = [build for build in builds if "+" not in build]
    return next(iter([*cpu, *plain]), "")


def _numbers(version: str) -> tuple[int, ...]:
    """The release of a version as numbers; anything that is no plain release is older than all."""
    release = version.partition("+")[0]
    if not re.fullmatch(r"[0-9.]+", release):
        return ()
    return tuple(map(int, release.strip(".").split(".")))


def find_torch(python: Path, release: str, index: str) -> TorchBuild:
    """Ask pip for the release: first in the indexes it is configured for, then in the other one.

    Raises:
        RefusedError: pip lists nothing, because of an error or because nothing fits.
    """
    versions, problem = _listed(python, "")
    configured = TorchBuild(choose_version(versions, release))
    if index and sys.platform == "linux" and not configured.version.endswith("+cpu"):
        other = choose_version(_listed(python, index)[0], release)
        if other.endswith("+cpu"):
            return TorchBuild(other, index)
    if problem:
        raise RefusedError(
            f"pip lists no PyTorch for {python}: {problem}. Try again if an index did not answer; "
            f"{python} -m pip install --upgrade pip brings a pip that can list packages; TORCH=no "
            "leaves PyTorch out"
        )
    return configured


def _listed(python: Path, index: str) -> tuple[list[str], str]:
    """Versions of PyTorch that pip finds for this interpreter; pip's last line where it failed."""
    command = [*pip(python), "index", "versions", "torch"]
    if index:
        command += [*PROBE, "--extra-index-url", index]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode == 0:
        return available(ended.stdout), ""
    said = (ended.stdout + ended.stderr).strip().splitlines()
    return [], said[-1] if said else f"it ended with status {ended.returncode}"


def pip(python: Path) -> tuple[str, ...]:
    """The command that starts pip in an environment."""
    return (str(python), "-m", "pip", "--disable-pip-version-check")


# --- what is to be made


def of_the_package(
    level: str, python: str, variables: Mapping[str, str], torch: TorchBuild
) -> Environment:
    """``.venv`` at a level; without PyTorch where there is none."""
    levels = LEVELS[: LEVELS.index(level) + 1]
    stamps = tuple((f".made-{each}", recipe(each, variables)) for each in levels)
    if level == "demo":
        requirements: tuple[str, ...] = ("--editable", ".[xlsx]")
        packages, sizes, purpose = "ascendify", (5, 60), "the command line"
    elif not torch.version:
        requirements = ("--editable", ".[check]")
        packages, sizes = "ascendify[check]", (70, 300)
        purpose = "linters, type checker, tests without a framework"
    else:
        requirements = (*torch.requirements, "--editable", ".[dev]")
        build = "CUDA inside" if torch.with_cuda else "CPU build"
        packages = f"ascendify[dev], torch {torch.version} ({build})"
        sizes = (3000, 5600) if torch.with_cuda else (640, 2700)
        purpose = "linters, type checker, tests without TensorFlow"
    return Environment(".venv", python, requirements, packages, *sizes, purpose, stamps)


def recipe(level: str, variables: Mapping[str, str]) -> str:
    """Everything that ``.venv`` is made from at a level, as one word: another makes it stale."""
    files = ("pyproject.toml", "src/ascendify/__init__.py")
    parts = [level, *((ROOT / file).read_text("utf-8") for file in files)]
    if level == "test":
        settings = ("TORCH", "TORCH_RELEASE", "TORCH_INDEX")
        parts += [TORCH_RELEASE, *(f"{name}={variables.get(name)}" for name in settings)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def of_tensorflow(variables: Mapping[str, str]) -> tuple[list[Environment], list[str]]:
    """Environments with TensorFlow, and why some are left out."""
    made, left_out = [], []
    intel = platform.machine().lower() in {"x86_64", "amd64"}
    old = find_python([(3, 7)], variables) if intel else None
    if old:
        packages = ("tensorflow==1.15.0", "keras==2.3.1", "protobuf<3.21", "numpy<1.19")
        purpose = "tests with TensorFlow 1.15"
        made.append(_of_tensorflow(".venv-tf1", old, packages, (450, 1500), purpose))
    else:
        need = "a Python 3.7, such as pyenv install 3.7 makes" if intel else "an x86-64 processor"
        left_out.append(f"tests with TensorFlow 1.15, which need {need}")
    new = find_python([(3, 11), (3, 10), (3, 9)], variables)
    if new:
        name = "tensorflow-cpu" if intel and sys.platform != "darwin" else "tensorflow"
        purpose = "tests with TensorFlow 2"
        made.append(_of_tensorflow(".venv-tf2", new, (f"{name}==2.15.1",), (290, 1300), purpose))
    else:
        left_out.append("tests with TensorFlow 2, which need a Python 3.9, 3.10 or 3.11 with venv")
    return made, left_out


def _of_tensorflow(
    folder: str, python: str, packages: tuple[str, ...], sizes: tuple[int, int], purpose: str
) -> Environment:
    stamps = ((".made", "\n".join(packages)),)
    shown = packages[0].replace("==", " ")
    return Environment(folder, python, packages, shown, *sizes, purpose, stamps)


# --- texts


def size(megabytes: int) -> str:
    """Such as ``450 MB`` or ``2.7 GB``."""
    return f"{megabytes} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"


def table(environments: Sequence[Environment]) -> list[str]:
    """Lines that say what will be downloaded."""
    rows = [("environment", "packages", "download", "on disk", "for")]
    for each in environments:
        sizes = size(each.download_mb), size(each.disk_mb)
        rows.append((each.folder, each.packages, *sizes, each.purpose))
    if len(environments) > 1:
        totals = sum(e.download_mb for e in environments), sum(e.disk_mb for e in environments)
        rows.append(("together", "", size(totals[0]), size(totals[1]), ""))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [
        "  " + "  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip()
        for row in rows
    ]


def advice(environments: Sequence[Environment], torch: TorchBuild, index: str) -> list[str]:
    """Lines that say how to download less."""
    lines = []
    packages = " ".join(each.packages for each in environments)
    if "tensorflow" in packages:
        lines.append("TENSORFLOW=no leaves TensorFlow and its tests out.")
    if "torch" in packages:
        lines.append("TORCH=no leaves PyTorch and its tests out; make check needs neither.")
    if "torch" in packages and torch.with_cuda:
        where = f"nor in {index}" if index else "and TORCH_INDEX is empty"
        lines.append(f"pip finds no CPU build of PyTorch in the indexes it is set to, {where}.")
    return lines


# --- making


def make(environment: Environment) -> None:
    """Make an environment, or bring it up to date.

    Raises:
        RefusedError: a command failed.
    """
    create(environment)
    print(f"making {environment.folder} ...", flush=True)
    # a mirror that fetches a large file first does not answer in the 15 seconds that pip waits
    options = ("--quiet", "--timeout", "120")
    install = (*pip(environment.interpreter), *options, "install", *environment.requirements)
    if subprocess.run(install, cwd=ROOT, check=False).returncode:
        raise RefusedError(
            f"pip could not install {environment.packages}: see above. TORCH=no and TENSORFLOW=no "
            "leave a framework out"
        )
    for name, text in environment.stamps:
        (ROOT / environment.folder / name).write_text(text, "utf-8")


def create(environment: Environment) -> None:
    """Make the folder and its interpreter; nothing is downloaded for it.

    Raises:
        RefusedError: the interpreter cannot make environments.
    """
    if environment.interpreter.exists():
        return
    command = [environment.python, "-m", "venv", str(ROOT / environment.folder)]
    if subprocess.run(command, check=False).returncode:
        raise RefusedError(f"{environment.python} {NO_VENV}")


def prepare(level: str, python: str, variables: Mapping[str, str]) -> None:
    """Make what a level needs and does not have yet.

    Raises:
        RefusedError: that is not possible here.
    """
    if version_of(python) is None:
        raise RefusedError(f"{python} {NO_VENV}")
    torch, index = TorchBuild(""), variables.get("TORCH_INDEX", TORCH_INDEX)
    missing: list[Environment] = []
    left_out: list[str] = []
    main = of_the_package(level, python, variables, torch)
    if not main.is_made:
        create(main)
        if level == "test" and variables.get("TORCH", "yes") != "no":
            release = variables.get("TORCH_RELEASE") or TORCH_RELEASE
            torch = find_torch(main.interpreter, release, index)
            main = of_the_package(level, python, variables, torch)
            if not torch.version:
                left_out.append(f"PyTorch: pip finds no release up to {release} for {python}")
                # the next run looks for it again
                main = replace(main, stamps=main.stamps[:-1])
        missing.append(main)
    if level == "test" and variables.get("TENSORFLOW", "yes") != "no":
        environments, reasons = of_tensorflow(variables)
        missing += [each for each in environments if not each.is_made]
        left_out += reasons
    if missing:
        print("To be downloaded, once:", "", *table(missing), "", sep="\n")
    for line in (*advice(missing, torch, index), *(f"Left out: {why}." for why in left_out)):
        print(line)
    for each in missing:
        make(each)


def main(arguments: Sequence[str]) -> int:
    """Make the environments of the level named; PYTHON names the interpreter."""
    if len(arguments) != 1 or arguments[0] not in LEVELS:
        print(f"usage: make_environments.py {'|'.join(LEVELS)}", file=sys.stderr)
        return 2
    try:
        prepare(arguments[0], os.environ.get("PYTHON") or sys.executable, os.environ)
    except RefusedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
