"""Libraries that programs import beside torch: whether they work on NPUs, and what they need.

Two tables are joined here: packages that need CUDA, which programs of every framework use, and
libraries of PyTorch programs that know NPUs, in all or in part.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ascendify.catalog import companions, cuda_packages
from ascendify.catalog._data import sources, table
from ascendify.catalog.cuda_packages import CudaPackage
from ascendify.findings import Effort, Status

_TABLE = "libraries"
STATES: Mapping[str, str] = {
    "works": "works on NPUs",
    "part": "works on NPUs in parts",
    "other": "another package takes its place",
    "beside": "works with another package beside it",
    "host": "runs on the host only",
    "no": "does not work on NPUs",
}
"""How far a library works on NPUs, and words for it."""


_COMMON = ("type",)
"""Names of settings that most programs use for something else."""


@dataclass(frozen=True)
class Library:
    """One library, or several with the same facts."""

    imports: tuple[str, ...]
    """Names that programs import and TORCH-LIB-1 looks for."""
    names: tuple[str, ...]
    """Further import names, for which other rules look."""
    distributions: tuple[str, ...]
    """Names in requirement files, in lower case; ``*`` stands for anything."""
    npu: str
    """A key of ``STATES``."""
    what: str
    """Why it does not simply work, as the end of a sentence; empty where it does."""
    status: Status | None
    """Of the finding at an import; None where an import needs none."""
    effort: Effort
    todo: str
    """What to do, in sentences."""
    source: tuple[str, ...]
    since: str = ""
    """The first version of the library that knows NPUs."""
    replacement: str = ""
    """The package that takes its place, with the first version that works."""
    setup: str = ""
    """What must be set, or imported in which order, in sentences."""
    inside: bool = False
    """Whether the library chooses CUDA devices in its own code."""
    behaviour: str = ""
    """The behaviour of a release of torch_npu without which it does not work."""
    verified: bool = True
    """Whether a public source says so."""
    needs_cuda: bool = False
    """Whether it is of the table of packages that need CUDA, which REQ-2 looks for."""

    @property
    def all_names(self) -> tuple[str, ...]:
        """Every name that programs import it under."""
        return (*self.imports, *self.names)

    @property
    def state(self) -> str:
        """How far it works, in words."""
        words = STATES[self.npu]
        if self.since:
            words += f" from {self.since} on"
        return words if self.verified else f"{words} (not verified)"


@dataclass(frozen=True)
class Setting:
    """A value of an argument, a key or an option that makes a library use CUDA."""

    names: tuple[str, ...]
    values: tuple[object, ...]
    """The values that do; empty for every one but 0, None and False."""
    library: str
    status: Status
    effort: Effort
    found: str
    todo: str
    source: tuple[str, ...]
    calls: tuple[str, ...] = ()
    """The packages in whose calls it has that meaning; empty: wherever it stands."""
    text_only: bool = False
    """Whether Python code has a rule of its own for it."""

    @property
    def words(self) -> tuple[str, ...]:
        """What a text has that sets it, in small letters: the value where the name says little."""
        if self.calls:
            return ()
        named = tuple(value for value in self.values if isinstance(value, str))
        return tuple(word.lower() for word in named or self.names)

    def may_be_in(self, text: str) -> bool:
        """Whether a text may set it: it has one of the values, where the name is a common word."""
        if self.names != _COMMON:
            return True
        return any(isinstance(value, str) and value in text for value in self.values)

    def applies(self, value: object) -> bool:
        """Whether a value is one that makes the library use CUDA."""
        if not self.values:
            return bool(value)
        return any(value is item if item is True else value == item for item in self.values)


@dataclass(frozen=True)
class LibraryPart:
    """Functions and classes of a library that need CUDA, or are computed on the host."""

    names: tuple[str, ...]
    """Dotted names; ``cv2.cuda.*`` stands for everything below."""
    library: str
    status: Status
    effort: Effort
    found: str
    todo: str
    source: tuple[str, ...]


@cache
def all_libraries() -> tuple[Library, ...]:
    """Every library that PyTorch programs use, those that need CUDA first."""
    return (
        *(_of_package(item) for item in cuda_packages.all_packages() if item.concerns("torch")),
        *(_library(row) for row in table(_TABLE)["libraries"]),
    )


@cache
def by_import(framework: str) -> Mapping[str, Library]:
    """The libraries whose imports are worth a finding in programs of a framework, by name."""
    if framework != "torch":
        return {
            name: _of_package(package, framework)
            for name, package in cuda_packages.by_import(framework).items()
        }
    return {
        name: library
        for library in all_libraries()
        if library.status is not None
        for name in library.imports
    }


def named(name: str) -> Library | None:
    """The library that a dotted name, an import name or a distribution belongs to."""
    known = longest(name, _by_name())
    return _by_name()[known] if known else by_distribution(name)


def by_distribution(name: str) -> Library | None:
    """The library that a requirement names."""
    plain = re.sub(r"[-_.]+", "-", name).lower()
    return next(
        (library for pattern, library in _distributions() if pattern.fullmatch(plain)), None
    )


def is_known(name: str) -> bool:
    """Whether a dotted name belongs to a library of the tables."""
    return bool(longest(name, _by_name()))


def longest(name: str, known: Container[str]) -> str:
    """The longest of some known names that a dotted name is, or stands below; empty for none."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


@cache
def _by_name() -> Mapping[str, Library]:
    """The libraries by every name that programs import them under; of two, the first."""
    return {name: library for library in reversed(all_libraries()) for name in library.all_names}


@cache
def settings() -> tuple[Setting, ...]:
    """Every setting of a library that makes it use CUDA."""
    return tuple(
        Setting(
            names=tuple(row["names"]),
            values=tuple(row["values"]),
            library=row["library"],
            status=Status(row["status"]),
            effort=Effort(row.get("effort", Effort.NONE)),
            found=row["found"],
            todo=row["todo"],
            source=sources(_TABLE, row["source"]),
            calls=tuple(row.get("calls", ())),
            text_only=row.get("text_only", False),
        )
        for row in table(_TABLE)["settings"]
    )


@cache
def uses() -> tuple[LibraryPart, ...]:
    """Every function and class of a library that needs CUDA, or is computed on the host."""
    return tuple(
        LibraryPart(
            names=tuple(row["names"]),
            library=row["library"],
            status=Status(row["status"]),
            effort=Effort(row.get("effort", Effort.NONE)),
            found=row["found"],
            todo=row["todo"],
            source=sources(_TABLE, row["source"]),
        )
        for row in table(_TABLE)["calls"]
    )


def facts(name: str) -> Iterator[tuple[str, str]]:
    """Label and text of everything that is known about the library of a name."""
    library = named(name)
    if library is not None:
        yield "on an NPU", library.state
        if library.replacement:
            label = "beside it" if library.npu == "beside" else "in its place"
            yield label, library.replacement
        if library.todo:
            yield "to do", library.todo
        if library.setup:
            yield "set up", library.setup
        if library.inside:
            yield "CUDA inside", _INSIDE
        for setting in settings():
            if setting.library in library.all_names:
                shown = ", ".join(map(repr, setting.values[:3])) or "any number"
                yield "setting", f"{setting.names[0]}={shown}: {setting.todo}"
        if library.distributions:
            yield "requirement", ", ".join(library.distributions)
        for sentence in library.source:
            yield "source", sentence
    companion = companions.companions().get(name.lower())
    if companion is not None:
        below = ".".join(map(str, companion.below))
        yield "TensorFlow 2.6", f"take {companion.take}, below {below}: {companion.why}"


_INSIDE = (
    "it chooses devices in its own code; `ascendify migrate --transfer FILE` imports "
    "transfer_to_npu in the script FILE only"
)


@cache
def _distributions() -> tuple[tuple[re.Pattern[str], Library], ...]:
    return tuple(
        (re.compile(re.escape(name).replace(r"\*", ".*")), library)
        for library in all_libraries()
        for name in library.distributions
    )


def _of_package(package: CudaPackage, framework: str = "torch") -> Library:
    since = f" (from {package.since})" if package.since else ""
    return Library(
        imports=package.imports,
        names=package.names,
        distributions=package.distributions,
        npu=package.npu or "no",
        what=package.what,
        status=package.status,
        effort=package.effort,
        todo=package.instead(framework),
        source=package.source,
        replacement=f"{package.replacement}{since}",
        setup=package.setup,
        verified=package.verified,
        needs_cuda=True,
    )


def _library(row: Mapping[str, Any]) -> Library:
    status = row.get("status")
    return Library(
        imports=tuple(row["imports"]),
        names=(),
        distributions=tuple(row["distributions"]),
        npu=row["npu"],
        what=row.get("what", ""),
        status=None if status is None else Status(status),
        effort=Effort(row.get("effort", Effort.NONE)),
        todo=row["todo"],
        source=sources(_TABLE, row["source"]),
        since=row.get("since", ""),
        replacement=row.get("replacement", ""),
        setup=row.get("setup", ""),
        inside=row.get("inside", False),
        behaviour=row.get("behaviour", ""),
        verified=row.get("verified", True),
    )
