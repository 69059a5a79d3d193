"""``ascendify rule``: everything one rule says about itself."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from collections.abc import Iterator
from textwrap import fill, indent
from typing import TYPE_CHECKING, Annotated, Union

import typer

if TYPE_CHECKING:
    from ascendify.findings import RuleInfo
    from ascendify.rules.rule import Rule

_WIDTH = 90
"""Columns a person reads with ease."""
_EMULATION = (
    "Seen while the program ran on the CPU: by `ascendify run --strict` and `ascendify verify`. "
    "The finding names the line of the program that causes it."
)


def command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="Such as TF1-SESS-1, or TF1-SESS.")],
) -> None:
    """Explain a rule: why it matters, an example, and how safe its rewrite is."""
    from ascendify.emulation.codes import CODES
    from ascendify.migrate.settings import check_selectors
    from ascendify.rules.registry import codes, covers, entries

    (selector,) = check_selectors((code,), (*codes(), *CODES))
    pages = [_page(entry.rule) for known, entry in entries().items() if covers(selector, known)]
    pages += [_seen(info) for known, info in CODES.items() if covers(selector, known)]
    print("\n\n\n".join("\n".join(page) for page in pages))


def _page(rule: "Rule") -> Iterator[str]:
    yield from _head(rule)
    yield from _text("Why", rule.why)
    yield from _text("How the result may differ", rule.safety)
    for heading, code in (("Found", rule.before), ("Becomes", rule.after)):
        if code:
            yield f"\n{heading}\n\n{indent(code.rstrip(), '    ')}"


def _seen(info: "RuleInfo") -> Iterator[str]:
    """The page of a finding that only running programs can show."""
    yield from _head(info)
    yield from _text("Why", info.why)
    yield from _text("Where it comes from", _EMULATION)


def _head(rule: "Union[Rule, RuleInfo]") -> Iterator[str]:
    yield f"{rule.code}: {rule.title}"
    yield f"Findings: {', '.join(status.value for status in rule.statuses)}"


def _text(heading: str, text: str) -> Iterator[str]:
    if text:
        yield f"\n{heading}\n"
        # Blank lines part paragraphs; other line breaks are those of the rule's source.
        yield "\n\n".join(_paragraph(part) for part in text.strip().split("\n\n"))


def _paragraph(text: str) -> str:
    return fill(" ".join(text.split()), _WIDTH, initial_indent="  ", subsequent_indent="  ")
