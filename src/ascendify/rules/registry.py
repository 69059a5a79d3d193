"""All rules, found by walking the families, and the table that leads from a name to them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ascendify.findings import RuleInfo
from ascendify.rules.rule import Diagnosis, Handler, Rule, Where
from ascendify.rules.site import Facts, File

FAMILIES = ("tf1", "keras", "horovod", "tf2", "torch", "shell")
FRAMEWORKS = {
    "tensorflow": ("tf1", "keras", "horovod", "shell"),
    "tensorflow2": ("tf2", "shell"),
    "torch": ("torch", "shell"),
}
"""The families for projects of each framework."""
_SCANNED = {
    "tensorflow": ("tf", "keras", "horovod"),
    "tensorflow2": ("tf2", "tf", "keras", "horovod"),
    "torch": ("torch", "torch_npu"),
}
"""Packages whose every use is counted for the report, whatever rules are chosen."""
Check = Callable[[Diagnosis, File, Any], Diagnosis]
"""A diagnosis, its file and the site that the rule fired on give the diagnosis to report."""
_NAMED = frozenset({"call", "reference", "store"})
"""Events whose patterns are dotted names."""


@dataclass(frozen=True)
class RegisteredRule:
    """A rule and the family it belongs to."""

    rule: Rule
    family: str

    @property
    def info(self) -> RuleInfo:
        """The part of the rule that reports show."""
        return self.rule.summary(self.family)


@cache
def entries(frameworks: frozenset[str] = frozenset(FRAMEWORKS)) -> dict[str, RegisteredRule]:
    """Every rule by code, or those a project with just these frameworks can need.

    Only the requested families are imported, which is most of what a small run costs.
    """
    found: dict[str, RegisteredRule] = {}
    used = {family for name in frameworks for family in FRAMEWORKS[name]}
    for family in FAMILIES:
        for code, entry in _family(family).items() if family in used else ():
            if code in found:
                raise ValueError(f"two rules have the code {code}")
            found[code] = entry
    return found


@cache
def _family(family: str) -> dict[str, RegisteredRule]:
    """The rules of one family, by their numbers."""
    package = importlib.import_module(f"ascendify.rules.{family}")
    rules = [
        importlib.import_module(f"{package.__name__}.{item.name}").RULE
        for item in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name)
        if not item.name.startswith("_")
    ]
    rules.sort(key=lambda rule: _order(rule.code))
    return {rule.code: RegisteredRule(rule, family) for rule in rules}


def _order(code: str) -> list[tuple[bool, int, str]]:
    """Codes by their numbers: 2 before 10."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in code.split("-")]


@cache
def checks(framework: str) -> tuple[Check, ...]:
    """Functions that every finding about a Python file of a framework passes through.

    A family adds such a function as ``check`` of its package; it may return a different finding.
    """
    packages = (
        importlib.import_module(f"ascendify.rules.{name}") for name in FRAMEWORKS[framework]
    )
    return tuple(package.check for package in packages if hasattr(package, "check"))


def codes() -> tuple[str, ...]:
    """Every code, in the order of the documentation."""
    return tuple(entries())


def chosen(
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    frameworks: frozenset[str] = frozenset(FRAMEWORKS),
) -> frozenset[str]:
    """The codes a selection leaves: codes or their beginnings (``TF1``, ``TF1-SESS``)."""
    return frozenset(
        code
        for code in entries(frameworks)
        if (not select or any(covers(item, code) for item in select))
        and not any(covers(item, code) for item in ignore)
    )


def needed(codes: frozenset[str], facts: Facts) -> frozenset[str]:
    """The codes without those of rules that do nothing because nobody requests it."""
    return frozenset(
        code
        for code, entry in entries(facts.frameworks).items()
        if code in codes and (entry.rule.requested is None or entry.rule.requested(facts))
    )


def covers(selector: str, code: str) -> bool:
    """Whether a selector names a code or a family of codes it belongs to."""
    selector = selector.upper()
    return code == selector or code.startswith(selector + "-") or selector == "ALL"


def reported_elsewhere(
    names: Iterable[str], rule: Rule, frameworks: frozenset[str] = frozenset(FRAMEWORKS)
) -> frozenset[str]:
    """The names of APIs whose calls or mentions other rules fire on."""
    patterns = [
        trigger.pattern
        for code, entry in entries(frameworks).items()
        if code != rule.code
        for trigger in entry.rule.triggers
        if trigger.event in ("call", "reference")
    ]
    exact = {pattern for pattern in patterns if not pattern.endswith(".*")}
    below = tuple(pattern[:-1] for pattern in patterns if pattern.endswith(".*"))
    return frozenset(name for name in names if name in exact or (below and name.startswith(below)))


def _owner(name: str, scanned: frozenset[str]) -> str | None:
    """A word of every file that can mention a name other than as it was imported; None: no file.

    Objects of a framework get everywhere. Of the packages beside it only classes have such
    objects: ``os.environ`` is used where it is named, ``numpy.float`` only ever through an import.
    """
    root, *between, _ = name.split(".")
    if root in scanned:
        return ""
    if not between:
        return None
    return "" if between[-1][:1].isupper() else between[-1]


def _anywhere(_: ast.Attribute) -> bool:
    return True


class Dispatch:
    """Name or kind of node -> the handlers of rules that match it."""

    def __init__(self, codes: frozenset[str], *frameworks: str, last: bool = False) -> None:
        self._codes = codes
        self._parts: dict[tuple[str, bool], Dispatch] = {}
        families = {family for name in frameworks for family in FRAMEWORKS[name]}
        self._exact: dict[tuple[str, str], list[tuple[Rule, Handler]]] = {}
        self._below: dict[tuple[str, str], list[tuple[Rule, Handler]]] = {}
        self._cache: dict[tuple[str, str], tuple[tuple[Rule, Handler], ...]] = {}
        # mentions are counted for the report, once, whatever rules are chosen
        self.events: set[str] = set() if last else {"reference"}
        """The kinds of events that somebody wants to know of."""
        self.is_empty = True
        """Whether there is no rule."""
        lasts: dict[str, set[str]] = {}
        methods: dict[str, list[Where]] = {}
        roots = {package for name in frameworks for package in _SCANNED[name]}
        scanned = frozenset(roots)
        for code, entry in entries(frozenset(frameworks or FRAMEWORKS)).items():
            if code not in codes or (families and entry.family not in families):
                continue
            if entry.rule.last is not last:
                continue
            self.is_empty = False
            for trigger in entry.rule.triggers:
                pattern = trigger.pattern
                self.events.add(trigger.event)
                roots.add(pattern.partition(".")[0])
                table = self._exact
                if pattern.endswith(".*"):
                    pattern, table = pattern[:-2], self._below
                elif trigger.event in _NAMED:
                    owner = _owner(pattern, scanned)
                    if owner is not None:
                        lasts.setdefault(pattern.rpartition(".")[2], set()).add(owner)
                handlers = table.setdefault((trigger.event, pattern), [])
                handlers.append((entry.rule, trigger.handler))
                if trigger.event == "method":
                    methods.setdefault(pattern, []).append(trigger.where or _anywhere)
        self.roots = frozenset(roots)
        """First components of all names: packages no rule mentions need no inference."""
        self._everywhere = frozenset(last for last, owners in lasts.items() if "" in owners)
        self._beside: dict[str, set[str]] = {}
        """Last components of names by the word that a file must have for them."""
        for word in lasts.keys() - self._everywhere:
            for owner in lasts[word]:
                self._beside.setdefault(owner, set()).add(word)
        self.methods = methods
        """Attributes that some rule wants to see whatever they are read from, and where; in the
        order of their handlers."""
        self.guessed = frozenset(name for event, name in self._exact if event == "guess")
        """Methods whose calls some rule wants to see where nobody knows what has them."""

    def lasts(self, words: frozenset[str]) -> frozenset[str]:
        """Last components of all names that rules match in a file with these words.

        Other attributes need no inference.
        """
        return self._everywhere.union(
            *(self._beside[owner] for owner in self._beside.keys() & words)
        )

    def of(self, framework: str, last: bool = False) -> Dispatch:
        """The handlers for files of a framework: of usual rules, or of those that run last."""
        key = (framework, last)
        if key not in self._parts:
            self._parts[key] = Dispatch(self._codes, framework, last=last)
        return self._parts[key]

    def handlers(self, event: str, name: str = "") -> tuple[tuple[Rule, Handler], ...]:
        """The handlers for a use of a name; those with broader patterns come last."""
        key = (event, name)
        found = self._cache.get(key)
        if found is None:
            collected = list(self._exact.get(key, ()))
            parts = name.split(".")
            for end in range(len(parts) - 1, 0, -1):
                collected.extend(self._below.get((event, ".".join(parts[:end])), ()))
            found = self._cache[key] = tuple(collected)
        return found
