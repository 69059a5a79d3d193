"""Engines: what starts the ranks of a job. One file each; :data:`ENGINES` lists their names.

An engine either runs the job and returns the result, or hands it over to a scheduler and says where
it is. All get the same job, so that a rank has the same environment with every engine.
"""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Optional, Union

from ascendify.errors import UsageError, did_you_mean
from ascendify.jobs.job import Job, Rank
from ascendify.jobs.run import Attempt, JobResult, Supervision, run

ENGINES = ("local", "ssh", "mpirun", "torchrun", "slurm", "kubernetes", "ray")
"""The names of the engines, which are those of the modules of this package."""


@dataclass(frozen=True)
class EngineInput:
    """A job for an engine, and the options for running it."""

    job: Job
    ranks: tuple[Rank, ...]
    """The ranks that run on this machine, for engines that start only these."""
    supervision: Supervision
    options: Mapping[str, str] = field(default_factory=dict)
    """What the user gave with ``-O``, checked against :attr:`Engine.options`."""
    stream: BinaryIO | None = None
    """The stream for the output of the ranks that are shown; None to show none."""
    warn: Callable[[str], None] = lambda _: None
    """Called with a line that the user should know."""

    def run(self, attempt: Attempt | None = None) -> JobResult:
        """Run the ranks with the engine's own function, or else as processes of this machine."""
        return run(
            self.job,
            self.supervision,
            self.stream,
            ranks=self.ranks,
            warn=self.warn,
            attempt=attempt,
        )


@dataclass(frozen=True)
class HandedOver:
    """A job that was handed over to a scheduler."""

    text: str
    """For the user: where the job is, how to see its state and how to stop it."""


@dataclass(frozen=True)
class Engine:
    """A way to start ranks."""

    name: str
    options: Mapping[str, str]
    """The options that ``-O NAME=VALUE`` sets, each with its meaning."""
    dry_run: Callable[[EngineInput], str]
    """Return the commands that would run, or the files that would be handed to a scheduler."""
    run: Callable[[EngineInput], Union[JobResult, HandedOver]]
    check: Callable[[EngineInput], None]
    """Raise :class:`UsageError` for settings that cannot work, before anything is started."""
    every_server: bool = True
    """Whether the engine starts the ranks of all servers, and not only of this one."""
    count_servers: Optional[Callable[[], Optional[int]]] = None
    """For an engine that finds the servers by itself: how many there are where the user does not
    say it, None for one. The names and addresses in its job are placeholders."""


def find(name: str) -> Engine:
    """Return the engine with this name.

    Raises:
        UsageError: there is none.
    """
    if name not in ENGINES:
        known = f"it is one of {', '.join(ENGINES)}"
        raise UsageError(f"--engine {name} is no engine", did_you_mean(name, ENGINES, known))
    engine: Engine = importlib.import_module(f"{__name__}.{name}").ENGINE
    return engine


def options(engine: Engine, given: tuple[str, ...]) -> dict[str, str]:
    """Read the engine's options from ``NAME=VALUE`` arguments.

    Raises:
        UsageError: one is not of that form, or not an option of this engine.
    """
    found: dict[str, str] = {}
    for argument in given:
        name, equals, value = argument.partition("=")
        if not equals or name not in engine.options:
            known = ", ".join(engine.options) or "none"
            hint = did_you_mean(name, engine.options, f"its options are: {known}")
            raise UsageError(f"-O {argument} is no option of the engine {engine.name}", hint)
        found[name] = value
    return found


def check_on_npus(given: EngineInput, engine: str) -> None:
    """Refuse to emulate the devices of other machines.

    Raises:
        UsageError: the job is emulated.
    """
    if not given.job.on_npus:
        raise UsageError("--emulate runs on this machine alone", f"leave out --engine {engine}")


def check_values(given: EngineInput, *switches: str) -> None:
    """Refuse options without a value of one line, and switches that are neither yes nor no.

    Raises:
        UsageError: which one it is.
    """
    for name, value in given.options.items():
        if not value or "\n" in value or "\0" in value:
            raise UsageError(f"-O {name}={value!r} is no value", "give one line")
        if name in switches and value not in ("yes", "no"):
            raise UsageError(f"-O {name}={value}", "say yes or no")


def split_arguments(given: EngineInput, option: str) -> list[str]:
    """Split an option that contains arguments for another program.

    Raises:
        UsageError: a quote is not closed.
    """
    text = given.options.get(option, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"-O {option}={text}: {error}", "close every quote") from error
