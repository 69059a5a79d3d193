"""All rules, found by walking the families, and the table that leads from a name to them."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache

from ascendify.findings import RuleInfo
from ascendify.rules.rule import Handler, Rule

_SCANNED = ("tf", "keras", "horovod")
"""Packages whose every use is counted for the report, whatever rules are chosen."""
FAMILIES = ("tf1", "keras", "horovod", "shell")


@dataclass(frozen=True)
class Entry:
    """A rule and the family it belongs to."""

    rule: Rule
    family: str

    @property
    def info(self) -> RuleInfo:
        """What reports say about it."""
        return self.rule.info(self.family)


@cache
def entries() -> dict[str, Entry]:
    """Every rule by code."""
    found: dict[str, Entry] = {}
    for family in FAMILIES:
        package = importlib.import_module(f"ascendify.rules.{family}")
        for item in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
            if item.name.startswith("_"):
                continue
            module = importlib.import_module(f"{package.__name__}.{item.name}")
            rule: Rule = module.RULE
            if rule.code in found:
                raise ValueError(f"two rules have the code {rule.code}")
            found[rule.code] = Entry(rule, family)
    return dict(sorted(found.items(), key=lambda item: _order(item[0], item[1].family)))


def _order(code: str, family: str) -> tuple[int, list[tuple[bool, int, str]]]:
    """Families in their order, codes by their numbers: 2 before 10."""
    parts = [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in code.split("-")]
    return FAMILIES.index(family), parts


def codes() -> tuple[str, ...]:
    """Every code, in the order of the documentation."""
    return tuple(entries())


def chosen(select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> frozenset[str]:
    """The codes a selection leaves: codes or their beginnings (``TF1``, ``TF1-SESS``)."""
    return frozenset(
        code
        for code in codes()
        if (not select or any(covers(item, code) for item in select))
        and not any(covers(item, code) for item in ignore)
    )


def covers(selector: str, code: str) -> bool:
    """Whether a selector names a code or a family of codes it belongs to."""
    selector = selector.upper()
    return code == selector or code.startswith(selector + "-") or selector == "ALL"


class Dispatch:
    """From what happened in a file to the handlers that want to know."""

    def __init__(self, codes: frozenset[str]) -> None:
        self._exact: dict[tuple[str, str], list[tuple[Rule, Handler]]] = {}
        self._below: dict[tuple[str, str], list[tuple[Rule, Handler]]] = {}
        self._cache: dict[tuple[str, str], tuple[tuple[Rule, Handler], ...]] = {}
        lasts: set[str] = set()
        roots = set(_SCANNED)
        for code, entry in entries().items():
            if code not in codes:
                continue
            for trigger in entry.rule.triggers:
                pattern = trigger.pattern
                roots.add(pattern.partition(".")[0])
                table = self._exact
                if pattern.endswith(".*"):
                    pattern, table = pattern[:-2], self._below
                else:
                    lasts.add(pattern.rpartition(".")[2])
                handlers = table.setdefault((trigger.event, pattern), [])
                handlers.append((entry.rule, trigger.handler))
        self.roots = frozenset(roots)
        """First components of all names: packages no rule mentions need no inference."""
        self.lasts = frozenset(lasts)
        """Last components of all exact names: attributes nobody asks about need no inference."""

    def handlers(self, event: str, name: str = "") -> tuple[tuple[Rule, Handler], ...]:
        """The handlers for an event on a name, those of broader patterns last."""
        key = (event, name)
        found = self._cache.get(key)
        if found is None:
            collected = list(self._exact.get(key, ()))
            parts = name.split(".")
            for end in range(len(parts) - 1, 0, -1):
                collected.extend(self._below.get((event, ".".join(parts[:end])), ()))
            found = self._cache[key] = tuple(collected)
        return found
