"""``ascendify zoo predict``: read pictures with a trained network."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from ascendify.cli import options
from ascendify.cli.zoo.evaluate import Checkpoint
from ascendify.cli.zoo.requirements import check_installed
from ascendify.cli.zoo.train import Device


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training.")],
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURE", help="PNG or JPEG.")],
    *,
    out: Annotated[
        Optional[Path],
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Where to write pictures that show what was read, and where.",
            show_default="RUN/predictions",
        ),
    ] = None,
    checkpoint: Checkpoint = "best",
    device: Device = "auto",
    output_format: Annotated[
        options.ListFormat, typer.Option("--output-format", help="How to write what was read.")
    ] = options.ListFormat.TEXT,
    verbose: options.Verbose = False,
) -> None:
    """Read pictures with a checkpoint of a run; Attention-OCR also shows where."""
    check_installed()
    from ascendify.zoo import runs
    from ascendify.zoo.predict import predict

    found = predict(runs.find(run), pictures, out or run / "predictions", device, checkpoint)
    if output_format is options.ListFormat.TEXT:
        for each in found:
            print(f"{each.picture}: {each.text} ({each.confidence:.0%})", flush=True)
        return
    documents = [
        {
            "picture": str(each.picture),
            "text": each.text,
            "confidence": each.confidence,
            "written": {kind: str(path) for kind, path in each.written.items()},
        }
        for each in found
    ]
    print(json.dumps(documents, indent=2, ensure_ascii=False))
