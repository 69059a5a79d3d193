"""Releases of PyTorch and TensorFlow that the emulation was tried with, and the results.

``data/releases.json`` has one row for each release, build, Python, machine and path, written by
``tools/try_releases.py``. A release is promised only if one of its rows passes. The versions in
README, docs and messages, and the tables in docs/emulation-torch.md and docs/emulation-tf2.md, come
from here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

from ascendify.catalog.versions import numbers

FILE = Path(__file__).resolve().parent / "data" / "releases.json"
RUNTIME_FILE = FILE.parent.parent / "packages" / "ascendify_runtime" / "data" / "tried.json"
"""The promised releases for the stand-ins, which cannot import this module."""
TORCH, TENSORFLOW = "torch", "tensorflow"
FAST, PORTABLE = "fast", "portable"
SMALLEST_SHARE = {FAST: 0.98, PORTABLE: 0.95}
"""The share of PyTorch's own table of operators (OpInfo) that must pass, by path."""


@dataclass(frozen=True)
class SuiteResult:
    """Results of the emulation's own tests on a release."""

    passed: int
    failed: tuple[str, ...]
    skipped: int
    date: str


@dataclass(frozen=True)
class OpInfoResult:
    """Results of PyTorch's own table of operators, run on both devices and compared."""

    passed: int
    failed: tuple[str, ...]
    without_samples: int
    date: str

    @property
    def share(self) -> float:
        """The share of the compared entries that passed."""
        compared = self.passed + len(self.failed)
        return self.passed / compared if compared else 0.0


@dataclass(frozen=True)
class ExamplesResult:
    """Results of migrating and verifying the examples on a release."""

    verified: tuple[str, ...]
    failed: tuple[str, ...]
    needs: dict[str, str]
    """Examples that were not tried, and the missing package of each."""
    date: str


@dataclass(frozen=True)
class OverheadResult:
    """Times of training steps on the emulated NPU, each as a ratio to the CPU in the same run."""

    ratios: dict[str, float]
    date: str


@dataclass(frozen=True)
class TriedRelease:
    """One release in one build, on one Python, machine and path, and the results of trying it."""

    framework: str
    version: str
    build: str
    """``cpu``, or the CUDA version of the build: ``cuda12.1``."""
    python: str
    machine: str
    path: str = ""
    """``fast`` or ``portable``; empty for TensorFlow, whose stand-in has no paths."""
    stands_for: str = ""
    """The release of torch_npu that was emulated."""
    note: str = ""
    """Why nothing could be tried."""
    tests: Optional[SuiteResult] = None
    opinfo: Optional[OpInfoResult] = None
    examples: Optional[ExamplesResult] = None
    overhead: Optional[OverheadResult] = None

    @property
    def key(self) -> tuple[str, str, str, str, str, str]:
        """The values that identify a row; a new result replaces the row with the same key."""
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

        It could be tried and nothing failed. For PyTorch, examples were verified and enough of
        OpInfo passed; for TensorFlow, the tests ran.
        """
        steps = (self.tests, self.examples)
        if self.note or any(step is not None and step.failed for step in steps):
            return False
        if self.framework == TENSORFLOW:
            return self.tests is not None
        agreed = self.examples is not None and len(self.examples.verified) > 0
        passed = self.opinfo is not None and self.opinfo.share >= SMALLEST_SHARE[self.path]
        return agreed and passed


def read(file: Path = FILE) -> list[TriedRelease]:
    """Read every row, in the order of the file."""
    return [_row(row) for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]


def _row(row: dict[str, Any]) -> TriedRelease:
    made = dict(row)
    kinds: dict[str, Callable[..., object]] = {
        "tests": SuiteResult,
        "opinfo": OpInfoResult,
        "examples": ExamplesResult,
        "overhead": OverheadResult,
    }
    for name, kind in kinds.items():
        if made.get(name) is not None:
            values = made[name].items()
            made[name] = kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values})
    return TriedRelease(**made)


def text(rows: list[TriedRelease]) -> str:
    """Return the text of the file with these rows, sorted by release."""
    ordered = sorted(rows, key=lambda row: (row.framework != TORCH, numbers(row.version), row.key))
    made = [{k: v for k, v in asdict(row).items() if v not in (None, "")} for row in ordered]
    about = "written by tools/try_releases.py: results of trying each release; see releases.py"
    lines = ",\n".join(json.dumps(row) for row in made)
    return f'{{"about": {json.dumps(about)},\n"rows": [\n{lines}\n]}}\n'


def with_row(rows: list[TriedRelease], row: TriedRelease) -> list[TriedRelease]:
    """Return the rows with one added; it replaces the row with the same key."""
    return [*(other for other in rows if other.key != row.key), row]


# --- promised releases -----------------------------------------------------------------------


def supported_rows(rows: list[TriedRelease], framework: str = TORCH) -> list[TriedRelease]:
    """Return the rows whose releases may be promised, oldest first."""
    found = [row for row in rows if row.framework == framework and row.holds]
    return sorted(found, key=lambda row: numbers(row.version))


def promised_text(rows: list[TriedRelease], framework: str = TORCH) -> str:
    """Return the promised minor releases as ``2.1 and 2.3 to 2.15``."""
    lines = sorted({row.line for row in supported_rows(rows, framework)})
    runs: list[list[tuple[int, int]]] = []
    for line in lines:
        if runs and line == (runs[-1][-1][0], runs[-1][-1][1] + 1):
            runs[-1].append(line)
        else:
            runs.append([line])
    parts: list[str] = []
    for run in runs:
        names = [f"{major}.{minor}" for major, minor in run]
        parts += [f"{names[0]} to {names[-1]}"] if len(names) > 2 else names
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def runtime_text(rows: list[TriedRelease], *more: TriedRelease) -> str:
    """Return the stand-ins' own file: by framework, the oldest and every promised minor release.

    ``more`` are rows to include whatever their results.
    """
    made = {}
    for framework in (TORCH, TENSORFLOW):
        added = [row for row in more if row.framework == framework]
        versions = {row.version for row in (*supported_rows(rows, framework), *added)}
        if versions:
            found = sorted(versions, key=numbers)
            lines = dict.fromkeys(".".join(version.split(".")[:2]) for version in found)
            made[framework] = {"oldest": found[0], "lines": [*lines]}
    return json.dumps(made) + "\n"
