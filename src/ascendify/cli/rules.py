"""``ascendify rules``: list every rule, one per line."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
from typing import Annotated

import typer

from ascendify.cli.options import ListFormat


def command(
    output_format: Annotated[
        ListFormat, typer.Option("--output-format", help="How to write the list.")
    ] = ListFormat.TEXT,
) -> None:
    """List every rule: its code, the statuses of its findings, and its title."""
    from ascendify.emulation.codes import CODES
    from ascendify.rules.registry import entries

    listed = [*(entry.info for entry in entries().values()), *CODES.values()]
    if output_format is ListFormat.JSON:
        rows = [
            {
                "code": info.code,
                "family": info.family,
                "title": info.title,
                "why": info.why,
                "statuses": [status.value for status in info.statuses],
            }
            for info in listed
        ]
        print(json.dumps(rows, indent=2))
        return
    width = max(len(info.code) for info in listed)
    statuses = {info.code: ", ".join(status.value for status in info.statuses) for info in listed}
    wide = max(map(len, statuses.values()))
    for info in listed:
        print(f"{info.code:{width}}  {statuses[info.code]:{wide}}  {info.title}")
