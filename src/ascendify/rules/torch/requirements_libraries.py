"""Libraries in requirement files that know NPUs from some version on, or with another package."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import libraries, versions
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Location, Rule, Status, TextSite
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement
from ascendify.source.nodes import string
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-REQ-3",
    title="Require releases of libraries that know NPUs",
    why=(
        "Older releases of a library look for GPUs only, and train on the CPU without a word. "
        "Other libraries need a package of their own beside them on NPUs."
    ),
    statuses=(Status.MANUAL,),
    before="transformers==4.28.1\nvllm==0.6.3",
    framework="torch",
)

_CONDITION = re.compile(r"(?<![<>!=~])(===?|~=|<=|<|=|\^|)\s*(?<![\w.])(\d[\w.*]*)")

_PARTS = 2
"""Dots of a version after which ``~=`` allows no newer second number."""


@RULE.text("requirements", "yaml", "docker", "shell", "config")
def in_text(site: TextSite) -> Diagnoses:
    """Packages of requirement files, of conda, of pip commands and of pyproject.toml."""
    items = list(_requirements.of_file(site.kind, site.text, site.path))
    present = {item.name.lower().replace("_", "-") for item in items}
    for item in items:
        yield from _judged(site.at(item.start, item.end), item, present)


@RULE.file
def in_setup(file: File) -> Diagnoses:
    """Packages of the lists in setup.py."""
    if file.path.rpartition("/")[2] != "setup.py":
        return
    for node in file.module.index.of(ast.Constant):
        item = _requirements.of_string(string(node) or "")
        if item is not None and isinstance(parent(node), (ast.List, ast.Tuple)):
            yield from _judged(file.at(node), item, set())


def _judged(place: Location, item: Requirement, present: set[str]) -> Diagnoses:
    library = libraries.by_distribution(item.name)
    if library is None or library.needs_cuda:
        return
    if library.verified and library.since and _excludes(item.specifier, library.since):
        yield _manual(
            place,
            f"{item.text} does not know NPUs",
            f"Require {item.name}>={library.since}, the first release that does, and check that "
            "the project runs with it.",
            item.name,
        )
    elif library.status is not None and library.status is not Status.INFO:
        beside = library.replacement.partition(" ")[0]
        if not beside or beside.lower() not in present:
            found = f"{item.text} {library.what}"
            yield _manual(place, found, f"{library.todo} {library.setup}".strip(), item.name)


def _manual(place: Location, found: str, todo: str, name: str) -> Diagnosis:
    return RULE.manual(place, found, todo=todo, cause=name.lower())


def _excludes(specifier: str, since: str) -> bool:
    """Whether conditions exclude a version and all newer ones.

    >>> [_excludes(text, "4.32") for text in ("==4.28.1", ">=4.20,<4.32", "~=4.28")]
    [True, True, False]
    """
    wanted = versions.numbers(since)
    for sign, version in _CONDITION.findall(specifier):
        # these allow newer releases of the same first number
        if (sign == "~=" and version.count(".") < _PARTS) or (sign == "^" and version[0] != "0"):
            continue
        bound = versions.numbers(version)
        if bound < wanted or (bound == wanted and sign == "<"):
            return True
    return False
