"""A program of a project, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass

TRAINING = "training"
EVALUATION, INFERENCE, EXPORT = "evaluation", "inference", "export"
PREPARATION, OTHER = "data preparation", "other"


@dataclass(frozen=True)
class Program:
    """A file that can be started."""

    path: str
    """POSIX path from the root of the project; a Python file or a notebook."""
    kind: str
    """What it does: ``training``, ``evaluation``, ``inference``, ``export``, ``data preparation``
    or ``other``."""
    reasons: tuple[str, ...] = ()
    """Why it is of that kind and has its rank, the strongest first; for people."""
    score: int = 0
    """The higher, the more likely it is the one to start."""
    module: str = ""
    """Dotted name for ``python -m``; empty for a file that is started by its path."""
    folder: str = ""
    """Where it has to run, from the root; empty for the root itself."""
    search_path: tuple[str, ...] = ()
    """Folders that its imports need on ``PYTHONPATH``, besides the root; from the root."""
    averages: str = ""
    """The call that averages the gradients of all ranks, with its place; empty if there is none."""
    files: tuple[str, ...] = ()
    """The files of the project whose code it runs, itself first."""

    @property
    def trains(self) -> bool:
        """Whether it trains."""
        return self.kind == TRAINING

    @property
    def notebook(self) -> bool:
        """Whether it is a notebook."""
        return self.path.endswith(".ipynb")

    @property
    def command(self) -> tuple[str, ...]:
        """The arguments of the interpreter that start it from the root."""
        return ("-m", self.module) if self.module else (self.path,)


@dataclass(frozen=True)
class Programs:
    """The programs of a project, the most likely first."""

    training: tuple[Program, ...] = ()
    others: tuple[Program, ...] = ()

    @property
    def all(self) -> tuple[Program, ...]:
        """Every program."""
        return (*self.training, *self.others)

    def get(self, path: str) -> Program | None:
        """Return the program of a file, by its path or the dotted name of its module."""
        return next((item for item in self.all if path in (item.path, item.module)), None)
