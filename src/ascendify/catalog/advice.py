"""Advice that more than one rule, or a rule and the doctor, give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ascendify.catalog._data import table

EVERY = "*"
"""The key for every framework, where advice depends on the framework."""


@dataclass(frozen=True)
class Advice:
    """One sentence, or a few."""

    name: str
    text: str
    source: str


@cache
def all_advice() -> dict[str, Advice]:
    """Every sentence by its name."""
    return {row["name"]: Advice(**row) for row in table("advice")["advice"]}


def text(name: str) -> str:
    """The sentence of this name."""
    return expanded(all_advice()[name].text)


def expanded(sentence: str) -> str:
    """A sentence with the names in braces replaced by the advice of that name."""
    return re.sub(r"\{([a-z0-9-]+)\}", lambda name: text(name[1]), sentence)


def for_framework(sentences: Mapping[str, str], framework: str) -> str:
    """The sentence for a framework, or the one for all; empty where there is neither."""
    return expanded(sentences.get(framework) or sentences.get(EVERY, ""))
