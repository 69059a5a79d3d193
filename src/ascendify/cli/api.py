"""``ascendify api``: what is known of one framework API."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as tf.nn.dropout.")],
) -> None:
    """Say whether NPUs support an API, in the vendor's words and in ours, and its signature."""
    from ascendify.catalog.names import canonical  # noqa: PLC0415 - see the package
    from ascendify.catalog.signatures import signature  # noqa: PLC0415 - see the package

    print(canonical(name), signature(canonical(name)))
