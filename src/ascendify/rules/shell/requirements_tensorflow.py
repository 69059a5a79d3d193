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
        f"{TENSORFLOW_RELEASE}."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="tensorflow-gpu==1.15.0",
    after="tensorflow==1.15.0",
    safety="A release other than 1.15 becomes 1.15.0, the one the adapter is built for.",
)

_NAME = "tensorflow"
_GPU_BUILD = re.compile(r"tensorflow[-_]gpu", re.I)
_ADAPTER = advice.text("tensorflow-adapter")


@RULE.text("requirements", "yaml", "docker", "shell")
def replace_package(site: TextSite) -> Diagnoses:
    """``tensorflow-gpu`` wherever packages are listed or installed."""
    if not _GPU_BUILD.search(site.text):
        return
    for item in _requirements.of_file(site.kind, site.text):
        if not _GPU_BUILD.fullmatch(item.name):
            continue
        if _requirements.has_hash(site.text, item):
            yield RULE.manual(
                site.at(item.start, item.end),
                f"{item.text} is the GPU build, pinned by hashes",
                todo=(
                    f"Replace it by tensorflow=={TENSORFLOW_RELEASE} with the hashes of that "
                    f"file. {_ADAPTER}"
                ),
            )
            continue
        status, edits, done, todo = _replaced(
            item, 0, "=" if _is_conda(item) else "==", site.facts.framework
        )
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
        status, edits, done, todo = _replaced(item, start + 1, "==", file.framework)
        fix = file.fix()
        fix.edits.extend(edits)
        found = f"{item.text} is the GPU build"
        yield RULE.finding(status, file.at(node), found, done=done, todo=todo, fix=fix)


def _is_conda(item: Requirement) -> bool:
    return item.specifier.strip().startswith("=") and not item.specifier.strip().startswith("==")


def _replaced(
    item: Requirement, base: int, equals: str, framework: str
) -> tuple[Status, list[Edit], str, str]:
    """Status, edits, what is done and what is left to do for one package."""
    start = base + item.start
    name = Edit(start, start + len(item.name), _NAME)
    pinned = item.pinned
    replaced = f"Replaced {item.name} by {_NAME}."
    if pinned is None and framework == "tensorflow2":
        todo = f"Pin it: tensorflow=={TENSORFLOW2_RELEASE}, which npu_device is built for."
        return Status.AUTO_CHECK, [name], replaced, todo
    if pinned is None:
        todo = f"Pin it: tensorflow=={TENSORFLOW_RELEASE}. {_ADAPTER}"
        return Status.AUTO_CHECK, [name], replaced, todo
    if pinned.startswith("2"):
        todo = f"The TF 2 adapter is built for TensorFlow {TENSORFLOW2_RELEASE}: use that release."
        return Status.AUTO_CHECK, [name], replaced, todo
    if pinned.startswith("1.15"):
        return Status.AUTO, [name], f"{replaced} {_ADAPTER}", ""
    specifier = Edit(base + item.specifier_start, base + item.end, equals + TENSORFLOW_RELEASE)
    return (
        Status.AUTO_CHECK,
        [name, specifier],
        f"Replaced {item.text} by {_NAME}{equals}{TENSORFLOW_RELEASE}.",
        f"Try the program with TensorFlow {TENSORFLOW_RELEASE}. {_ADAPTER}",
    )
