"""Packages in requirement files that need CUDA or NVIDIA's driver: report them."""

from __future__ import annotations

import ast

from ascendify.catalog import advice, cuda_packages
from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE, TENSORFLOW_RELEASE, CudaPackage
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Location, Rule, Status, TextSite
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement
from ascendify.source.nodes import string
from ascendify.source.scopes import parent

RULE = Rule(
    code="REQ-2",
    title="Drop packages that need CUDA",
    why="They cannot be installed, or find no device, on an NPU machine.",
    statuses=(Status.BLOCKER, Status.MANUAL),
    before="horovod==0.19.0\ncupy-cuda100",
)

_RELEASE = f"{TENSORFLOW_RELEASE.rpartition('.')[0]}."


@RULE.text("requirements", "yaml", "docker")
def report_packages(site: TextSite) -> Diagnoses:
    """Every such package, and a TensorFlow release that the NPU adapter does not support."""
    for item in _requirements.of_file(site.kind, site.text):
        place = site.at(item.start, item.end)
        package = cuda_packages.by_distribution(item.name, site.facts.platform)
        if package is not None:
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
