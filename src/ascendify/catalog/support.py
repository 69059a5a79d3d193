"""What the vendor says about an API, and what to believe of it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache
from typing import Any

from ascendify.catalog import names
from ascendify.catalog._data import table

_HOROVOD = ("horovod.tensorflow.keras.", "horovod.tensorflow.", "horovod.keras.")
"""The modules the vendor's table lists under ``hvd``; the longest comes first."""


@dataclass(frozen=True)
class Support:
    """The verdict on one API."""

    api: str
    """The name the verdict was given under; a package when the vendor judged only that."""
    vendor: str
    """The vendor's status: supported, tool, tool_train, unsupported, harmless, deprecated, ..."""
    effective: str
    """The status to act on: contradictions resolved, compatibility names looked through."""
    note: str
    """Key of the vendor's remark, ``none`` without one."""
    note_text: str
    """The remark in words, and what is known beyond it; empty without one."""
    conflict: bool
    """True when the vendor contradicts itself about this API."""
    canonical: str | None
    """For names of ``tf.compat``: the API they stand for."""
    doc_listed: bool
    """True when the vendor's documentation lists the API as supported as well."""
    module: str
    """The group the vendor lists it in."""


@cache
def lookup(api: str) -> Support | None:
    """The verdict on an API under any of its names, None when the vendor does not list it.

    A contrib name that is not listed itself has the verdict of its package.
    """
    rows = _rows()
    for name in _spellings(api):
        if name in rows:
            return _support(name)
    return None


def listed(*effective: str) -> list[str]:
    """Every listed name whose verdict to act on is one of these, in the order of the table."""
    return [
        f"{module}.{word}"
        for _, verdict, *_, modules in _table()["rows"]
        if verdict in effective
        for module, words in modules.items()
        for word in words.split()
    ]


def release() -> str:
    """The vendor release the verdicts were taken from."""
    words: str = _table()["release"]
    return words


def legend() -> dict[str, str]:
    """Every status and what it means, in one sentence."""
    return dict(_table()["legend"])


def closest(api: str, n: int = 3) -> list[str]:
    """Listed names that look like a misspelt one: those that end alike first."""
    name = names.canonical(api)
    known = [item for item in _rows() if not item.startswith("tf.compat.")]
    last = name.rpartition(".")[2]
    alike = [item for item in known if item.rpartition(".")[2] == last and item != name]
    alike.sort(key=lambda item: (-difflib.SequenceMatcher(None, item, name).ratio(), item))
    near = difflib.get_close_matches(name, known, n=n + 1, cutoff=0.75)
    return [item for item in dict.fromkeys([*alike, *near]) if item != name][:n]


def _spellings(api: str) -> list[str]:
    """The names an API may be listed under, best first."""
    name = names.canonical(api)
    found = [api, name, names.primary(name)]
    if name.startswith("tf.contrib."):
        parts = name.split(".")
        found += [".".join(parts[:end]) for end in range(len(parts) - 1, 2, -1)]
    for module in _HOROVOD:
        if name.startswith(module):
            found.append("hvd." + name[len(module) :])
            break
    return found


@cache
def _support(name: str) -> Support:
    data = _table()
    vendor, effective, note, conflict, doc_listed, module = data["rows"][_rows()[name]][:-1]
    stands_for = "tf." + name.split(".", 3)[-1] if vendor == "compat" else None
    texts = [data["notes"][note], data["evidence"].get(name, "")]
    worse = data["worse_spelling"].get(name)
    if worse is not None:
        texts.append(f"The same object is rated {effective} under the name {worse}.")
    if stands_for is not None:
        behind = _support(stands_for) if stands_for in _rows() else None
        texts = [behind.note_text if behind is not None else ""]
        conflict = behind is not None and behind.conflict
    return Support(
        api=name,
        vendor=vendor,
        effective=effective,
        note=note,
        note_text=" ".join(filter(None, texts)),
        conflict=conflict,
        canonical=stands_for,
        doc_listed=doc_listed,
        module=module,
    )


@cache
def _rows() -> dict[str, int]:
    """API -> index of its group of equal verdicts."""
    return {
        f"{module}.{word}": index
        for index, (*_, modules) in enumerate(_table()["rows"])
        for module, words in modules.items()
        for word in words.split()
    }


def _table() -> dict[str, Any]:
    return table("support-tf1")
