"""Packages in requirement files that need CUDA or NVIDIA's driver."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status, TextSite
from ascendify.rules.shell import _packages, _requirements

RULE = Rule(
    code="REQ-2",
    title="Drop packages that need CUDA",
    why="They cannot be installed, or find no device, on an NPU machine.",
    statuses=(Status.BLOCKER, Status.MANUAL),
    before="horovod==0.19.0\ncupy-cuda100",
)

_RELEASE = f"{_packages.TENSORFLOW.rpartition('.')[0]}."


@RULE.text("requirements", "yaml", "docker")
def tell_packages(site: TextSite) -> Diagnoses:
    """Every such package, and a TensorFlow the adapter is not built for."""
    for item in _requirements.of_file(site.kind, site.text):
        verdict = _packages.verdict(item.name, site.facts.framework)
        if verdict is not None:
            yield RULE.finding(
                verdict.status,
                site.at(item.start, item.end),
                f"{item.text} {verdict.found}",
                todo=verdict.todo,
                effort=verdict.effort,
            )
        elif (
            # a PyTorch project has it for TensorBoard
            "tensorflow" in site.facts.frameworks
            and item.name.lower() == "tensorflow"
            and _is_other_release(item.pinned)
        ):
            yield RULE.manual(
                site.at(item.start, item.end),
                f"{item.text} is not a release the NPU's adapter is built for",
                todo=f"Use tensorflow=={_packages.TENSORFLOW}. {_packages.PLUGIN}",
            )


@RULE.file
def tell_setup(file: File) -> Diagnoses:
    """The same in the lists of setup.py."""
    if file.path.rpartition("/")[2] != "setup.py":
        return
    for node in file.module.index.of(ast.Constant):
        if not isinstance(node.value, str):
            continue
        if not isinstance(getattr(node, "parent", None), (ast.List, ast.Tuple)):
            continue
        item = _requirements.of_string(node.value)
        verdict = None if item is None else _packages.verdict(item.name, file.framework)
        if item is not None and verdict is not None:
            yield RULE.finding(
                verdict.status,
                file.at(node),
                f"{item.text} {verdict.found}",
                todo=verdict.todo,
                effort=verdict.effort,
            )


def _is_other_release(pinned: str | None) -> bool:
    return pinned is not None and pinned.startswith("1.") and not f"{pinned}.".startswith(_RELEASE)
