"""``ascendify api``: what is known of one framework API."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ascendify.catalog.description import ApiDescription


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Such as tf.nn.dropout or torch.Tensor.cuda.")
    ],
) -> None:
    """Say whether NPUs support an API, why, and how it is called."""
    from ascendify.catalog.description import describe
    from ascendify.catalog.support import closest
    from ascendify.errors import UsageError

    known = describe(name)
    if known is None:
        near = closest(name)
        hint = (
            f"did you mean {', '.join(near)}?"
            if near
            else "give a full name: tf.nn.dropout, torch.Tensor.cuda"
        )
        raise UsageError(f"nothing is known of {name}", hint)
    print(known.api)
    facts = list(_facts(known))
    width = max(len(label) for label, _ in facts)
    for label, text in facts:
        print(f"  {label:{width}}  {text}")


def _facts(known: "ApiDescription") -> Iterator[tuple[str, str]]:
    """Label and text of everything that is known, the verdict first."""
    from ascendify.catalog.support import legend, release

    verdict = known.support
    if verdict is None:
        yield "support", "not listed by the vendor"
    else:
        meanings = legend(known.api)
        yield "support", f"{verdict.effective}: {meanings[verdict.effective]}"
        if verdict.vendor != verdict.effective:
            yield "vendor", f"{verdict.vendor}: {meanings[verdict.vendor]}"
        if verdict.note_text:
            yield "note", verdict.note_text
        yield "source", release(known.api)
    if known.counterpart:
        yield "on an NPU", known.counterpart
    if known.advice:
        yield "on an NPU", known.advice
    if known.signature_text:
        yield "signature", known.signature_text
    for label, names in (("bases", known.bases), ("aliases", known.aliases)):
        if names:
            yield label, ", ".join(names)
    if known.returns and known.returns != known.api:
        yield "returns", known.returns
