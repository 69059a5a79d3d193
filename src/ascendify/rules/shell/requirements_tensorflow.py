"""The GPU build of TensorFlow in requirement files, pip commands and setup.py: replace it."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import advice
from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE, TENSORFLOW_RELEASE
from ascendify.rules.kit import Changes, Diagnoses, File, Rule, Status, TextSite
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement
from ascendify.source.edits import Edit
from ascendify.source.nodes import string

RULE = Rule(
    code="REQ-1",
    title="Install TensorFlow instead of its GPU build",
    why=(
        "tensorflow-gpu needs CUDA. The NPU's adapter plugs into the plain build of TensorFlow "
        f"{TENSORFLOW_RELEASE} or {TENSORFLOW2_RELEASE}."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="tensorflow-gpu==1.15.0",
    after="tensorflow==1.15.0",
    safety=(
        "A release other than 1.15 becomes 1.15.0, and one of TensorFlow 2 other than 2.6 becomes "
        f"{TENSORFLOW2_RELEASE}: the adapters are built for these."
    ),
)

_NAME = "tensorflow"
_GPU_BUILD = re.compile(r"tensorflow[-_]gpu", re.I)
_RELEASES = {
    False: ("1.15", TENSORFLOW_RELEASE, advice.text("tensorflow-adapter")),
    True: ("2.6", TENSORFLOW2_RELEASE, advice.text("tensorflow2-adapter")),
}
"""For TensorFlow 1, and for 2: what a release that may stay begins with, the one to take, how."""


@RULE.text("requirements", "yaml", "docker", "shell")
def replace_package(site: TextSite) -> Diagnoses:
    """``tensorflow-gpu`` wherever packages are listed or installed."""
    if not _GPU_BUILD.search(site.text):
        return
    for item in _requirements.of_file(site.kind, site.text):
        if not _GPU_BUILD.fullmatch(item.name):
            continue
        in_tf2 = site.facts.framework == "tensorflow2"
        if _requirements.has_hash(site.text, item):
            _, release, adapter = _RELEASES[_is_tf2(item, in_tf2)]
            yield RULE.manual(
                site.at(item.start, item.end),
                f"{item.text} is the GPU build, pinned by hashes",
                todo=(
                    f"Replace it by tensorflow=={release} with the hashes of that file. {adapter}"
                ),
            )
            continue
        status, edits, done, todo = _replaced(item, 0, _equals(item), in_tf2)
        yield RULE.finding(
            status,
            site.at(item.start, item.end),
            f"{item.text} is the GPU build",
            done=done,
            todo=todo,
            fix=Changes(edits),
        )


@RULE.file
def replace_in_setup(file: File) -> Diagnoses:
    """``install_requires`` and ``extras_require`` of setup.py."""
    if file.path.rpartition("/")[2] != "setup.py":
        return
    for node in file.module.index.of(ast.Constant):
        item = _requirements.of_string(string(node) or "")
        if item is None or not _GPU_BUILD.fullmatch(item.name):
            continue
        start = file.module.start(node)
        written = file.text(node)
        if written[1:-1] != node.value or (not item.specifier and item.text != node.value):
            continue
        status, edits, done, todo = _replaced(
            item, start + 1, "==", file.framework == "tensorflow2"
        )
        fix = file.fix()
        fix.edits.extend(edits)
        found = f"{item.text} is the GPU build"
        yield RULE.finding(status, file.at(node), found, done=done, todo=todo, fix=fix)


def _equals(item: Requirement) -> str:
    """The sign that pins a release: ``==``, for conda ``=``."""
    specifier = item.specifier.strip()
    return "=" if specifier.startswith("=") and not specifier.startswith("==") else "=="


def _is_tf2(item: Requirement, in_tf2: bool) -> bool:
    """Whether a requirement is for TensorFlow 2; if it does not say, the project decides."""
    return in_tf2 if item.pinned is None else item.pinned.startswith("2")


def _replaced(
    item: Requirement, base: int, equals: str, in_tf2: bool
) -> tuple[Status, list[Edit], str, str]:
    """Status, edits, what was done and what is left to do, for one package."""
    start = base + item.start
    name = Edit(start, start + len(item.name), _NAME)
    pinned = item.pinned
    kept, release, adapter = _RELEASES[_is_tf2(item, in_tf2)]
    replaced = f"Replaced {item.name} by {_NAME}."
    if pinned is None:
        return Status.AUTO_CHECK, [name], replaced, f"Pin it: tensorflow=={release}. {adapter}"
    if f"{pinned}.".startswith(f"{kept}."):
        return Status.AUTO, [name], f"{replaced} {adapter}", ""
    specifier = Edit(base + item.specifier_start, base + item.end, equals + release)
    return (
        Status.AUTO_CHECK,
        [name, specifier],
        f"Replaced {item.text} by {_NAME}{equals}{release}.",
        f"Try the program with TensorFlow {release}. {adapter}",
    )
