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
_WRITTEN = _SPECIFIER.replace(r"\s*", "")
_INSTALLED = re.compile(rf"(?<![^\s'\"]){_NAME}{_EXTRAS}({_WRITTEN}|=[\w.*]+)(?=[\s'\"\\]|$)")
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
        if re.fullmatch(r"\d+\.\*", match[2]):
            return None  # any release of that number
        return match[2]


def of_file(kind: str, text: str) -> Iterator[Requirement]:
    """The packages of a file, by its kind."""
    if kind == "requirements":
        yield from _matches(_PIP_LINE, text, 1)
    elif kind == "yaml":
        channels = [match.span() for match in _CHANNELS.finditer(text)]
        for package in _matches(_CONDA_LINE, text, 2):
            if not any(start <= package.start < end for start, end in channels):
                yield package
    else:
        for command in _INSTALL.finditer(text):
            line = text[text.rfind("\n", 0, command.start()) + 1 : command.start()]
            if line.lstrip().startswith("#"):
                continue
            for item in _INSTALLED.finditer(text, command.start(1), command.end(1)):
                yield Requirement(item[1], item.start(1), item[2], item.start(2))


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
