"""Packages in requirement files that need CUDA: take them out, or report them."""

from __future__ import annotations

import ast
import re

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
from ascendify.source.nodes import string
from ascendify.source.scopes import parent

RULE = Rule(
    code="REQ-2",
    title="Drop packages that need CUDA",
    why="They cannot be installed, or find no device, on an NPU machine.",
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="nvidia-cublas-cu12==12.1.3.1\nonnxruntime-gpu==1.16.0\nhorovod==0.19.0",
    after="# nvidia-cublas-cu12==12.1.3.1\nonnxruntime-cann\nhorovod==0.19.0",
    safety="The packages that take the place of others have no functions for GPUs.",
)

_OF_TORCH = (
    "nvidia-cublas-cu11", "nvidia-cublas-cu12", "nvidia-cublas", "nvidia-cuda-runtime-cu11",
    "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime", "nvidia-cudnn-cu11", "nvidia-cudnn-cu12",
    "nvidia-cudnn-cu13",
)  # fmt: skip
"""Packages that pip lists where a CUDA build of torch brought them."""
_CHOICES = frozenset({"pytorch-cuda", "cudatoolkit"})
_CONDA_TORCH = frozenset({"pytorch", "torch"})
_RELEASE = f"{TENSORFLOW_RELEASE.rpartition('.')[0]}."


@RULE.text("requirements", "yaml", "docker", "shell", "config")
def report_packages(site: TextSite) -> Diagnoses:
    """Every such package, and a TensorFlow release that the NPU adapter does not support."""
    items = list(_requirements.of_file(site.kind, site.text, site.path))
    present = {_plain(item.name) for item in items}
    for item in items:
        place = site.at(item.start, item.end)
        package = cuda_packages.by_distribution(item.name, site.facts.platform)
        if package is not None:
            yield (
                _chosen_for_cpu(site, item, items)
                or _taken_out(site, item, package, present)
                or _needs_cuda(place, item, package, site.facts.platform)
            )
        elif site.kind != "shell" and item.name.lower() == "tensorflow":
            yield from _release(site, item)


@RULE.file
def report_setup(file: File) -> Diagnoses:
    """The same in the lists of setup.py."""
    if file.path.rpartition("/")[2] != "setup.py":
        return
    for node in file.module.index.of(ast.Constant):
        if not isinstance(parent(node), (ast.List, ast.Tuple)):
            continue
        item = _requirements.of_string(string(node) or "")
        package = item and cuda_packages.by_distribution(item.name, file.platform)
        if item is not None and package:
            yield _needs_cuda(file.at(node), item, package, file.platform)


def _needs_cuda(
    place: Location, item: Requirement, package: CudaPackage, framework: str
) -> Diagnosis:
    """Report a package; what the program does with it is the matter of other findings."""
    return RULE.manual(
        place,
        f"{item.text} {package.what}",
        todo=package.instead(framework),
        cause=f"{package.what} {package.instead(framework)}",
    )


def _chosen_for_cpu(
    site: TextSite, item: Requirement, items: list[Requirement]
) -> Diagnosis | None:
    """Make conda choose PyTorch's CPU build where the file names one with CUDA."""
    names = [_plain(other.name) for other in items]
    first = next((other for other in items if _plain(other.name) in _CHOICES), None)
    if (
        site.kind == "requirements"
        or first is None
        or item.start != first.start
        or "cpuonly" in names
        or not _CONDA_TORCH.intersection(names)
        or site.text[: item.start].endswith("::")
    ):
        return None
    return RULE.auto(
        site.at(item.start, item.end),
        f"{item.text} makes conda choose a build of PyTorch with CUDA",
        done="Wrote cpuonly.",
        fix=Changes([Edit(item.start, item.end, "cpuonly")]),
    )


def _taken_out(
    site: TextSite, item: Requirement, package: CudaPackage, present: set[str]
) -> Diagnosis | None:
    """Comment a requirement out, or replace it; None where a person decides."""
    wanted = package.requirement
    if package.came_with_torch and present.intersection(_OF_TORCH):
        wanted = ""
    if wanted is None or _requirements.has_hash(site.text, item):
        return None
    at = site.at(item.start, item.end)
    found = f"{item.text} {package.what}"
    if wanted and wanted not in present:
        end = item.start + len(item.name) if package.same_version else item.end
        return RULE.auto_check(
            at,
            found,
            done=f"Wrote {wanted}.",
            todo=package.instead(site.facts.platform),
            fix=Changes([Edit(item.start, end, wanted)]),
        )
    edit = _removal(site, item)
    if edit is None:
        return None
    place = "the command" if edit.new == "" else "the list, as a comment"
    return RULE.auto(at, found, done=f"Took it out of {place}.", fix=Changes([edit]))


def _removal(site: TextSite, item: Requirement) -> Edit | None:
    """Comment out a line with one package, or take a word out of a command with several."""
    start = site.text.rfind("\n", 0, item.start) + 1
    found = re.compile(r"\r?\n|\Z").search(site.text, item.end)
    line = site.text[start : len(site.text) if found is None else found.start()]
    before = site.text[start : item.start]
    if site.kind in ("requirements", "yaml") or (
        site.kind == "config" and re.fullmatch(r"""\s*["'][^"']*["'],?\s*(?:#.*)?""", line)
    ):
        if line.rstrip().endswith("\\"):
            return None  # the statement goes on in the next line
        indent = start + len(before) - len(before.lstrip())
        return Edit(indent, indent, "# ")
    if site.kind not in ("docker", "shell"):
        return None
    others = [
        other
        for other in _requirements.of_file(site.kind, site.text)
        if other.start != item.start and _requirements.same_command(site.text, item, other)
    ]
    space = len(site.text[: item.start]) - len(site.text[: item.start].rstrip(" \t"))
    ends = site.text[item.end : item.end + 1]
    if not others or not space or ends not in ("", " ", "\t", "\n", "\r"):
        return None
    return Edit(item.start - space, item.end, "")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


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
