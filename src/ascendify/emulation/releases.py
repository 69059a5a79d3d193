"""Releases of PyTorch and TensorFlow that the emulation was tried with, and what came of it.

``data/releases.json`` has one row for each release, build, Python, machine and path, written by
``tools/try_releases.py``. Only what has a row that holds is promised: the versions in README, docs
and messages, and the table in docs/emulation-torch.md, come from here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from ascendify.catalog.versions import numbers

FILE = Path(__file__).resolve().parent / "data" / "releases.json"
RUNTIME_FILE = FILE.parent.parent / "packages" / "torch_npu" / "_release" / "tried.json"
"""What was tried, for the stand-in, which cannot import this module."""
TORCH, TENSORFLOW = "torch", "tensorflow"
FAST, PORTABLE = "fast", "portable"
SMALLEST_SHARE = {FAST: 0.98, PORTABLE: 0.95}
"""Share of PyTorch's own table of operators (OpInfo) that has to pass on a path."""


@dataclass(frozen=True)
class Suite:
    """The emulation's own tests on a release."""

    passed: int
    failed: tuple[str, ...]
    skipped: int
    date: str


@dataclass(frozen=True)
class OpInfo:
    """Entries of PyTorch's own table of operators, run on both devices and compared."""

    passed: int
    failed: tuple[str, ...]
    without_samples: int
    date: str

    @property
    def share(self) -> float:
        """What passes, of what was compared."""
        compared = self.passed + len(self.failed)
        return self.passed / compared if compared else 0.0


@dataclass(frozen=True)
class Examples:
    """Examples migrated and verified on a release."""

    verified: tuple[str, ...]
    failed: tuple[str, ...]
    needs: dict[str, str]
    """Examples that were not tried, and the package each would have needed."""
    date: str


@dataclass(frozen=True)
class Overhead:
    """Times of training steps on the emulated NPU, each as a ratio to the CPU in the same run."""

    ratios: dict[str, float]
    date: str


@dataclass(frozen=True)
class Row:
    """One release in one build, on one Python, machine and path, and what came of trying it."""

    framework: str
    version: str
    build: str
    """``cpu``, or the CUDA inside: ``cuda12.1``."""
    python: str
    machine: str
    path: str
    """``fast`` or ``portable``; empty for TensorFlow, whose stand-in has one way."""
    stands_for: str = ""
    """The release of torch_npu that the stand-in was."""
    note: str = ""
    """Why nothing could be tried."""
    tests: Optional[Suite] = None
    opinfo: Optional[OpInfo] = None
    examples: Optional[Examples] = None
    overhead: Optional[Overhead] = None

    @property
    def key(self) -> tuple[str, str, str, str, str, str]:
        """What a row is replaced by."""
        return (
            self.framework,
            self.version,
            self.build,
            self.python,
            self.machine,
            self.path,
        )

    @property
    def line(self) -> tuple[int, int]:
        """Major and minor number of the release."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    @property
    def holds(self) -> bool:
        """Whether the release may be promised.

        It could be tried, and nothing failed; for PyTorch, examples agreed and enough of OpInfo
        passed, for TensorFlow, the tests did.
        """
        steps = (self.tests, self.examples)
        if self.note or any(step is not None and step.failed for step in steps):
            return False
        if self.framework == TENSORFLOW:
            return self.tests is not None
        agreed = self.examples is not None and len(self.examples.verified) > 0
        passed = self.opinfo is not None and self.opinfo.share >= SMALLEST_SHARE[self.path]
        return agreed and passed


def read(file: Path = FILE) -> list[Row]:
    """Every row, in the order of the file."""
    return [_row(row) for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]


def _row(row: dict[str, Any]) -> Row:
    made = dict(row)
    kinds: dict[str, Callable[..., object]] = {
        "tests": Suite,
        "opinfo": OpInfo,
        "examples": Examples,
        "overhead": Overhead,
    }
    for name, kind in kinds.items():
        if made.get(name) is not None:
            values = made[name].items()
            made[name] = kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values})
    return Row(**made)


def text(rows: list[Row]) -> str:
    """The file with these rows, sorted by release."""
    ordered = sorted(rows, key=lambda row: (row.framework != TORCH, numbers(row.version), row.key))
    made = [{k: v for k, v in asdict(row).items() if v not in (None, "")} for row in ordered]
    about = "written by tools/try_releases.py: what came of trying each release; see releases.py"
    lines = ",\n".join(json.dumps(row) for row in made)
    return f'{{"about": {json.dumps(about)},\n"rows": [\n{lines}\n]}}\n'


def with_row(rows: list[Row], row: Row) -> list[Row]:
    """The rows with one added, or put in the place of the one with its key."""
    return [*(other for other in rows if other.key != row.key), row]


# --- what is promised ------------------------------------------------------------------------


def promised(rows: list[Row], framework: str = TORCH) -> list[Row]:
    """The rows whose releases may be promised, oldest first."""
    found = [row for row in rows if row.framework == framework and row.holds]
    return sorted(found, key=lambda row: numbers(row.version))


def in_words(rows: list[Row], framework: str = TORCH) -> str:
    """Promised lines as ``2.1 and 2.3 to 2.15``; a range has a row for every line in it."""
    lines = sorted({row.line for row in promised(rows, framework)})
    runs: list[list[tuple[int, int]]] = []
    for line in lines:
        if runs and line == (runs[-1][-1][0], runs[-1][-1][1] + 1):
            runs[-1].append(line)
        else:
            runs.append([line])
    parts: list[str] = []
    for run in runs:
        words = [f"{major}.{minor}" for major, minor in run]
        parts += [f"{words[0]} to {words[-1]}"] if len(words) > 2 else words
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def runtime_text(rows: list[Row], *more: str) -> str:
    """The stand-in's own file: the oldest release and every line promised, or named beside them."""
    found = sorted({*(row.version for row in promised(rows)), *more}, key=numbers)
    lines = dict.fromkeys(".".join(version.split(".")[:2]) for version in found)
    return json.dumps({"oldest": found[0], "lines": [*lines]}) + "\n"
