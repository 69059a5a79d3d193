"""Choose torch and torch_npu for a requirement on torch, and what must change with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ascendify.catalog import torch_releases, versions
from ascendify.catalog.torch_releases import Release
from ascendify.rules import torch_target
from ascendify.rules.kit import Effort, Facts
from ascendify.rules.shell._requirements import Requirement
from ascendify.rules.torch import _release
from ascendify.source.edits import Edit

NPU = "torch-npu"
CUDA_BUILD = re.compile(r"\+cu\d+\w*")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
_FIRST_ON_INDEX = (2, 1)
_NUMPY_2 = (2, 3)
"""The first PyTorch that is built for NumPy 2."""
_BEFORE_NUMPY_2 = "1.26.4"
_FOLLOWS = {"torchvision": (0, 15), "torchaudio": (2, 0)}
"""Packages with a release for each torch: their first number, and the offset of the second."""


@dataclass(frozen=True)
class Pair:
    """The requirements to write for a required torch."""

    release: Release
    added: str
    """The requirement of torch_npu."""
    moved: bool
    """Whether torch must change, because the required release has no torch_npu."""
    has_build: bool
    """Whether the required torch is a CUDA build."""
    todo: str

    @property
    def done(self) -> str:
        """What the edits did, in words."""
        if self.moved:
            return f"Added {self.added}. Wrote torch=={self.release.torch}, which it is built for."
        return f"Added {self.added}." + (
            " Removed the name of the CUDA build." if self.has_build else ""
        )

    def edits(self, item: Requirement, base: int = 0) -> list[Edit]:
        """Edits of the condition on torch; offsets of the item count from ``base``."""
        return repinned(item, self.release.torch, base) if self.moved else plain(item, base)


@dataclass(frozen=True)
class Refusal:
    """Why no requirement can be written for a required torch, and what to do."""

    found: str
    todo: str
    effort: Effort = Effort.MINUTES


def of(facts: Facts, item: Requirement, present: Mapping[str, Requirement]) -> Pair | Refusal:
    """The requirements for a required torch, in a file that requires these packages."""
    release = wanted(facts, item)
    if release is None:
        return _without(item)
    if not is_on_index(release):
        return _not_on_index(item, release)
    fixed = facts.torch_npu_requested or versions.is_bounded(item.specifier)
    moved = fixed and not versions.satisfies(item.specifier, release.torch)
    other = _other_line(item, release) if moved and facts.torch_npu_requested else ""
    return Pair(
        release,
        f"{NPU}=={release.version}" if fixed else NPU,
        moved,
        CUDA_BUILD.search(item.specifier) is not None,
        f"{other} {remarks(release, present)}".strip(),
    )


def _other_line(item: Requirement, release: Release) -> str:
    """A remark where the user names a release for another PyTorch than the project's."""
    pinned, given = versions.line(versions.edge(item.specifier)), versions.line(release.torch)
    if pinned == given:
        return ""
    age = "older" if versions.numbers(given) < versions.numbers(pinned) else "newer"
    return (
        f"The project requires {item.text}, and torch {release.torch} of the chosen torch_npu is "
        f"{age}: check that the project runs with it, or choose a torch_npu for the required "
        "PyTorch with --torch-npu."
    )


def wanted(facts: Facts, item: Requirement) -> Release | None:
    """The release for a requirement on torch; None where there is no torch_npu for it.

    It is the release the project is migrated for, unless the file pins another PyTorch than the
    rest of the project.
    """
    target = _release.of(facts)
    if facts.torch_npu_requested or not item.specifier.strip():
        return target
    if versions.satisfies(item.specifier, target.torch):
        return target
    pinned = numbered(item)
    return torch_releases.for_torch(pinned) if pinned else torch_releases.allowed(item.specifier)


def is_on_index(release: Release) -> bool:
    """Whether the package index has a release; the oldest it has is for PyTorch 2.1."""
    return versions.numbers(release.torch) >= _FIRST_ON_INDEX


def numbered(item: Requirement) -> str:
    """The pinned release without its build; empty where several are allowed."""
    found = re.match(r"\d+(?:\.\d+)*", item.pinned or "")
    return found[0] if found else ""


def follower(item: Requirement, torch: str, release: Release) -> str:
    """The release of torchvision or torchaudio for another torch; empty where nothing changes.

    ``torch`` is what the file pins now; a package that does not belong to it is not changed.
    """
    first, added = _FOLLOWS.get(item.name.lower(), (0, 0))
    if not first + added or versions.numbers(torch) < _FIRST_ON_INDEX:
        return ""

    def belonging(numbers: tuple[int, ...]) -> tuple[int, ...]:
        major, minor, patch = (*numbers, 0, 0)[:3]
        return (first, minor + added, patch) if major else ()

    current = (*versions.numbers(numbered(item)), 0, 0)[:3]
    new = belonging(versions.numbers(release.torch))
    if current != belonging(versions.numbers(torch)) or current == new:
        return ""
    return ".".join(map(str, new))


def remarks(release: Release, present: Mapping[str, Requirement]) -> str:
    """What to check and what else to install for a release, in a file with these packages."""
    return " ".join(_remarks(release, present))


def _remarks(release: Release, present: Mapping[str, Requirement]) -> list[str]:
    found = [
        f"{release} belongs to the vendor's stack {release.stack}, which is built for CANN "
        f"{release.cann}: check that the machine has it, or choose a release with --torch-npu."
        if release.cann
        else "Check that this release of torch_npu matches the machine's driver and CANN."
    ]
    if release.behaves("requires_cpu_build"):
        found.append(
            f"On x86_64 it requires torch=={release.torch}+cpu, which PyTorch's own index has: "
            f"install with --extra-index-url {CPU_INDEX}."
        )
    else:
        found.append(
            "pip accepts a CUDA build of torch with it, which does not work: on x86_64 install the "
            f"CPU build, with --extra-index-url {CPU_INDEX}."
        )
    if release.pythons:
        found.append(f"It has wheels for Python {_span(release.pythons)}.")
    lacking = [name for name in ("numpy", "pyyaml") if name not in present]
    if lacking and not release.behaves("requires_numpy"):
        found.append(
            f"It needs {' and '.join(lacking)}, which pip does not install: require it too."
        )
    numpy = present.get("numpy")
    if (
        numpy is not None
        and versions.numbers(release.torch) < _NUMPY_2
        and not versions.is_bounded(numpy.specifier)
        and versions.satisfies(numpy.specifier, _BEFORE_NUMPY_2)
    ):
        found.append(f"torch {release.torch} is built for NumPy 1: write numpy<2.")
    return found


def _span(pythons: tuple[str, ...]) -> str:
    return pythons[0] if len(pythons) == 1 else f"{pythons[0]} to {pythons[-1]}"


def plain(item: Requirement, base: int = 0) -> list[Edit]:
    """Edits that remove the name of a CUDA build from a version."""
    start = base + item.specifier_start
    return [
        Edit(start + match.start(), start + match.end(), "")
        for match in CUDA_BUILD.finditer(item.specifier)
    ]


def repinned(item: Requirement, version: str, base: int = 0) -> list[Edit]:
    """Edits that replace a condition by a pin of one version."""
    text = item.specifier
    start = base + item.specifier_start + len(text) - len(text.lstrip())
    return [Edit(start, base + item.specifier_start + len(text.rstrip()), f"=={version}")]


def _without(item: Requirement) -> Refusal:
    pinned = numbered(item)
    newest = torch_releases.newest()
    if pinned and versions.numbers(pinned) > versions.numbers(newest.torch):
        found = f"{item.text} is newer than every release of torch_npu"
        near = newest
    else:
        found = f"{item.text} is a release without a torch_npu"
        near = torch_releases.nearest(pinned or torch_target.ADVISED)
    return Refusal(
        found,
        "Choose a release of torch that the project runs with and that has a torch_npu: "
        f"torch=={near.torch} with {NPU}=={near.version} is "
        f"{torch_target.choice(pinned or torch_target.ADVISED, near)}. {remarks(near, {})}",
        Effort.HOURS,
    )


def _not_on_index(item: Requirement, release: Release) -> Refusal:
    near = torch_releases.nearest(torch_target.ADVISED)
    return Refusal(
        f"{item.text} has a torch_npu that is not on the package index",
        f"Use torch=={near.torch} with {NPU}=={near.version}, the oldest pair on the index, if the "
        f"project runs with it. Otherwise install torch {release.torch} and the wheel of {release} "
        f"(stack {release.stack}, CANN {release.cann}) from the vendor.",
    )
