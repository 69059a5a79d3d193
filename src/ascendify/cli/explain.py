"""``ascendify explain``: what an error code means, or every code in a log."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

if TYPE_CHECKING:
    from ascendify.cluster.codes import Code, FoundCode

_WIDTH = 90
"""Columns a person reads with ease."""
_SHOWN = 300
"""Characters of a line that are shown."""
_STDIN = "-"
_NOTHING = "no known code or message in it"
_ORDER = (
    "Codes marked 'follows' are most often the consequence of another error: look at the others "
    "first, and at the logs of the other ranks."
)


def command(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="CODE|FILE...", help="Such as EI0006, 507015, train.log, or - for stdin."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Explain error codes of HCCL, CANN and torch_npu: cause, what to check, what to do."""
    from ascendify.cluster.code_search import find_in

    found = [(word, each) for word in what for each in find_in(word)]
    if as_json:
        print(json.dumps([_row(word, each) for word, each in found], indent=2))
        return
    pages = [_page(code, _place(word, each)) for word, each in found for code in (each.code,)]
    print("\n\n".join("\n".join(page) for page in pages) or _NOTHING)
    if any(each.code.follows for _, each in found) and len(found) > 1:
        print(f"\n{fill(_ORDER, _WIDTH)}")


def _place(word: str, found: "FoundCode") -> Optional[str]:
    """Where a code was found; None when it was the word on the command line."""
    if not found.line_number:
        return None
    where = "line" if word == _STDIN else f"{word}:"
    line = "".join(letter if letter.isprintable() else " " for letter in found.line[:_SHOWN])
    return f"{where}{' ' if word == _STDIN else ''}{found.line_number}: {line.strip()}"


def _page(code: "Code", place: Optional[str]) -> Iterator[str]:
    name = f" ({code.name})" if code.name else ""
    yield f"{code.code}{name}: {code.title}"
    if place:
        yield f"  found    {place}"
    yield _fact("meaning", code.meaning)
    yield _fact("cause", code.cause)
    yield _fact("check", code.check)
    yield _fact("fix", code.fix)
    if code.follows:
        yield _fact("follows", "most often from an error of another rank, or further up")
    yield _fact("source", code.source or "none that is public")


def _fact(label: str, text: str) -> str:
    return fill(
        text,
        _WIDTH,
        initial_indent=f"  {label:9}",
        subsequent_indent=" " * 11,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _row(word: str, found: "FoundCode") -> dict[str, Any]:
    from dataclasses import asdict

    row = asdict(found.code)
    row.pop("like")
    if found.line_number:
        row.update(file=word, line_number=found.line_number, line=found.line)
    return {**row, "verified": found.code.verified}
