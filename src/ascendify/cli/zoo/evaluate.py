"""``ascendify zoo evaluate``: measure a trained network on the samples it was not trained with."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascendify.cli import options
from ascendify.cli.zoo.requirements import check_installed
from ascendify.cli.zoo.train import Data, Device

if TYPE_CHECKING:
    from ascendify.zoo.training.evaluation import Evaluation

Checkpoint = Annotated[
    str,
    typer.Option("--checkpoint", metavar="NAME", help="best, last, or a file of the run."),
]


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training.")],
    *,
    data: Data = None,
    checkpoint: Checkpoint = "best",
    device: Device = "auto",
    output_format: Annotated[
        options.ListFormat, typer.Option("--output-format", help="How to write the metrics.")
    ] = options.ListFormat.TEXT,
    verbose: options.Verbose = False,
) -> None:
    """Evaluate a checkpoint of a run on all test samples."""
    check_installed()
    from ascendify.zoo import runs
    from ascendify.zoo.training.evaluation import evaluate_run

    found = evaluate_run(runs.find(run), device, checkpoint, data)
    if found is not None:  # else another rank prints it
        _print_result(found, output_format)


def _print_result(found: "Evaluation", output_format: options.ListFormat) -> None:
    if output_format is options.ListFormat.JSON:
        print(json.dumps({"step": found.step, **found.values}, indent=2))
        return
    for line in found.lines:
        print(line)
