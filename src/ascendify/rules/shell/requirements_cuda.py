"""Packages in requirement files that need CUDA: drop parts of CUDA itself, report others."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ascendify.catalog import advice, cuda_packages
from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE, TENSORFLOW_RELEASE, CudaPackage
from ascendify.rules.kit import (
    Changes,
    Diagnoses,
    Diagnosis,
    File,
    Location,
    Rule,
    Status,
    TextSite,
)
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement
from ascendify.source.edits import Edit
from ascendify.source.entries import read
from ascendify.source.nodes import string
from ascendify.source.scopes import parent

RULE = Rule(
    code="REQ-2",
    title="Drop packages that need CUDA",
    why="They cannot be installed, or find no device, on an NPU machine.",
    statuses=(Status.BLOCKER, Status.MANUAL, Status.AUTO),
    before="horovod==0.19.0\ncupy-cuda100",
)

_CANN = "CANN"
"""What takes the place of the parts of CUDA."""
_RELEASE = f"{TENSORFLOW_RELEASE.rpartition('.')[0]}."


@dataclass(frozen=True)
class Fix:
    """An edit that leaves a package out, and what it did."""

    done: str
    edit: Edit


_ROOM = re.compile(r"[ \t]*(?:-[ \t]+)?['\"]?(?:[\w-]+::)?")
"""What may stand before a package on its line."""
_PACKAGE_FILES = re.compile(r"(?:^|/)(?:pyproject[\w.-]*\.toml|Pipfile|pixi\.toml)$")
_TABLES = re.compile(r"(?:^|-)(?:dependencies|packages|requires|dependency-groups)$")
_CONDA_TORCH = frozenset({"pytorch", "torch"})


@RULE.text("requirements", "yaml", "docker", "shell")
def report_packages(site: TextSite) -> Diagnoses:
    """Every such package, and a TensorFlow release that the NPU adapter does not support."""
    items = list(_requirements.of_file(site.kind, site.text))
    parts = [item for item in items if _is_part_of_cuda(site, item)]
    for item in items:
        place = site.at(item.start, item.end)
        package = cuda_packages.by_distribution(item.name, site.facts.platform)
        if item in parts and (fix := _without(site, item, items, parts)) is not None:
            yield _dropped(place, item, fix)
        elif package is not None:
            yield _needs_cuda(place, item, package, site.facts.platform)
        elif item.name.lower() == "tensorflow":
            yield from _release(site, item)


@RULE.file
def report_setup(file: File) -> Diagnoses:
    """Report the same packages in the lists of setup.py."""
    if file.path.rpartition("/")[2] != "setup.py":
        return
    for node in file.module.index.of(ast.Constant):
        if not isinstance(parent(node), (ast.List, ast.Tuple)):
            continue
        item = _requirements.of_string(string(node) or "")
        package = item and cuda_packages.by_distribution(item.name, file.platform)
        if item is not None and package:
            yield _needs_cuda(file.at(node), item, package, file.platform)


@RULE.text("config")
def report_declared(site: TextSite) -> Diagnoses:
    """The same in the tables and lists of pyproject.toml and its like."""
    if not _PACKAGE_FILES.search(site.path):
        return
    seen: set[tuple[str, ...]] = set()
    for entry in read(site.path, site.text):
        names = [str(key) for key in entry.keys]
        number = next((at for at, name in enumerate(names) if _TABLES.search(name)), len(names))
        inner = names[number + 1 :]
        in_list = bool(entry.quote) and entry.is_item
        text = entry.value if in_list else "".join(inner[:1])
        item = _requirements.of_string(text)
        package = item and cuda_packages.by_distribution(item.name, site.facts.platform)
        path = (*names[: number + 1], text)
        if item is not None and inner and package and path not in seen:
            seen.add(path)
            start = entry.start if in_list else site.text.index(text, entry.top)
            place = site.at(start, start + len(text))
            yield _needs_cuda(place, item, package, site.facts.platform)


def _is_part_of_cuda(site: TextSite, item: Requirement) -> bool:
    package = cuda_packages.by_distribution(item.name, site.facts.platform)
    is_torch = site.facts.platform == "torch"
    return is_torch and package is not None and package.replacement == _CANN


def _without(
    site: TextSite, item: Requirement, items: list[Requirement], parts: list[Requirement]
) -> Fix | None:
    """Leave out a part of CUDA; None where something else depends on how it is written.

    conda chooses PyTorch's CPU build where cpuonly is installed in its place.
    """
    with_torch = any(other.name.lower() in _CONDA_TORCH for other in items)
    is_choice = item.name.lower() in ("pytorch-cuda", "cudatoolkit")
    if site.kind != "requirements" and with_torch and is_choice:
        if any(other.name.lower() == "cpuonly" for other in items):
            return None
        first = next(
            other for other in parts if other.name.lower() in ("pytorch-cuda", "cudatoolkit")
        )
        if item is first:
            channel = site.text[: item.start].endswith("::")
            return None if channel else Fix("Wrote cpuonly", Edit(item.start, item.end, "cpuonly"))
    if site.kind not in ("requirements", "yaml") or _requirements.has_hash(site.text, item):
        return None
    if len(items) == len(parts):
        return None
    start = site.text.rfind("\n", 0, item.start) + 1
    end = site.text.find("\n", item.end)
    end = len(site.text) if end < 0 else end
    rest = site.text[item.end : end]
    if not _ROOM.fullmatch(site.text[start : item.start]) or rest.rstrip().endswith("\\"):
        return None
    remark = re.search(r"(?:^|[ \t])(#)", rest)
    if remark is not None:  # a remark behind it stays
        return Fix("Removed it", Edit(start, item.end + remark.start(1), ""))
    return Fix("Removed it", Edit(start, min(len(site.text), end + 1), ""))


def _dropped(place: Location, item: Requirement, fix: Fix) -> Diagnosis:
    return RULE.auto(
        place,
        f"{item.text} is a part of CUDA, which the CPU build of PyTorch does without",
        done=f"{fix.done}.",
        fix=Changes([fix.edit]),
    )


def _needs_cuda(
    place: Location, item: Requirement, package: CudaPackage, framework: str
) -> Diagnosis:
    return RULE.finding(
        package.status,
        place,
        f"{item.text} {package.what}",
        todo=package.instead(framework),
        effort=package.effort,
    )


def _release(site: TextSite, item: Requirement) -> Diagnoses:
    """A TensorFlow that is not the adapter's; PyTorch projects have any for TensorBoard."""
    release = adapter = ""
    if "tensorflow" in site.facts.frameworks and _is_other_release(item.pinned):
        release, adapter = TENSORFLOW_RELEASE, advice.text("tensorflow-adapter")
    elif site.facts.framework == "tensorflow2" and _is_other_tf2(item):
        release, adapter = TENSORFLOW2_RELEASE, advice.text("tensorflow2-adapter")
    if release:
        yield RULE.manual(
            site.at(item.start, item.end),
            f"{item.text} is not a release the NPU's adapter is built for",
            todo=f"Use tensorflow=={release}. {adapter}",
        )


def _is_other_tf2(item: Requirement) -> bool:
    """Whether a requirement gets another TensorFlow 2 than 2.6: the newest, unless it is pinned."""
    if item.pinned is None:
        return not item.specifier.strip().startswith("<")
    return item.pinned.startswith("2") and not f"{item.pinned}.".startswith("2.6.")


def _is_other_release(pinned: str | None) -> bool:
    return pinned is not None and pinned.startswith("1.") and not f"{pinned}.".startswith(_RELEASE)
