"""Write data as readable YAML: in block style, quoted wherever a parser could misread it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Union

Value = Union[None, bool, int, float, str, Sequence["Value"], Mapping[str, "Value"]]

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*")
_GUESSED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
"""Texts that some YAML parsers read as another type."""
_UNSAFE = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Characters that YAML does not allow, or reads as the end of a line."""


def dump(documents: Sequence[Value]) -> str:
    """Return several documents as one text."""
    return "---\n".join("\n".join(_block(document, 0)) + "\n" for document in documents)


def _block(value: Value, indent: int) -> Iterator[str]:
    margin = " " * indent
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _entry(f"{margin}{_scalar(key)}:", item, indent + 2)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for item in value:
            first, *rest = _block(item, indent + 2)
            yield f"{margin}- {first[indent + 2 :]}"
            yield from rest
    else:
        yield margin + _scalar(value)


def _entry(start: str, value: Value, indent: int) -> Iterator[str]:
    if isinstance(value, str) and _is_literal(value):
        yield f"{start} |"
        margin = " " * indent
        yield from (margin + line if line else "" for line in value[:-1].split("\n"))
    elif isinstance(value, (Mapping, list, tuple)) and value:
        yield start
        yield from _block(value, indent)
    else:
        yield f"{start} {_scalar(value)}"


def _is_literal(text: str) -> bool:
    """Whether a text can be written in YAML's literal style without change."""
    return (
        "\n" in text[:-1]
        and text.endswith("\n")
        and text[-2] != "\n"
        and not text[0].isspace()
        and "\r" not in text
        and _UNSAFE.search(text) is None
    )


def _scalar(value: Value) -> str:
    if isinstance(value, str):
        if _PLAIN.fullmatch(value) and value.lower() not in _GUESSED:
            return value
        text = json.dumps(value, ensure_ascii=False)
        return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return json.dumps(value)
