"""``ascendify zoo train``: train a network."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import os
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from ascendify.cli import options
from ascendify.cli.zoo.requirements import check_installed

Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="NAME",
        help="cpu, cuda, npu, emulated-npu; auto takes an NPU, else a GPU, else the CPU.",
    ),
]
Data = Annotated[
    Optional[Path],
    typer.Option(
        "--data", metavar="FOLDER", help="Your data.", show_default="samples rendered here"
    ),
]


def command(
    network: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A network of `ascendify zoo list`, or a recipe of yours: package.module:Class.",
        ),
    ],
    overrides: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="[NAME=VALUE]...",
            help="Settings, such as train.steps=1000 or train.optimizer.lr=0.01.",
            show_default=False,
        ),
    ] = None,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the run is written.")
    ],
    preset: Annotated[
        Optional[str],
        typer.Option(
            "--preset", "-p", metavar="NAME", help="Settings to start with.", show_default="guide"
        ),
    ] = None,
    config: Annotated[
        Optional[Path],
        typer.Option(
            "--config",
            "-c",
            metavar="FILE",
            help="Settings from a JSON or TOML file, such as the config.json of a run.",
        ),
    ] = None,
    data: Data = None,
    init: Annotated[
        Optional[Path],
        typer.Option(
            "--init",
            metavar="CKPT",
            help="Weights to start with: a run, or a checkpoint of torchvision, timm or BiT.",
            show_default=False,
        ),
    ] = None,
    exclude: Annotated[
        Optional[list[str]],
        typer.Option(
            "--exclude",
            metavar="PART",
            help="A part that starts anew, such as head; can be given several times.",
            show_default=False,
        ),
    ] = None,
    classes: Annotated[
        Optional[int],
        typer.Option(
            "--num-classes", metavar="N", min=2, help="Classes of your data.", show_default=False
        ),
    ] = None,
    device: Device = "auto",
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume the run in --out, if there is one."),
    ] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Train a network: on one device, or as one of the ranks that a launcher starts.

    Ctrl-C saves a checkpoint, from which --resume continues. Several devices: ascendify launch -n 8
    -- ascendify zoo train NAME --out FOLDER.
    """
    check_installed()
    from ascendify.zoo import runs
    from ascendify.zoo.training.loop import train

    transfer = runs.TransferRequest(init, tuple(exclude or ()), classes)
    run = runs.plan(
        runs.TrainingRequest(
            network, out, preset, config, tuple(overrides or ()), data, resume, transfer
        )
    )
    train(run, device, print_line=_print_line, quiet=quiet)


def _print_line(line: str) -> None:
    """Print a line.

    Raises:
        BrokenPipeError: the reader has closed the pipe.
    """
    try:
        print(line, flush=True)
    except BrokenPipeError:
        # at exit Python writes the rest of the buffer, and would fail again
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise
