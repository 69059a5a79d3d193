"""Add torch_npu to the requirements in pyproject.toml, setup.cfg and setup.py."""

from __future__ import annotations

import ast
import re

from ascendify.catalog import versions
from ascendify.rules.kit import (
    Changes,
    Diagnoses,
    Diagnosis,
    Facts,
    File,
    Location,
    Rule,
    Status,
    TextSite,
)
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement
from ascendify.rules.torch import _pairs
from ascendify.rules.torch._pairs import Refusal
from ascendify.source.edits import Edit
from ascendify.source.scopes import ancestors, parent

RULE = Rule(
    code="TORCH-REQ-2",
    title="Require torch_npu where a package requires torch",
    why=(
        "Installing the project installs torch, and without torch_npu of the same release there is "
        "no NPU device. torch_npu does not exist for every patch release of torch."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before='[project]\ndependencies = ["torch==2.1.2"]',
    after='[project]\ndependencies = ["torch==2.1.0", "torch-npu==2.1.0.post17"]',
    safety="The release of torch_npu must match the driver and CANN of the machine, and torch.",
    framework="torch",
)

_POETRY = re.compile(r"""^torch[ \t]*=[ \t]*(?:["']|\{[^}\n]*version)""", re.M)
_PYTHON = re.compile(r"""^requires-python[ \t]*=[ \t]*["']([^"'\n]+)["']""", re.M)
_LISTS = re.compile(r"requires|require|depend|install", re.I)
"""Names of arguments and variables of setup.py that list packages."""


@RULE.text("config")
def in_text(site: TextSite) -> Diagnoses:
    """Change ``dependencies`` of pyproject.toml and ``install_requires`` of setup.cfg."""
    name = site.path.rpartition("/")[2]
    if name == "pyproject.toml":
        yield from _quoted(site)
        for match in _POETRY.finditer(site.text):
            if "torch-npu" not in site.text and ".poetry." in _requirements.table_of(
                site.text, match.start()
            ):
                yield _poetry(site, match)
    elif name == "setup.cfg":
        yield from _listed(site)


@RULE.file
def in_setup(file: File) -> Diagnoses:
    """Change the strings in the lists of setup.py."""
    if file.path.rpartition("/")[2] != "setup.py":
        return
    found: list[tuple[ast.Constant, Requirement]] = []
    for node in file.module.index.of(ast.Constant):
        item = _requirements.of_string(node.value) if isinstance(node.value, str) else None
        if item is not None and file.text(node)[1:-1] == node.value and _is_listed(node):
            found.append((node, item))
    items = [item for _, item in found]
    for node, item in found:
        start = file.module.start(node)
        quote = file.text(node)[0]
        end = file.module.end(node)
        place = file.at(node)
        yield from _change(place, file.facts, item, items, start + 1, end, f", {quote}%s{quote}")


def _change(
    place: Location,
    facts: Facts,
    item: Requirement,
    items: list[Requirement],
    base: int,
    end: int,
    form: str,
) -> Diagnoses:
    """Change one requirement; torch_npu is added at ``end``, in the form of ``form``."""
    present = {each.name.lower().replace("_", "-"): each for each in items}
    main = present.get("torch")
    if main is None or _pairs.NPU in present:
        return
    if item is not main:
        release = _pairs.wanted(facts, main)
        new = "" if release is None else _pairs.follower(item, _pairs.numbered(main), release)
        if new:
            yield RULE.auto(
                place,
                f"{item.text} belongs to {main.text}",
                done=f"Wrote {item.name}=={new}, which belongs to the new torch.",
                fix=Changes(_pairs.repinned(item, new, base)),
            )
        return
    pair = _pairs.of(facts, item, present)
    if isinstance(pair, Refusal):
        yield RULE.manual(place, pair.found, todo=pair.todo, effort=pair.effort)
        return
    yield RULE.auto_check(
        place,
        f"{item.text} is required without torch_npu",
        done=pair.done,
        todo=pair.todo,
        fix=Changes([*pair.edits(item, base), Edit(end, end, form % pair.added)]),
    )


def _quoted(site: TextSite) -> Diagnoses:
    """Change the strings in the arrays of pyproject.toml that list packages."""
    found = list(_requirements.of_pyproject(site.text))
    items = [item for _, item in found]
    for match, item in found:
        place, form = site.at(match.start(), match.end()), f", {match[1]}%s{match[1]}"
        yield from _change(place, site.facts, item, items, match.start(2), match.end(), form)
    main = next((item for item in items if item.name.lower() == "torch"), None)
    release = None if main is None else _pairs.wanted(site.facts, main)
    python = _PYTHON.search(site.text)
    if release is None or python is None or not release.pythons:
        return
    if not any(versions.satisfies(python[1], each) for each in release.pythons):
        yield RULE.manual(
            site.at(python.start(), python.end()),
            f"{release} has no wheel for Python {python[1]}",
            todo=f"It has wheels for Python {' or '.join(release.pythons)}: allow one of them, or "
            "choose a release of PyTorch that torch_npu supports with this Python.",
        )


def _listed(site: TextSite) -> Diagnoses:
    """Change indented lines below a key of setup.cfg."""
    items = [
        item
        for item in _requirements.of_file("requirements", site.text)
        if site.text[item.start - 1 : item.start] in (" ", "\t")
    ]
    for item in items:
        line = site.text.rfind("\n", 0, item.start) + 1
        newline = "\r\n" if "\r\n" in site.text else "\n"
        form = f"{newline}{site.text[line : item.start]}%s"
        end = re.compile(r"\r?\n|\Z").search(site.text, item.end)
        at = len(site.text) if end is None else end.start()
        yield from _change(site.at(item.start, item.end), site.facts, item, items, 0, at, form)


def _poetry(site: TextSite, match: re.Match[str]) -> Diagnosis:
    return RULE.manual(
        site.at(match.start(), match.end()),
        "torch is required without torch_npu",
        todo="Require torch-npu too, and change torch to the release that it is built for: "
        f"{site.facts.target or 'ascendify check prints both'}.",
    )


def _is_listed(node: ast.Constant) -> bool:
    """Whether a string is in a list of packages of setup.py."""
    if not isinstance(parent(node), (ast.List, ast.Tuple)):
        return False
    for around in ancestors(node):
        if isinstance(around, ast.keyword):
            return bool(_LISTS.search(around.arg or ""))
        if isinstance(around, ast.Assign):
            return any(_LISTS.search(getattr(item, "id", "")) for item in around.targets)
    return False
