"""Character sets: which character is which class, and the guides' files for them.

The CRNN guide has a pair of JSON files, ``char_dict.json`` and ``ord_map.json``. Their order
comes from a Python set and differs between machines, so a checkpoint needs the pair it was trained
with. Attention-OCR has one text file, ``charset_size=134.txt``; the one here is
that of tensorflow/models, research/attention_ocr/python/datasets/testdata/fsns, copyright the
TensorFlow Authors, Apache License 2.0, unchanged.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Optional

from ascendify.errors import UsageError

NULL_NAME = "<nul>"
"""Name of the null class in a charset file."""


@dataclass(frozen=True)
class Charset:
    """Characters by class. One class is not a character: CTC's blank, or the null after a text."""

    symbols: tuple[str, ...]
    """By class; that of ``null`` is empty."""
    null: int
    folds: bool = False
    """Whether capitals are converted to lower case."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Further characters of a class: FSNS has three apostrophes in one class."""

    def __len__(self) -> int:
        return len(self.symbols)

    def encode(self, text: str, length: Optional[int] = None) -> list[int]:
        """Return the classes of a text, padded with null to a length if one is given."""
        by_symbol = {**{symbol: i for i, symbol in enumerate(self.symbols)}, **self.others}
        text = text.lower() if self.folds else text
        unknown = sorted(set(text) - set(by_symbol))
        if unknown:
            raise UsageError(
                f"{text!r}: the network has no class for {', '.join(map(repr, unknown))}",
                "leave such texts out, or train with a charset that has these characters",
            )
        if length is not None and len(text) > length:
            raise UsageError(
                f"{text!r} has {len(text)} characters, more than the {length} of a label",
                "leave such texts out, or cut them",
            )
        padding = 0 if length is None else length - len(text)
        return [by_symbol[symbol] for symbol in text] + [self.null] * padding

    def decode(self, classes: Iterable[int]) -> str:
        """Return the text of classes; null adds no character."""
        return "".join(self.symbols[i] for i in classes)


def crnn() -> Charset:
    """Return the 36 characters of the CRNN guide in their natural order, and the blank, 36."""
    symbols = string.digits + string.ascii_lowercase
    return Charset((*symbols, ""), null=len(symbols), folds=True)


def fsns() -> Charset:
    """Return the 134 classes of FSNS, as released with it."""
    file = resources.files("ascendify.zoo.text") / "charset_size=134.txt"
    return _parse(file.read_text(encoding="utf-8"), "charset_size=134.txt")


def read_fsns(path: Path) -> Charset:
    """Read a charset file of Attention-OCR: lines ``class<TAB>character``, in any order.

    A class with several characters is decoded to the first. (Upstream takes the last, so that
    hyphens become dashes.)
    """
    return _parse(_text(path), str(path))


def _parse(text: str, name: str) -> Charset:
    first: dict[int, str] = {}
    others: dict[str, int] = {}
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line:
            continue
        index, tab, symbol = line.partition("\t")
        if not tab or not index.isdecimal() or (len(symbol) != 1 and symbol != NULL_NAME):
            raise UsageError(
                f"{name}:{number}: {line!r} is not a class and a character",
                f"each line is a number, a tab and one character, or {NULL_NAME} for the null",
            )
        if symbol in others or symbol in first.values():
            raise UsageError(
                f"{name}:{number}: {symbol!r} has a class already", "remove one of the two lines"
            )
        if int(index) in first:
            others[symbol] = int(index)
        else:
            first[int(index)] = symbol
    return _build(first, others, name)


def _build(first: Mapping[int, str], others: Mapping[str, int], name: str) -> Charset:
    """Build a charset after checking that no class is missing."""
    missing = sorted(set(range(len(first))) - set(first))
    if missing:
        raise UsageError(
            f"{name}: goes up to class {max(first)} but has no class {missing[0]}",
            "classes count from 0 without a gap: the file is cut short or edited, copy it again",
        )
    null = next((i for i, symbol in first.items() if symbol == NULL_NAME), None)
    if null is None:
        raise UsageError(
            f"{name}: has no class {NULL_NAME}", "one line must be: 133<TAB><nul>, or its number"
        )
    symbols = tuple("" if i == null else first[i] for i in range(len(first)))
    return Charset(symbols, null, others=dict(others))


def read_crnn(char_dict: Path, ord_map: Path) -> Charset:
    """Read the pair of files of the CRNN guide; the blank comes after their characters."""
    characters, numbers = _strings(char_dict), _strings(ord_map)
    count = sum(key.endswith("_index") for key in numbers)
    symbols = []
    for i in range(count):
        code = _entry(numbers, f"{i}_index", ord_map)
        back = _entry(numbers, f"{code}_ord", ord_map)
        if back != str(i):
            raise _wrong(ord_map, f"{code}_ord", back, str(i))
        symbol = _entry(characters, f"{code}_ord", char_dict)
        if len(symbol) != 1 or str(ord(symbol)) != code:
            raise _wrong(char_dict, f"{code}_ord", symbol, f"the character of code {code}")
        symbols.append(symbol)
    if not symbols:
        raise UsageError(f"{ord_map}: has no key 0_index", "is it ord_map.json of the guide?")
    folds = not any(symbol != symbol.lower() for symbol in symbols)
    return Charset((*symbols, ""), null=count, folds=folds)


def write_crnn(charset: Charset, char_dict: Path, ord_map: Path) -> None:
    """Write the pair of files, byte for byte as upstream's tool does."""
    symbols = charset.symbols[: charset.null]
    codes = {f"{ord(symbol)}_ord": symbol for symbol in symbols}
    numbers = {f"{i}_index": str(ord(symbol)) for i, symbol in enumerate(symbols)}
    numbers.update({f"{ord(symbol)}_ord": str(i) for i, symbol in enumerate(symbols)})
    for path, content in ((char_dict, codes), (ord_map, numbers)):
        path.write_text(json.dumps(content, sort_keys=True, indent=4), encoding="utf-8")


def _strings(path: Path) -> dict[str, str]:
    """Read a JSON object whose values are strings."""
    try:
        content = json.loads(_text(path))
    except ValueError as error:
        raise UsageError(f"{path}: is not JSON: {error}", "copy the file again") from None
    if not isinstance(content, dict):
        raise UsageError(f"{path}: is not a JSON object", "is it a file of the guide's char_dict?")
    for key, value in content.items():
        if not isinstance(value, str):
            raise _wrong(path, key, value, "a string")
    return content


def _entry(content: Mapping[str, str], key: str, path: Path) -> str:
    if key not in content:
        raise UsageError(
            f"{path}: has no key {key}",
            "char_dict.json and ord_map.json must be the pair that was written together",
        )
    return content[key]


def _wrong(path: Path, key: str, found: object, expected: str) -> UsageError:
    return UsageError(
        f"{path}: key {key} is {found!r}, not {expected}",
        "char_dict.json and ord_map.json must be the pair that was written together",
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a file that can be read") from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path}: is not UTF-8 at byte {error.start}", "save it as UTF-8"
        ) from None
