"""Choose the release of torch_npu to migrate a project for, from what its files require."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ascendify.catalog import torch_releases, versions
from ascendify.catalog.torch_releases import Release
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement

ADVISED = "2.1"
"""The PyTorch to upgrade to from an older one that has no torch_npu."""
_TORCH, _NPU = ("torch", "pytorch"), "torch-npu"
_LISTS = ("requirements", "yaml", "project")
"""Kinds of files that list what a project requires."""
_COMMANDS = ("docker", "shell")
"""Kinds of files that install packages, read where none of the others requires torch."""
_PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
_NONE_FOR_ALL = "each folder says what it requires itself"
_STRING = re.compile(
    r"""(?:['"]|^[ \t]+)(torch(?:[-_]npu)?)(?:\[[^\]]*\])?[ ]?\(?([<>=!~][^'";#)\n]*)""", re.M
)
_POETRY = re.compile(
    r"""^(torch(?:-npu)?)\s*=\s*(?:\{[^}\n]*version\s*=\s*)?["']([^"'\n]+)""", re.M
)
_ONE = re.compile(r"\s*(?:===?|~=|=)\s*\d[\w.*+-]*(?:=\S*)?\s*")
"""A condition that names one release, or all patches of one."""
_IMAGE = re.compile(
    r"^[ \t]*FROM(?:[ \t]+--\S+)*[ \t]+(\S*/)?pytorch:(\d+\.\d+(?:\.\d+)?|\$\{?\w+\}?)-",
    re.M | re.I,
)
_DATED = "nvcr.io/"
"""The registry whose images are named by a date: ``pytorch:22.11-py3``."""
_ARGUMENT = re.compile(
    r"""^[ \t]*ARG[ \t]+(\w+)=["']?(\d+\.\d+(?:\.\d+)?)["']?[ \t]*$""", re.M | re.I
)


@dataclass(frozen=True)
class Target:
    """The release a project is migrated for, and the reason for the choice."""

    release: Release
    reason: str
    pinned: str = ""
    """The release of PyTorch that is required, empty where none is."""
    folders: Mapping[str, Target] = field(default_factory=dict)
    """Folder that holds a project of its own -> its release."""

    @property
    def described(self) -> str:
        """The release and the reason in words, and the folders that need another one."""
        others = [
            f"{folder}: {target.release.described}: {target.reason}"
            for folder, target in self.folders.items()
            if target.release != self.release
        ]
        return "; ".join([f"{self.release.described}: {self.reason}", *others])


@dataclass(frozen=True)
class _Pin:
    """A condition on torch or torch_npu, and its file."""

    path: str
    package: str
    specifier: str

    @property
    def text(self) -> str:
        return f"{self.package}{self.specifier.strip()}"


def is_project_file(path: str) -> bool:
    """Whether a file describes a Python package, with its requirements among other things."""
    return path.rpartition("/")[2] in _PROJECT_FILES


def choose(
    texts: Iterable[tuple[str, str, str]],
    named: str = "",
    where: str = "",
    sources: Iterable[str] = (),
) -> Target:
    """Choose the release that the user names, else one that fits the project's files.

    ``texts`` holds path, kind and text of each file; ``where`` says where the user named the
    release. Only files nearest to the project's root count, because deeper ones list what a tool
    or a demo requires. A pin of torch-npu has precedence over pins of torch, and of several pins
    the lowest counts. Without an upper bound on torch, it is the newest release. Where no file at
    the root says what is required, but several folders with ``sources`` do, each of these is a
    project of its own.
    """
    if named:
        where = where or "--torch-npu"
        release = torch_releases.named(named, where)
        return Target(release, f"{where} names it", release.torch)
    pins = list(_pins(texts))
    apart = _apart([pin for kind, pin in pins if kind in _LISTS], sources)
    own = {id(pin) for found in apart.values() for pin in found}
    shared = _of_pins([(kind, pin) for kind, pin in pins if id(pin) not in own])
    folders = {
        folder: _of_pins([("requirements", pin) for pin in found])
        for folder, found in apart.items()
    }
    reason = shared.reason if shared.pinned or not folders else _NONE_FOR_ALL
    return replace(shared, reason=reason, folders=folders)


def _of_pins(pins: list[tuple[str, _Pin]]) -> Target:
    """Choose the release that fits what one project requires."""
    for kinds in (_LISTS, _COMMANDS):
        here = _outermost([pin for kind, pin in pins if kind in kinds])
        for choose in (_of_npu, _of_torch):
            found = [choice for choice in map(choose, here) if choice is not None]
            if found:
                return min(found, key=_age)
    return Target(torch_releases.newest(), "nothing in the project requires an older PyTorch")


def _apart(pins: list[_Pin], sources: Iterable[str]) -> dict[str, list[_Pin]]:
    """The conditions of each folder that is a project of its own."""
    holding = {str(folder) for path in sources for folder in PurePosixPath(path).parents}
    found: dict[str, list[_Pin]] = defaultdict(list)
    for pin in pins:
        folder = str(PurePosixPath(pin.path).parent)
        if folder in holding:
            found[folder].append(pin)
    return dict(found) if "." not in found and len(found) > 1 else {}


def _age(choice: Target) -> tuple[object, object]:
    """A sort key by which the lowest of several pins comes first."""
    return versions.numbers(choice.pinned), versions.order(choice.release.version)


def _outermost(pins: list[_Pin]) -> list[_Pin]:
    """The conditions of the files nearest to the project's root."""
    depth = min((pin.path.count("/") for pin in pins), default=0)
    return [pin for pin in pins if pin.path.count("/") == depth]


def _of_npu(pin: _Pin) -> Target | None:
    """The release that a pin of torch-npu allows."""
    if pin.package != _NPU or not versions.is_bounded(pin.specifier):
        return None
    exact = re.fullmatch(r"\s*===?\s*([\w.+]+)\s*", pin.specifier)
    release = torch_releases.parse(exact[1]) if exact else torch_releases.meeting(pin.specifier)
    release = release or torch_releases.nearest(versions.edge(pin.specifier))
    reason = f"{pin.path} requires {pin.text}"
    if not versions.satisfies(pin.specifier, release.version):
        reason += f", and {release} is the nearest one"
    return Target(release, reason, release.torch)


def _of_torch(pin: _Pin) -> Target | None:
    """The release that a condition on torch allows; None where it allows all newer ones."""
    if pin.package == _NPU or not versions.is_bounded(pin.specifier):
        return None
    reason = f"{pin.path} requires {pin.text}"
    release = None if _ONE.fullmatch(pin.specifier) else torch_releases.allowed(pin.specifier)
    if release is not None:
        return Target(release, reason, release.torch)
    wanted = versions.edge(pin.specifier).partition("+")[0].replace(".*", "")
    release = torch_releases.nearest(wanted)
    if not versions.satisfies(pin.specifier, release.torch):
        reason += f", and torch {release.torch} is {choice(wanted, release)}"
    return Target(release, reason, wanted)


def choice(wanted: str, release: Release) -> str:
    """Why the PyTorch of a release was chosen instead of one that has no torch_npu."""
    older = versions.numbers(wanted) < versions.numbers(ADVISED)
    if older and versions.line(release.torch) == ADVISED:
        return "the oldest that we recommend for an NPU"
    if release is torch_releases.newest():
        return "the newest that torch_npu is built for"
    return "the nearest that torch_npu is built for"


def _pins(texts: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, _Pin]]:
    """Every condition on torch or torch_npu, with the kind of file."""
    for path, kind, text in texts:
        for item in _conditions(path, kind, text):
            name = item.name.lower().replace("_", "-")
            if name in _TORCH or name == _NPU:
                yield kind, _Pin(path, name, item.specifier)


def _conditions(path: str, kind: str, text: str) -> Iterator[Requirement]:
    if kind == "project":
        found = list(_STRING.finditer(text))
        if path.endswith(".toml"):
            found += _POETRY.finditer(text)
        for match in found:
            specifier = _plain(match[2])
            yield Requirement(match[1], match.start(1), specifier, match.start(2))
        return
    yield from _requirements.of_file(kind, text)
    if kind == "docker":
        yield from _images(text)


def _images(text: str) -> Iterator[Requirement]:
    """The PyTorch of a Dockerfile's base images, written out or as an ARG."""
    given = {match[1]: match[2] for match in _ARGUMENT.finditer(text)}
    for match in _IMAGE.finditer(text):
        version = given.get(match[2].strip("${}"), "") if match[2][0] == "$" else match[2]
        if version and not (match[1] or "").startswith(_DATED):
            yield Requirement("pytorch", match.start(), f"=={version}", match.start(2))


def _plain(specifier: str) -> str:
    """A condition of poetry in pip's syntax; of alternatives, the one for the newest release."""
    alternatives = [part.strip() for part in specifier.split("||")]
    newest = max(alternatives, key=lambda part: versions.numbers(part.lstrip("^~<>=! ")))
    return ",".join(_plain_part(part.strip()) for part in newest.split(","))


def _plain_part(part: str) -> str:
    """One condition: ``^2.1`` is ``>=2.1,<3``, ``~2.1.0`` is ``>=2.1.0,<2.2``, ``2.1`` a pin."""
    if part[:1].isdigit():
        return f"=={part}"
    first = versions.numbers(part[1:])
    if part.startswith("^") and first:
        raised = next((place for place, number in enumerate(first) if number), len(first) - 1)
    elif part.startswith("~") and first:
        raised = min(1, len(first) - 1)
    else:
        return part
    end = (*first[:raised], first[raised] + 1)
    return f">={part[1:].strip()},<{'.'.join(map(str, end))}"
