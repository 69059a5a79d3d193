"""``ascendify zoo export``: a trained network as an ONNX file."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascendify.cli import options
from ascendify.cli.zoo.evaluate import Checkpoint
from ascendify.cli.zoo.requirements import check_installed

if TYPE_CHECKING:
    from ascendify.zoo.export import ExportResult


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training.")],
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The ONNX file to write.")
    ],
    batch: Annotated[
        int,
        typer.Option("--batch", "-b", metavar="N", min=1, help="Pictures per call of the model."),
    ] = 1,
    checkpoint: Checkpoint = "best",
    opset: Annotated[
        int,
        typer.Option(
            "--opset",
            metavar="N",
            min=13,
            help="Version of ONNX's operators; an ATC supports only some.",
        ),
    ] = 13,
    output_format: Annotated[
        options.ListFormat, typer.Option("--output-format", help="How to write what was done.")
    ] = options.ListFormat.TEXT,
    verbose: options.Verbose = False,
) -> None:
    """Write a checkpoint of a run as an ONNX file, checked with onnxruntime against PyTorch.

    Its metadata describes inputs and outputs, and which class is which character.
    """
    check_installed()
    check_installed(("onnx", "onnxscript", "onnxruntime"), "export")
    from ascendify.zoo import runs
    from ascendify.zoo.export import export

    found = export(runs.find(run), out, batch, checkpoint, opset)
    if output_format is options.ListFormat.JSON:
        print(json.dumps(_document(found), indent=2, ensure_ascii=False))
        return
    for line in _lines(found):
        print(line)


def _document(found: "ExportResult") -> dict[str, object]:
    return {
        "file": str(found.path),
        "size": found.size,
        "opset": found.opset,
        "inputs": found.inputs,
        "outputs": found.outputs,
        "absolute_difference": found.difference.absolute,
        "relative_difference": found.difference.relative,
        "metadata": found.metadata,
        "atc": _atc(found),
    }


def _lines(found: "ExportResult") -> Sequence[str]:
    apart = found.difference
    return (
        f"{found.path}: {found.size / 1e6:.1f} MB, ONNX opset {found.opset}",
        f"input   {_shapes(found.inputs)}",
        f"output  {_shapes(found.outputs)}",
        f"check   onnxruntime and PyTorch are {apart.absolute:.1e} apart at most, "
        f"{apart.relative:.1e} of the largest output",
        f"in its metadata_props: {', '.join(found.metadata)}",
        "",
        "next, on a machine with CANN (SOC is Ascend and the chip's name in `npu-smi info`):",
        f"  {_atc(found)}",
    )


def _atc(found: "ExportResult") -> str:
    """Return the command that converts the file to an offline model."""
    arguments = (
        "atc",
        "--framework=5",
        f"--model={shlex.quote(str(found.path))}",
        f"--output={shlex.quote(str(found.path.with_suffix('')))}",
        f'--input_shape="{_shapes(found.inputs)}"',
        "--soc_version=SOC",
    )
    return " ".join(arguments)


def _shapes(shapes: Mapping[str, Sequence[int]]) -> str:
    """Format shapes as ATC does."""
    return ";".join(f"{name}:{','.join(map(str, shape))}" for name, shape in shapes.items())
