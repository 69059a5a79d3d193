"""The release of torch_npu a project is migrated for, and what that release has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ascendify.catalog import torch_releases, versions
from ascendify.catalog.torch_releases import Release
from ascendify.rules.kit import Facts, File
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement

ADVISED = "2.1"
"""The oldest release of PyTorch to move to from one that has no torch_npu."""
_TORCH, _NPU = ("torch", "pytorch"), "torch-npu"
_LISTS = ("requirements", "yaml", "project")
"""Kinds of files that say what a project needs."""
_COMMANDS = ("docker", "shell")
"""Kinds of files that install something, asked where none of the others tells."""
_PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
_STRING = re.compile(
    r"""(?:['"]|^[ \t]+)(torch(?:[-_]npu)?)(?:\[[^\]]*\])?[ ]?\(?([<>=!~][^'";#)\n]*)""", re.M
)
_POETRY = re.compile(
    r"""^(torch(?:-npu)?)\s*=\s*(?:\{[^}\n]*version\s*=\s*)?["']([^"'\n]+)""", re.M
)
_ONE = re.compile(r"\s*(?:===?|~=|=)\s*\d[\w.*+-]*(?:=\S*)?\s*")
"""A condition that names one release, or one line of them."""
_IMAGE = re.compile(
    r"^[ \t]*FROM(?:[ \t]+--\S+)*[ \t]+(\S*/)?pytorch:(\d+\.\d+(?:\.\d+)?|\$\{?\w+\}?)-",
    re.M | re.I,
)
_DATED = "nvcr.io/"
"""Its images are named by a date: ``pytorch:22.11-py3``."""
_ARGUMENT = re.compile(
    r"""^[ \t]*ARG[ \t]+(\w+)=["']?(\d+\.\d+(?:\.\d+)?)["']?[ \t]*$""", re.M | re.I
)


@dataclass(frozen=True)
class Target:
    """The release a project is migrated for, and why it is that one."""

    release: Release
    reason: str
    pinned: str = ""
    """The release of PyTorch that was asked for, empty where none was."""


@dataclass(frozen=True)
class _Pin:
    """A condition on torch or torch_npu, and the file it stands in."""

    path: str
    package: str
    specifier: str

    @property
    def text(self) -> str:
        return f"{self.package}{self.specifier.strip()}"


def of(facts: Facts) -> Release:
    """The release a project is migrated for."""
    found = torch_releases.parse(facts.torch_npu) if facts.torch_npu else None
    return found or (
        torch_releases.nearest(facts.torch) if facts.torch else torch_releases.newest()
    )


def has(file: File, torch: str) -> bool:
    """Whether the project runs with this release of PyTorch or a newer one."""
    return versions.numbers(of(file.facts).torch) >= versions.numbers(torch)


def behaves(file: File, behaviour: str) -> bool:
    """Whether the release the project is migrated for behaves so; see tools/catalog."""
    return of(file.facts).behaves(behaviour)


def is_project_file(path: str) -> bool:
    """Whether a file may list what a package needs besides much else."""
    return path.rpartition("/")[2] in _PROJECT_FILES


def target(texts: Iterable[tuple[str, str, str]], asked: str = "", said_in: str = "") -> Target:
    """The release to migrate for, from what was asked, else from files: path, kind and text.

    The files nearest to the top of the project count: deeper ones list what a tool or a demo needs.
    A pin of torch-npu counts before those of torch; of several pins the lowest counts. Where
    nothing leaves out newer releases it is the newest.
    """
    if asked:
        release = torch_releases.named(asked, said_in or "--torch-npu")
        return Target(release, f"{said_in or '--torch-npu'} names it", release.torch)
    pins = list(_pins(texts))
    for kinds in (_LISTS, _COMMANDS):
        here = _outermost([pin for kind, pin in pins if kind in kinds])
        for choose in (_of_npu, _of_torch):
            found = [choice for choice in map(choose, here) if choice is not None]
            if found:
                return min(found, key=_age)
    return Target(torch_releases.newest(), "nothing in the project asks for an older PyTorch")


def _age(choice: Target) -> tuple[object, object]:
    """What the lowest of several pins is found by."""
    return versions.numbers(choice.pinned), versions.order(choice.release.version)


def _outermost(pins: list[_Pin]) -> list[_Pin]:
    """The conditions of the files nearest to the top of the project."""
    depth = min((pin.path.count("/") for pin in pins), default=0)
    return [pin for pin in pins if pin.path.count("/") == depth]


def _of_npu(pin: _Pin) -> Target | None:
    """What a pin of torch-npu asks for: its conditions are on the release's own version."""
    if pin.package != _NPU or not versions.is_bounded(pin.specifier):
        return None
    exact = re.fullmatch(r"\s*===?\s*([\w.+]+)\s*", pin.specifier)
    release = torch_releases.parse(exact[1]) if exact else torch_releases.meeting(pin.specifier)
    release = release or torch_releases.nearest(versions.edge(pin.specifier))
    reason = f"{pin.path} asks for {pin.text}"
    if not versions.satisfies(pin.specifier, release.version):
        reason += f", and {release} is the nearest that there is"
    return Target(release, reason, release.torch)


def _of_torch(pin: _Pin) -> Target | None:
    """What a condition on torch asks for; one that leaves out no newer release asks for nothing."""
    if pin.package == _NPU or not versions.is_bounded(pin.specifier):
        return None
    reason = f"{pin.path} asks for {pin.text}"
    release = None if _ONE.fullmatch(pin.specifier) else torch_releases.allowed(pin.specifier)
    if release is not None:
        return Target(release, reason, release.torch)
    wanted = versions.edge(pin.specifier).partition("+")[0].replace(".*", "")
    release = torch_releases.nearest(wanted)
    if not versions.satisfies(pin.specifier, release.torch):
        reason += f", and torch {release.torch} is {choice(wanted, release)}"
    return Target(release, reason, wanted)


def choice(wanted: str, release: Release) -> str:
    """Why the PyTorch of a release was taken for one that has no torch_npu."""
    older = versions.numbers(wanted) < versions.numbers(ADVISED)
    if older and versions.line(release.torch) == ADVISED:
        return "the oldest that is advised for an NPU"
    if release is torch_releases.newest():
        return "the newest that torch_npu is made for"
    return "the nearest that torch_npu is made for"


def _pins(texts: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, _Pin]]:
    """Every condition on torch or torch_npu, with the kind of file."""
    for path, kind, text in texts:
        for item in _conditions(path, kind, text):
            name = item.name.lower().replace("_", "-")
            if item.specifier.strip() and (name in _TORCH or name == _NPU):
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
    """The PyTorch of images that a Dockerfile begins with, given itself or by an ARG."""
    given = {match[1]: match[2] for match in _ARGUMENT.finditer(text)}
    for match in _IMAGE.finditer(text):
        version = given.get(match[2].strip("${}"), "") if match[2][0] == "$" else match[2]
        if version and not (match[1] or "").startswith(_DATED):
            yield Requirement("pytorch", match.start(), f"=={version}", match.start(2))


def _plain(specifier: str) -> str:
    """A condition of poetry as pip writes it; of alternatives, the one for the newest counts."""
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
