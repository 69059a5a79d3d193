"""``ascendify zoo list``: the networks, and the presets each can be trained with."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
from typing import Annotated

import typer

from ascendify.cli import options


def command(
    output_format: Annotated[
        options.ListFormat, typer.Option("--output-format", help="How to write the list.")
    ] = options.ListFormat.TEXT,
) -> None:
    """List the networks and their presets."""
    from ascendify.zoo.networks import NETWORKS

    if output_format is options.ListFormat.JSON:
        listed = [
            {
                "name": network.name,
                "title": network.title,
                "parameters": network.parameters,
                "presets": dict(network.presets),
            }
            for network in NETWORKS
        ]
        print(json.dumps(listed, indent=2))
        return
    for network in NETWORKS:
        print(f"{network.name:14} {network.title} ({network.parameters / 1e6:.2f} M parameters)")
        for preset, purpose in network.presets.items():
            print(f"  {preset:12} {purpose}")
