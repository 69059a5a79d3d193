"""Environment variables that only GPU software reads, and what to do about them on an NPU."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from ascendify.catalog import advice
from ascendify.catalog._data import sources, table

SETTING = "setting"
"""A setting, which is removed for an NPU, or renamed."""
DEVICES = "devices"
"""Chooses the devices of a process."""
LOCATION = "location"
"""Says where CUDA is installed."""
BUILD = "build"
"""Says how CUDA code is built."""
VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True)
class GpuVariable:
    """One variable, or all whose names match a pattern."""

    name: str
    """Name of the variable; ``*`` matches any characters."""
    reader: str
    """The software that reads the variable on a GPU machine."""
    source: tuple[str, ...]
    kind: str = SETTING
    frameworks: tuple[str, ...] = ()
    """The frameworks whose programs use it; empty: all."""
    counterparts: Mapping[str, str] = field(default_factory=dict)
    """The variable an NPU reads for the same purpose, by framework."""
    changes: str = ""
    """How the counterpart differs; empty when it means the same."""
    advice: Mapping[str, str] = field(default_factory=dict)
    """What to do, by framework."""
    check: bool = False
    """Whether training may behave differently without it."""

    def counterpart(self, framework: str) -> str:
        """The variable an NPU reads instead in programs of a framework; empty without one."""
        return self.counterparts.get(framework, "")

    def instead(self, framework: str = "") -> str:
        """A sentence that says what to use on an NPU; empty when nothing is needed.

        Without a framework: the advice that holds for all frameworks, or else one sentence for
        each.
        """
        if framework or advice.EVERY in self.advice:
            said = advice.for_framework(self.advice, framework)
        else:
            said = " ".join(advice.expanded(sentence) for sentence in self.advice.values())
        others = [self.counterpart(framework)] if framework else [*self.counterparts.values()]
        return said or " ".join(f"{name} takes its place." for name in others if name)


@cache
def all_variables() -> tuple[GpuVariable, ...]:
    """Every entry; for a name, the first that matches is used."""
    return tuple(_variable(row) for row in table("gpu-variables")["variables"])


@lru_cache(maxsize=4096)
def find(name: str, framework: str = "") -> GpuVariable | None:
    """The entry of a variable; None for one that GPU software of the framework does not read."""
    for pattern, variable in _patterns():
        if pattern.fullmatch(name):
            concerns = not framework or not variable.frameworks or framework in variable.frameworks
            return variable if concerns else None
    return None


def find_unread(name: str, framework: str) -> GpuVariable | None:
    """The entry of a setting that has no effect and no counterpart on an NPU machine."""
    variable = find(name, framework)
    if variable is None or variable.kind != SETTING or variable.counterpart(framework):
        return None
    return variable


@cache
def renamed(framework: str) -> dict[str, GpuVariable]:
    """Settings that have a counterpart on an NPU for programs of a framework, by their name."""
    return {
        variable.name: variable
        for variable in all_variables()
        if variable.kind == SETTING and variable.counterpart(framework)
    }


def visible_devices(framework: str) -> str:
    """The variable that chooses NPUs as CUDA_VISIBLE_DEVICES chooses GPUs."""
    variable = find(VISIBLE)
    return "" if variable is None else variable.counterpart(framework)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], GpuVariable], ...]:
    return tuple(
        (re.compile(re.escape(variable.name).replace(r"\*", r"\w*")), variable)
        for variable in all_variables()
    )


def _variable(row: Mapping[str, Any]) -> GpuVariable:
    named = sources("gpu-variables", row["source"])
    return GpuVariable(
        **{**row, "source": named, "frameworks": tuple(row.get("frameworks", ()))},
    )
