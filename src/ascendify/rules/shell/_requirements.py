"""Read required packages from pip's files, conda's environments, pip commands and setup.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PINNED = re.compile(r"\s*(===?|~=|>=|<=|!=|>|<|=)\s*([\w.*+!-]+)")
_VERSION = r"(?:===?|~=|>=|<=|!=|>|<)\s*[\w.*+!-]+"
_SPECIFIER = rf"(?:\s*{_VERSION}(?:\s*,\s*{_VERSION})*)?"
_NAME = r"([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)"
_EXTRAS = r"(?:\[[^\]]*\])?"
_PIP_LINE = re.compile(rf"^[ \t]*{_NAME}{_EXTRAS}({_SPECIFIER})(?=\s*(?:[;#\\]|--hash|@|$))", re.M)
_CONDA_LINE = re.compile(
    rf"^[ \t]*-[ \t]*(['\"]?)(?:[\w-]+::)?{_NAME}{_EXTRAS}"
    rf"({_SPECIFIER}|\s*=[\w.*=]+)\1(?=\s*(?:[;#]|$))",
    re.M,
)
_CHANNELS = re.compile(r"^channels:[^\n]*\n(?:[ \t]*(?:[-#][^\n]*)?\r?\n)*", re.M)
"""The list of conda channels, one of which is called pytorch like the package."""
_INSTALL = re.compile(r"\b(?:pip[\d.]*|conda|mamba)[ \t]+install\b((?:[^\n\\;&|]|\\\r?\n|\\.)*)")
_INSTALLED = re.compile(
    rf"(?<![^\s'\"]){_NAME}{_EXTRAS}({_SPECIFIER.replace(chr(92) + 's*', '')}|=[\w.*=]+)"
    r"(?=[\s'\"\\]|$)"
)
_QUOTED = re.compile(r"""(["'])([^"'\n]*)\1""")
_ARRAY = re.compile(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*\[", re.M)
_TABLE = re.compile(r"^\[+([^\]\n]+)\]+", re.M)
_GROUPS = ("project.optional-dependencies", "dependency-groups")
"""Tables of pyproject.toml in which every array lists packages."""
_ENTRY = re.compile(
    rf"""^[ \t]*["']?{_NAME}["']?[ \t]*=[ \t]*(?:["']([^"'\n]*)["']|\{{[^}}\n]*?"""
    r"""version[ \t]*=[ \t]*["']([^"'\n]*)["'])""",
    re.M,
)
"""``name = "1.0"`` and ``name = {version = "1.0"}`` of poetry and Pipfile."""
_TAKES_WORD = re.compile(
    r"(?<!\S)(?:-[cnfir]|--(?:channel|name|index-url|extra-index-url|find-links|requirement))"
    r"[ \t]+['\"]?$"
)
"""An option whose next word is no package; ``$`` is where the search ends."""
_STRING = re.compile(rf"\s*{_NAME}{_EXTRAS}({_SPECIFIER})\s*(?:;.*)?")


@dataclass(frozen=True)
class Requirement:
    """One package of a requirements file."""

    name: str
    start: int
    """Offset of the name."""
    specifier: str
    """The required versions, as written."""
    specifier_start: int
    """Offset of the specifier."""

    @property
    def end(self) -> int:
        """Offset past name and specifier."""
        return self.specifier_start + len(self.specifier)

    @property
    def text(self) -> str:
        """Name and versions."""
        return self.name + self.specifier.strip()

    @property
    def pinned(self) -> str | None:
        """The one required version, None when several are allowed."""
        match = _PINNED.fullmatch(self.specifier.rstrip())
        if match is None or match[1] not in ("==", "===", "=", "~="):
            return None
        return match[2]


def of_file(kind: str, text: str, path: str = "") -> Iterator[Requirement]:
    """The packages of a file, by its kind; a configuration file is known by its name."""
    if kind == "requirements":
        yield from _matches(_PIP_LINE, text, 1)
    elif kind == "yaml":
        channels = [match.span() for match in _CHANNELS.finditer(text)]
        for package in _matches(_CONDA_LINE, text, 2):
            if not any(start <= package.start < end for start, end in channels):
                yield package
    elif kind == "config":
        yield from _of_project(path, text)
    else:
        for command in _INSTALL.finditer(text):
            line = text[text.rfind("\n", 0, command.start()) + 1 : command.start()]
            if line.lstrip().startswith("#"):
                continue
            for item in _INSTALLED.finditer(text, command.start(1), command.end(1)):
                if _TAKES_WORD.search(text, command.start(1), item.start()):
                    continue
                yield Requirement(item[1], item.start(1), item[2], item.start(2))


def same_command(text: str, item: Requirement, other: Requirement) -> bool:
    """Whether one command installs two packages."""
    return any(
        command.start(1) <= min(item.start, other.start)
        and max(item.end, other.end) <= command.end(1)
        for command in _INSTALL.finditer(text)
    )


def of_pyproject(text: str) -> Iterator[tuple[re.Match[str], Requirement]]:
    """The strings of a pyproject.toml that name packages; offsets count from the string's text."""
    for match in _QUOTED.finditer(text):
        item = of_string(match[2])
        if item is not None and _lists_packages(text, match.start()):
            yield match, item


def table_of(text: str, at: int) -> str:
    """The name of the table of a TOML file that a place is in."""
    return _before(_TABLE, text, at)


def _of_project(path: str, text: str) -> Iterator[Requirement]:
    """Packages in pyproject.toml, setup.cfg and Pipfile; none in other configuration files."""
    name = path.rpartition("/")[2]
    if name == "setup.cfg":
        for item in of_file("requirements", text):
            if text[item.start - 1 : item.start] in (" ", "\t"):
                yield item
    if name == "pyproject.toml":
        for match, item in of_pyproject(text):
            base = match.start(2)
            yield Requirement(
                item.name, base + item.start, item.specifier, base + item.specifier_start
            )
    if name in ("pyproject.toml", "Pipfile"):
        for match in _ENTRY.finditer(text):
            table = table_of(text, match.start())
            if (table.endswith("dependencies") and ".poetry." in f".{table}.") or (
                name == "Pipfile" and table in ("packages", "dev-packages")
            ):
                number = 2 if match[2] is not None else 3
                yield Requirement(match[1], match.start(1), match[number], match.start(number))


def _lists_packages(text: str, at: int) -> bool:
    """Whether a string of pyproject.toml is in an array that lists packages to install."""
    table = table_of(text, at)
    return table in _GROUPS or (table == "project" and _before(_ARRAY, text, at) == "dependencies")


def _before(pattern: re.Pattern[str], text: str, at: int) -> str:
    """The first group of the last match of a pattern before a place; empty without one."""
    names = [found[1].strip() for found in pattern.finditer(text, 0, at)]
    return names[-1] if names else ""


def of_string(text: str) -> Requirement | None:
    """The package a string of ``install_requires`` names; offsets count from its start."""
    match = _STRING.fullmatch(text)
    return (
        None if match is None else Requirement(match[1], match.start(1), match[2], match.start(2))
    )


def has_hash(text: str, requirement: Requirement) -> bool:
    """Whether the line, continued lines included, pins the hash of the file to install."""
    rest = re.match(r"(?:[^\n\\]|\\\r?\n|\\.)*", text[requirement.end :])
    return rest is not None and "--hash" in rest[0]


def _matches(pattern: re.Pattern[str], text: str, group: int) -> Iterator[Requirement]:
    for match in pattern.finditer(text):
        yield Requirement(
            match[group], match.start(group), match[group + 1], match.start(group + 1)
        )
