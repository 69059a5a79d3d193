"""``ascendify rule``: everything one rule says about itself."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from collections.abc import Iterator
from textwrap import fill, indent
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ascendify.rules.rule import Rule

_WIDTH = 90
"""Columns a person reads with ease."""


def command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="Such as TF1-SESS-1, or TF1-SESS.")],
) -> None:
    """Explain a rule: why it matters, an example, and how safe its rewrite is."""
    from ascendify.migrate.settings import check_selectors
    from ascendify.rules.registry import codes, covers, entries

    (selector,) = check_selectors((code,), codes())
    asked = [entry.rule for known, entry in entries().items() if covers(selector, known)]
    print("\n\n\n".join("\n".join(_page(rule)) for rule in asked))


def _page(rule: "Rule") -> Iterator[str]:
    yield f"{rule.code}: {rule.title}"
    yield f"Findings: {', '.join(status.value for status in rule.statuses)}"
    for heading, text in (("Why", rule.why), ("How the result may differ", rule.safety)):
        if text:
            yield f"\n{heading}\n"
            # Blank lines part paragraphs; other line breaks are those of the rule's source.
            yield "\n\n".join(_paragraph(part) for part in text.strip().split("\n\n"))
    for heading, code in (("Found", rule.before), ("Becomes", rule.after)):
        if code:
            yield f"\n{heading}\n\n{indent(code.rstrip(), '    ')}"


def _paragraph(text: str) -> str:
    return fill(" ".join(text.split()), _WIDTH, initial_indent="  ", subsequent_indent="  ")
