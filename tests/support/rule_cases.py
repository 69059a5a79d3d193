"""Runs one rule over a small text or project and proves what every fix must keep.

A case file ``tests/cases/<CODE>/<name>.py`` holds cases in this form::

    #### what this row shows
    <source before>
    #### after
    <source after>
    #### findings
    <line> <status>

Without ``after`` the source must stay as it is; without ``findings`` an ``after`` needs at least
one finding and a no-op needs none. ``#### with distributed=horovod npu.precision_mode=...`` sets
facts for the case. ``#### file helper.py`` adds another file of the project.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.findings import Finding
from ascendify.migrate import discovery
from ascendify.migrate.analyse import Analyser
from ascendify.rules.registry import Dispatch, chosen
from ascendify.rules.site import Facts, TextSite
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText
from support.rewriting import Rewritten, rewrite_python, rewrite_text

CASES = Path(__file__).parent.parent / "cases"
_TEXT_KINDS = {
    ".sh": "shell",
    ".txt": "requirements",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".dockerfile": "docker",
    ".cfg": "config",
    ".toml": "config",
    ".gin": "config",
    ".mk": "make",
}
_NAMED = ("pyproject.toml", "setup.cfg", "setup.py")
"""Case files whose cases stand in a file of that name."""


_FAMILIES = {"TORCH": "torch", "TF2": "tensorflow2"}
"""What projects train with whose files the rules of a family are for."""


@dataclass(eq=False)
class Case:
    """One row of a table."""

    code: str
    title: str
    before: str
    after: str | None = None
    findings: list[str] | None = None
    facts: Facts = field(default_factory=Facts)
    files: dict[str, str] = field(default_factory=dict)
    suffix: str = ".py"
    name: str = ""
    """The name of the file, for rules that look at files of one name only."""

    @property
    def path(self) -> str:
        return self.name or f"main{self.suffix}"


@functools.cache
def load(path: Path) -> list[Case]:
    """The cases of one file."""
    cases: list[Case] = []
    parts = re.split(r"^#### (.*)\n", path.read_text(encoding="utf-8"), flags=re.M)[1:]
    for header, body in zip(parts[::2], parts[1::2]):
        word, _, rest = header.strip().partition(" ")
        if word == "after" and not rest:
            cases[-1].after = body
        elif word == "findings" and not rest:
            cases[-1].findings = [line.strip() for line in body.splitlines() if line.strip()]
        elif word == "with" and rest.startswith("name="):
            cases[-1].name = rest.partition("=")[2]
        elif word == "with":
            cases[-1].facts = _facts(cases[-1].facts, rest)
        elif word == "file":
            cases[-1].files[rest] = body
        else:
            code = path.parent.name
            case = Case(code, header.strip(), body, facts=_usual(code), suffix=path.suffix)
            case.name = path.name if path.name in _NAMED else ""
            cases.append(case)
    return cases


def _usual(code: str) -> Facts:
    """The file is run as a script, in a project of the rule's framework."""
    framework = _FAMILIES.get(code.partition("-")[0], "tensorflow")
    return Facts(
        entry_points=frozenset({"main.py"}),
        frameworks=frozenset({framework}),
        framework=framework,
    )


_SWITCHES = (
    "add_distribution",
    "dynamic_rnn",
    "fix_drift",
    "switches",
    "torch_npu_requested",
    "tune",
)


def _facts(facts: Facts, settings: str) -> Facts:
    options = dict(facts.npu_options)
    for word in settings.split():
        key, _, value = word.partition("=")
        if key.startswith("npu."):
            options[key[4:]] = value
        elif key in ("entry", "defined", "frameworks", "transfer"):
            field_name = "entry_points" if key == "entry" else key
            listed: dict[str, Any] = {field_name: frozenset(v for v in value.split(",") if v)}
            facts = replace(facts, **listed)
        else:
            is_switch = key in _SWITCHES
            changed: dict[str, Any] = {key: value == "yes" if is_switch else value}
            facts = replace(facts, **changed)
    return replace(facts, npu_options=options)


def run(case: Case, text: str | None = None, source: SourceText | None = None) -> Rewritten:
    """Run the case's rule over a text (the case's own by default)."""
    text = case.before if text is None else text
    dispatch = Dispatch(chosen((case.code,)))
    files = {**case.files, case.path: text}
    project = Project(Path(), [name for name in files if name.endswith(".py")], files)
    facts = case.facts
    if facts.framework == "tensorflow2" and not facts.releases:
        facts = replace(facts, releases=dict.fromkeys(files, "tf2"))
    analyser = Analyser(Resolver(project, CatalogKnowledge(facts.releases)), dispatch, facts)
    if case.suffix != ".py":
        named = case.name and case.name not in _NAMED
        kind = discovery.kind_of(case.name, Path()) if named else _TEXT_KINDS[case.suffix]
        return rewrite_text(analyser, TextSite(case.path, kind, text, facts))
    module = Module.parse_text(case.path, source or SourceText(text))
    project.put(module)
    return rewrite_python(analyser, module)


@functools.cache
def outcome_of(case: Case) -> Rewritten:
    """What the case's rule makes of its text; one run serves all that look at it."""
    return run(case)


def comments(text: str) -> Counter[str]:
    """Every comment of a Python text."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return Counter(t.string.strip() for t in tokens if t.type == tokenize.COMMENT)


def added_imports(before: str, after: str) -> list[str]:
    """Names that the migrated text imports and the original did not."""
    return sorted(_imported(after) - _imported(before))


def _imported(text: str) -> set[str]:
    return {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if "noqa" not in text.splitlines()[node.lineno - 1]
    }


def used_names(text: str) -> set[str]:
    """Every name a Python text reads."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def brief(findings: list[Finding]) -> list[str]:
    """Findings as the tables write them."""
    rows = sorted(findings, key=lambda item: (item.span, item.status.rank))
    return [
        f"{item.span.line} {'possible' if item.possible else item.status.value}" for item in rows
    ]
