"""The release of torch_npu that a project is migrated for."""

from __future__ import annotations

from ascendify.catalog import torch_releases, versions
from ascendify.catalog.torch_releases import Release
from ascendify.rules.kit import Facts, File


def of(facts: Facts) -> Release:
    """The release that the user named, or the newest for the PyTorch of the project."""
    return torch_releases.chosen(facts.torch_npu, facts.torch)


def has_torch(file: File, torch: str) -> bool:
    """Whether the project runs with this release of PyTorch or a newer one."""
    return versions.numbers(of(file.facts).torch) >= versions.numbers(torch)


def behaves(file: File, behaviour: str) -> bool:
    """Whether the release has a behaviour that ``tools/catalog`` describes."""
    return of(file.facts).behaves(behaviour)


def runs_with_python(facts: Facts, python: str) -> bool:
    """Whether the release has wheels for this Python or a newer one, or none that are known."""
    found = of(facts).pythons
    oldest = versions.numbers(python)
    return not found or any(versions.numbers(item) >= oldest for item in found)
