"""``ascendify zoo bench``: compare the training speed of a network with a plain one."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import dataclasses
import json
from typing import Annotated, Optional

import typer

from ascendify.cli import options
from ascendify.cli.zoo.requirements import check_installed
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
        typer.Option(
            "--batch", "-b", metavar="N", min=1, help="A batch size; can be given several times."
        ),
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
    """Measure training steps of a network, and of the same network in plain PyTorch.

    Both start with the same weights and get the same noise; their first losses must agree. The
    column busy is the share of time that the device computes, with batches from the loader.
    """
    check_installed()
    from ascendify.zoo.bench.measure import Rounds, measure

    as_json = output_format is options.ListFormat.JSON
    request = (network, preset, overrides or (), batch or (), Rounds(rounds=rounds), device)
    for number, found in enumerate(measure(*request)):
        if as_json:
            document = {**dataclasses.asdict(found), "ratio": found.ratio, "busy": found.busy}
            print(json.dumps(document), flush=True)
            continue
        if number == 0:
            print(f"{network} in {found.precision} on {found.device}, samples a second")
            print(" batch      plain        zoo  ratio   busy  losses")
        print(
            f"{found.batch:6d} {found.batch / found.plain:10,.0f} {found.batch / found.zoo:10,.0f}"
            f" {found.ratio:6.2f} {found.busy:6.1%}  {found.plain_loss:.4f} {found.zoo_loss:.4f}",
            flush=True,
        )
