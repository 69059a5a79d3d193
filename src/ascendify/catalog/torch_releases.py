"""Releases of torch_npu: the PyTorch, stack, CANN and Python of each, its names and behaviour.

A release is built for one PyTorch and belongs to one software stack of the vendor. A ``.postN`` is
a newer stack for an older PyTorch. The names were read from the wheels of 22 releases; any other
release counts as the nearest wheel of its stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ascendify.catalog import torch_npu_names
from ascendify.catalog._data import table
from ascendify.catalog.versions import line, numbers, satisfies
from ascendify.errors import UsageError, did_you_mean

ARCHITECTURES = ("x86_64", "aarch64")
_FIRST_READ = (2, 1)
"""The oldest PyTorch of which a wheel was read."""


@dataclass(frozen=True)
class Release:
    """One release of torch_npu."""

    version: str
    torch: str
    """The PyTorch it is built for."""
    stack: str
    """The vendor's software stack."""
    cann: str
    """The CANN it is published for; empty where none is published."""
    python: Mapping[str, tuple[str, ...]] = field(hash=False)
    """Architecture -> the Pythons it has wheels for; empty where that is not known."""
    wheel: int
    """Number of the wheel whose list of names is used for this release."""

    def __str__(self) -> str:
        return f"torch_npu {self.version}"

    @property
    def pythons(self) -> tuple[str, ...]:
        """The Pythons it has wheels for on every architecture."""
        shared = set.intersection(*(set(self.python.get(name, ())) for name in ARCHITECTURES))
        return tuple(sorted(shared, key=numbers))

    @property
    def described(self) -> str:
        """The pair in words: ``torch 2.9.0 with torch_npu 2.9.0 (stack 7.3.0, CANN 8.5.0)``."""
        cann = f", CANN {self.cann}" if self.cann else ""
        return f"torch {self.torch} with {self} (stack {self.stack}{cann})"

    def behaves(self, behaviour: str) -> bool:
        """Whether it has a behaviour of the table ``behaviours``; see tools/catalog."""
        needed: dict[str, str] = _data()["behaviours"][behaviour]
        order = list(_data()["stacks"])
        if "only" in needed and self.version not in needed["only"].split():
            return False
        if "stack" in needed and order.index(self.stack) < order.index(needed["stack"]):
            return False
        if "torch" in needed and numbers(self.torch) < numbers(needed["torch"]):
            return False
        return "before_torch" not in needed or numbers(self.torch) < numbers(needed["before_torch"])

    def has(self, name: str) -> bool | None:
        """Whether it has ``torch_npu.X`` or ``torch.npu.X``; None for a name of no release."""
        found = torch_npu_names.wheels(name)
        return self.wheel in found if found else None

    def torch_has(self, name: str) -> bool | None:
        """Whether its PyTorch has a name of torch; None where that is not known.

        Names that nothing is known of count as old.
        """
        since = torch_npu_names.torch_since(name)
        if not since or numbers(self.torch) >= numbers(since):
            return True
        return False if torch_npu_names.is_before(self.torch, since) else None

    def signature(self, name: str) -> str:
        """The parameters of a name in this release; empty where they are not known."""
        return next(
            (text for wheels, text in torch_npu_names.signatures(name) if self.wheel in wheels), ""
        )

    def accepts(self, name: str, keyword: str) -> bool | None:
        """Whether a function takes an argument of this name; None where that is not known."""
        names = torch_npu_names.parameters(self.signature(name))
        return None if names is None else keyword in names

    def has_kernel(self, operator: str) -> bool | None:
        """Whether an operator of aten has a kernel of its own; None for one no release has."""
        found = torch_npu_names.kernels().get(operator)
        return None if found is None else self.wheel in found


@dataclass(frozen=True)
class NameChange:
    """How a name differs between several releases."""

    releases: str
    """In words: ``since stack 7.1.0``."""
    signature: str
    added: tuple[str, ...] = ()
    """Parameters that the releases before did not have."""
    removed: tuple[str, ...] = ()


# --- which releases there are ----------------------------------------------------------------


@cache
def releases() -> tuple[Release, ...]:
    """Every release, by PyTorch and then by stack."""
    stacks = _data()["stacks"]
    return tuple(
        Release(version, torch, stack, "" if assumed else stacks[stack], _pythons(python), wheel)
        for version, torch, stack, assumed, python, wheel in _data()["releases"]
    )


@cache
def newest() -> Release:
    """The release for the newest PyTorch, which is the default."""
    return releases()[-1]


def lines() -> tuple[str, ...]:
    """The lines of PyTorch, such as ``2.7``, that there is a torch_npu for, oldest first."""
    return tuple(dict.fromkeys(line(release.torch) for release in releases()))


@cache
def parse(version: str) -> Release | None:
    """The release of this version, with or without a build: ``2.7.1.post2+git1a2b``."""
    wanted = _public(version)
    return next((item for item in releases() if _public(item.version) == wanted), None)


def of_torch(torch: str) -> tuple[Release, ...]:
    """The releases for a PyTorch, oldest stack first; empty where there is none for just that."""
    wanted = (*numbers(torch), 0, 0)[:3]
    return tuple(item for item in releases() if numbers(item.torch) == wanted)


def for_torch(torch: str) -> Release | None:
    """The newest release for a PyTorch, or for the nearest patch of its line; None without one."""
    exact = _final(of_torch(torch))
    if exact:
        return exact[-1]
    same = _final(item for item in releases() if line(item.torch) == line(torch))
    return _nearest_patch(same, torch)


@cache
def chosen(torch_npu: str, torch: str) -> Release:
    """The release that is named, or else the newest for a PyTorch; either may be empty."""
    named = parse(torch_npu) if torch_npu else None
    pinned = nearest(torch) if torch else newest()
    return named or pinned


def nearest(torch: str) -> Release:
    """The newest release for a PyTorch, its nearest patch, or else the nearest line that has one.

    For a PyTorch newer than all that is the newest; for others the next newer one, from 2.1 on.
    """
    found = for_torch(torch)
    if found is not None:
        return found
    later = [
        item for item in lines() if numbers(item) > numbers(torch) and numbers(item) >= _FIRST_READ
    ]
    chosen = for_torch(later[0]) if later else None
    return chosen or newest()


def allowed(specifier: str) -> Release | None:
    """The newest release whose PyTorch meets conditions such as ``>=2.1,<2.3``."""
    return _newest_read(item for item in releases() if satisfies(specifier, item.torch))


def meeting(specifier: str) -> Release | None:
    """The newest release whose version satisfies conditions such as ``<2.7.1.post4``."""
    return _newest_read(item for item in releases() if satisfies(specifier, item.version))


def named(text: str, where: str = "--torch-npu") -> Release:
    """The release a user names: a version, or a line of PyTorch such as ``2.7`` for its newest.

    Raises:
        UsageError: There is none of this name.
    """
    wanted = text.strip()
    found = parse(wanted)
    if found is None and re.fullmatch(r"\d+\.\d+", wanted) and wanted in lines():
        found = for_torch(wanted)
    if found is not None:
        return found
    raise UsageError(
        f"{where} is {text!r}, and there is no such release of torch_npu", _hint(wanted)
    )


def _hint(wanted: str) -> str:
    """Which releases exist, for a release that does not."""
    last = newest()
    line_wanted, line_known = numbers(line(wanted)), numbers(line(last.torch))
    if line_wanted[0] == line_known[0] and line_wanted > line_known:
        return f"there is none for {line(wanted)} yet; the newest is {last.version}"
    own = [item.version for item in releases() if line(item.torch) == line(wanted)]
    if own:
        return f"for torch {line(wanted)} there are {', '.join(own)}"
    listed = [item.version for item in map(for_torch, lines()) if item is not None]
    meant = did_you_mean(wanted, [item.version for item in releases()], "")
    return f"{meant} the newest of each line are {', '.join(listed)}".strip()


def cann_fits(release: Release) -> tuple[str, ...]:
    """The CANN releases that the vendor lists for a release; the recommended one first."""
    also = _data()["compatible"].get(release.stack, "").split() if release.cann else []
    return tuple(dict.fromkeys(filter(None, (release.cann, *also))))


def prerelease_pythons(version: str) -> tuple[str, ...]:
    """The Pythons of a release candidate that no table of stacks lists."""
    python = _data()["prereleases"].get(_public(version))
    return () if python is None else _pythons(python)[ARCHITECTURES[0]]


# --- names over the releases -----------------------------------------------------------------


def first_with(name: str, torch: str = "", keyword: str = "") -> Release | None:
    """The first release for a PyTorch that has a name and, where given, an argument of it.

    Without a PyTorch, or where no release for it has the name, the first of all releases.
    """

    def has(release: Release) -> bool:
        return bool(release.has(name)) and (
            not keyword or release.accepts(name, keyword) is not False
        )

    found = next((item for item in of_torch(torch) if has(item)), None) if torch else None
    return found or next((item for item in _read() if has(item)), None)


def history(name: str) -> tuple[NameChange, ...]:
    """When a name was added and changed, by stacks; empty for one that no release has."""
    found: list[NameChange] = []
    before: list[str] | None = None
    for wheels, text in torch_npu_names.signatures(name):
        names = torch_npu_names.parameters(text)
        known = names is not None and before is not None
        added = [item for item in names or () if item not in (before or ())] if known else []
        removed = [item for item in before or () if item not in (names or ())] if known else []
        found.append(NameChange(_in_words(wheels), text, tuple(added), tuple(removed)))
        before = names
    return tuple(found)


def presence(name: str, keyword: str = "") -> str:
    """A phrase that says which releases have a name or its argument; empty where none has."""
    return _in_words(torch_npu_names.wheels(name, keyword))


# --- reading the tables ----------------------------------------------------------------------


def _data() -> dict[str, Any]:
    return table("torch-npu-releases")


def _public(version: str) -> str:
    """A version without its build, release candidates in one spelling."""
    return version.strip().lower().partition("+")[0].replace(".rc", "rc")


def _pythons(python: str | dict[str, str]) -> dict[str, tuple[str, ...]]:
    texts = dict.fromkeys(ARCHITECTURES, python) if isinstance(python, str) else python
    return {name: _expanded(text) for name, text in texts.items() if text}


def _expanded(text: str) -> tuple[str, ...]:
    """``3.9-3.11`` as its minor releases."""
    first, _, last = text.partition("-")
    minors = range(numbers(first)[1], numbers(last or first)[1] + 1)
    return tuple(f"3.{minor}" for minor in minors)


def _final(found: Iterable[Release]) -> list[Release]:
    """Without release candidates."""
    return [item for item in found if "rc" not in item.version]


def _newest_read(found: Iterable[Release]) -> Release | None:
    """The newest release, of a line of which a wheel was read where there is one.

    Of torch_npu for 2.2 only the Pythons of its wheels are known.
    """
    fitting = _final(found)
    read = [item for item in fitting if line(item.torch) in _read_lines()]
    return next(reversed(read or fitting), None)


def _nearest_patch(found: list[Release], torch: str) -> Release | None:
    """The newest release for the PyTorch of a line whose last number is nearest."""
    wanted = (*numbers(torch), 0, 0)[2]
    distance = min((abs(numbers(item.torch)[2] - wanted) for item in found), default=0)
    near = [item for item in found if abs(numbers(item.torch)[2] - wanted) == distance]
    return near[-1] if near else None


@cache
def _read() -> tuple[Release, ...]:
    """The releases whose wheels were read, by the dates they were built."""
    return tuple(item for item in map(parse, _data()["read"]) if item is not None)


@cache
def _read_lines() -> frozenset[str]:
    return frozenset(line(item.torch) for item in _read())


def _in_words(wheels: frozenset[int]) -> str:
    """A set of wheels in words: by stack, where it contains all wheels from one stack on."""
    if not wheels:
        return ""
    read = _read()
    if len(wheels) == len(read):
        return f"in every release that was read, from {read[0].version} on"
    start, last = min(wheels), max(wheels)
    first, final = read[start].stack, read[last].stack
    whole = frozenset(
        number for number, item in enumerate(read) if item.stack in _between(first, final)
    )
    lacking = whole - wheels
    if len(lacking) >= len(wheels):
        return f"in {_versions(wheels)}"
    without = f", but not in {_versions(lacking)}" if lacking else ""
    if max(whole) == len(read) - 1:
        return f"since stack {first} (first {read[start].version}){without}"
    if min(whole) == 0:
        return f"up to stack {final}{without}"
    stacks = f"in stack {first}" if first == final else f"in stacks {first} to {final}"
    return stacks + without


def _versions(wheels: frozenset[int]) -> str:
    return ", ".join(item.version for number, item in enumerate(_read()) if number in wheels)


def _between(first: str, last: str) -> list[str]:
    """The stacks from one to another."""
    order = list(_data()["stacks"])
    return order[order.index(first) : order.index(last) + 1]
