"""Explain error codes and messages in training logs, and what to do about them.

Codes come in four kinds: six characters of CANN (``EI0006``), six digits of ACL (``507015``), small
numbers of HCCL (``error code is 9``), and torch_npu's ``ERR02200``. A number counts as a code only
next to words such as ``error code``, so that steps and losses never do. Messages without a code
(symptoms) have a name here, such as ``port-in-use``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ascendify.cluster._data import table

_CANN = r"\b(?P<cann>[EW][1-9A-Z]\d{4})\b(?P<reported>[:)\]\[]| ?Inner Error)?"
_TORCH_NPU = r"\b(?P<torch_npu>ERR\d{5})\b"
_NAMED = r"\b(?P<named>(?:ACL|ACLNN|HCCL)_E(?:RR(?:OR)?)?_\w+)"
_HCCL = (
    r"(?:HCCL function error.{0,400}?error code is|\bhcclRet ->|\bHCCL\(.{0,400}?\bret(?:\[| ->))"
    r" ?(?P<hccl>\d{1,4})\b"
)
_LOGGED = r"\berrNo\[0x0{8}05[0-9a-f]{2}(?P<logged>[0-9a-f]{4})\]"
"""The result code of HCCL that its own log prints after the module's number."""
_NUMBER = (
    r"(?:\berror code(?: is)?|\berror_code|\berrno|\bretcode|\bresult|\bret(?:urn)?|\bcode)"
    r"[ :=\[(]{1,4}(?P<number>[1235]\d{5})\b"
)
_CODE = re.compile("|".join((_CANN, _TORCH_NPU, _NAMED, _HCCL, _LOGGED, _NUMBER)), re.IGNORECASE)
_PERHAPS = re.compile(r"[EW][1-9A-Z][0-9]{4}|[1235][0-9]{5}")
_CODE_WORDS = ("err0", "err9", "hccl", "errno[", "acl_err", "aclnn_err")
"""A line with a code contains one of these words in lower case, or matches ``_PERHAPS``."""
_INTERNAL = "9"
"""Third character of codes of CANN that report an error inside the software."""
_FOR_SEARCH = ("pattern", "words")
"""Fields of an entry that are used to find it in a log."""


@dataclass(frozen=True)
class Code:
    """One code or symptom: what it means and what to do about it."""

    code: str
    family: str
    title: str
    meaning: str
    cause: str
    check: str
    fix: str
    source: str | None
    """The document with this explanation; None when no public source was found."""
    name: str = ""
    """The name of a number, such as ACL_ERROR_RT_AICORE_EXCEPTION."""
    follows: bool = False
    """Whether it is mostly the consequence of an error of another rank, or earlier in the log."""
    like: tuple[str, ...] = ()
    """Codes with the same meaning: a symptom is not reported if one of them was found."""

    @property
    def verified(self) -> bool:
        """Whether a public source has this explanation."""
        return self.source is not None


@dataclass(frozen=True)
class FoundCode:
    """A code found in a text, at its first occurrence."""

    code: Code
    line_number: int
    """Counted from 1."""
    line: str


def explain(lines: Iterable[str]) -> list[FoundCode]:
    """Find every known code and symptom in a text, each once, in the order of their first lines."""
    found: dict[str, FoundCode] = {}
    for number, line in enumerate(lines, start=1):
        for code in _codes_in(line):
            found.setdefault(code.code, FoundCode(code, number, line.rstrip()))
    return [each for each in found.values() if not found.keys() & set(each.code.like)]


def lookup(word: str) -> Code | None:
    """Look up a code in any spelling; None when it is unknown."""
    folded = word.strip().casefold()
    known = _by_name().get(folded)
    if known is not None:
        return known
    match = re.fullmatch(r"(?:err\d{5}|e[1-9a-z]\d{4}|[1235]\d{5})", folded)
    return _derive(folded.upper()) if match else None


def all_codes() -> tuple[Code, ...]:
    """Return every code of the table, in the order of the documentation."""
    return tuple(_table_codes())


def spellings() -> list[str]:
    """Return every spelling that ``lookup`` accepts, to suggest one after a typing error."""
    return [spelling for code in _table_codes() for spelling in (code.code, code.name) if spelling]


def _codes_in(line: str) -> Iterator[Code]:
    folded = line.lower()
    present = [word for word in _words() if word in folded]
    if present or _PERHAPS.search(line):
        yield from filter(None, map(_find_code, _CODE.finditer(line)))
    for words, pattern, code in _symptoms() if present else ():
        if words.intersection(present) and pattern.search(line):
            yield code


def _find_code(match: re.Match[str]) -> Code | None:
    kind, text = next((kind, text) for kind, text in match.groupdict().items() if text)
    if kind in ("hccl", "logged"):
        number = int(text, 16 if kind == "logged" else 10)
        return _by_name().get(f"hccl-{number}")
    if kind == "cann":
        # letters and digits alone may be anything, so a code must be known or reported as one
        known = _by_name().get(text.casefold()) if text.isupper() else None
        return known or (_derive(text) if match["reported"] and text[0] == "E" else None)
    return lookup(text)


def _derive(code: str) -> Code | None:
    """Conclude what is known from the form of a code that is not in the table."""
    if code.startswith("ERR"):
        return _derive_torch_npu(code)
    if code.isdigit():
        return _derive_class(code)
    module = table("error-codes")["modules"].get(code[1])
    if module is None:
        return None
    inside = code[2] == _INTERNAL
    return Code(
        code=code,
        family="derived",
        title=f"An error {'inside' if inside else 'reported by'} {module}",
        meaning="The table has no entry for this code; its second character names the module.",
        cause="The text behind the code says more.",
        check="the lines after it, and the newest files under ~/ascend/log/debug/plog",
        fix="act on the text; the vendor's support helps with errors inside the software"
        if inside
        else "act on the text: codes below 9000 are about input or environment",
        source=_source("letters"),
    )


def _derive_torch_npu(code: str) -> Code | None:
    kind = _by_name().get(f"err**{code[-3:]}")
    module = table("error-codes")["torch_npu_modules"].get(code[3:5])
    if kind is None or module is None:
        return None
    return replace(kind, code=code, meaning=f"Reported by torch_npu about {module}.")


def _derive_class(code: str) -> Code:
    about = table("error-codes")["classes"][code[0]]
    return Code(
        code=code,
        family="derived",
        title=f"A call failed: {about}",
        meaning="The table has no entry for this number; its first digit names the class.",
        cause="The E code in the same message says more.",
        check="the lines around it, and the newest files under ~/ascend/log/debug/plog",
        fix="act on the E code",
        source=_source("aclError"),
    )


def _source(key: str | None) -> str | None:
    return None if key is None else str(table("error-codes")["sources"].get(key, key))


@cache
def _table_codes() -> list[Code]:
    return [_code(entry) for entry in table("error-codes")["codes"]]


def _code(entry: dict[str, Any]) -> Code:
    fields = {key: value for key, value in entry.items() if key not in _FOR_SEARCH}
    like = tuple(entry.get("like", ()))
    return Code(**{**fields, "source": _source(entry["source"]), "like": like})


@cache
def _by_name() -> dict[str, Code]:
    """Map the case-folded code and name of every entry to the entry."""
    return {
        spelling.casefold(): code
        for code in _table_codes()
        for spelling in (code.code, code.name)
        if spelling
    }


@cache
def _symptoms() -> tuple[tuple[frozenset[str], re.Pattern[str], Code], ...]:
    """Return for each message without a code: words, one of which a line has; pattern; entry."""
    return tuple(
        (frozenset(entry["words"]), re.compile(entry["pattern"], re.IGNORECASE), code)
        for code, entry in zip(_table_codes(), table("error-codes")["codes"])
        if "pattern" in entry
    )


@cache
def _words() -> tuple[str, ...]:
    """Return all words of which a line must have one; most lines have none and are skipped fast."""
    return tuple({*_CODE_WORDS, *(word for words, _, _ in _symptoms() for word in words)})
