"""Engines: what starts the ranks of a plan. One file each; :data:`ENGINES` knows them by name.

An engine either runs the job to its end and says what came of it, or hands it to a scheduler and
says what it handed over. All get the same plan, so that a rank finds the same environment whatever
started it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Optional, Union

from ascendify.errors import UsageError, did_you_mean
from ascendify.launch.local import Environment, Finished, Watch
from ascendify.launch.plan import Plan, Rank, environment

ENGINES = ("local", "ssh", "mpirun", "torchrun", "slurm", "kubernetes", "ray")
"""Their names, which are those of the modules of this package."""


@dataclass(frozen=True)
class Order:
    """What an engine gets."""

    plan: Plan
    ranks: tuple[Rank, ...]
    """Those of this machine, for engines that start only these."""
    watch: Watch
    options: Mapping[str, str] = field(default_factory=dict)
    """What the user gave with ``-O``, checked against :attr:`Engine.options`."""
    stream: BinaryIO | None = None
    """Where the shown ranks' output goes; None for nowhere."""
    given: Environment = environment
    """What a rank finds in its environment, from what it is told and what is here."""
    told: Callable[[str], None] = lambda _: None
    """Called with a line that the user should know."""


@dataclass(frozen=True)
class Handed:
    """A job that somebody else runs."""

    text: str
    """What to tell the user: where it is, and how to look after it."""


@dataclass(frozen=True)
class Engine:
    """Something that starts ranks."""

    name: str
    options: Mapping[str, str]
    """What may be given with ``-O NAME=VALUE``, and what it means."""
    shown: Callable[[Order], str]
    """What would be run or handed over, for ``--dry-run``."""
    run: Callable[[Order], Union[Finished, Handed]]
    check: Callable[[Order], None]
    """Raises :class:`UsageError` for what cannot work, before anything is started."""
    every_server: bool = True
    """Whether it starts the ranks of all servers, and not only of this one."""
    found: Optional[Callable[[], Optional[int]]] = None
    """For an engine that finds the servers by itself: how many there are where the user does not
    say it, None for one. The names and addresses in its plan are made up."""


def find(name: str) -> Engine:
    """The engine of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in ENGINES:
        known = f"it is one of {', '.join(ENGINES)}"
        raise UsageError(f"--engine {name} is no engine", did_you_mean(name, ENGINES, known))
    engine: Engine = importlib.import_module(f"{__name__}.{name}").ENGINE
    return engine


def options(engine: Engine, given: tuple[str, ...]) -> dict[str, str]:
    """The engine's options from ``NAME=VALUE`` words.

    Raises:
        UsageError: one is not of that form, or not an option of this engine.
    """
    found: dict[str, str] = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in engine.options:
            known = ", ".join(engine.options) or "none"
            hint = did_you_mean(name, engine.options, f"its options are: {known}")
            raise UsageError(f"-O {word} is no option of the engine {engine.name}", hint)
        found[name] = value
    return found
