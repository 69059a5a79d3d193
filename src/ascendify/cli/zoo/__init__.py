"""``ascendify zoo``: reference networks for CPU, GPU and NPU."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import sys

import typer

from ascendify.cli.zoo import bench, data, evaluate, export, predict, train
from ascendify.cli.zoo import list as listing

app = typer.Typer(help="Reference networks that train on CPU, GPU and NPU.")
app.command("list")(listing.command)
app.command("train")(train.command)
app.command("evaluate")(evaluate.command)
app.command("predict")(predict.command)
app.command("export")(export.command)
app.command("bench")(bench.command)
app.add_typer(data.app, name="data")


def exit_rank(code: int) -> None:
    """Exit this process at once if it is a rank that must skip Python's shutdown."""
    if "ascendify.zoo.device" in sys.modules:
        from ascendify.zoo import device

        device.exit_rank(code)
