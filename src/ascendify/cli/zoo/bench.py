"""``ascendify zoo bench``: how fast a network trains here, beside a plain one."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from typing import Annotated, Optional

import typer

from ascendify.cli import options
from ascendify.cli.zoo.needs import check_installed
from ascendify.cli.zoo.train import Device


def command(
    network: Annotated[
        str, typer.Argument(metavar="NAME", help="A network of `ascendify zoo list`.")
    ],
    overrides: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="[NAME=VALUE]...", help="Settings.", show_default=False),
    ] = None,
    *,
    batch: Annotated[
        Optional[list[int]],
        typer.Option("--batch", "-b", metavar="N", min=1, help="A batch size; more than one, too."),
    ] = None,
    preset: Annotated[
        str, typer.Option("--preset", "-p", metavar="NAME", help="Settings to begin with.")
    ] = "fast",
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds of ten steps.")] = 10,
    device: Device = "auto",
    output_format: Annotated[
        options.ListFormat, typer.Option("--output-format", help="How to write the figures.")
    ] = options.ListFormat.TEXT,
    verbose: options.Verbose = False,
) -> None:
    """Measure training steps, and the same of a network written plainly in PyTorch.

    Both begin with the same weights and see the same noise; their first losses must agree. The
    last figure is how much of the time the device works when the loader brings the batches.
    """
    check_installed()
    from ascendify.zoo.bench.told import measure_and_tell

    asked = (network, preset, tuple(overrides or ()), tuple(batch or ()))
    measure_and_tell(*asked, rounds, device, as_json=output_format is options.ListFormat.JSON)
