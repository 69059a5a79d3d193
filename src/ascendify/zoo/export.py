"""Export a trained model as an ONNX file, and check the file against the model.

The batch size is fixed, because ATC, which converts the file next, needs fixed shapes. The file's
metadata says how to prepare pictures, what the outputs mean and which class is which character, so
that the file can be used without anything else.
"""

from __future__ import annotations

import contextlib
import json
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import onnxruntime  # type: ignore[import-untyped]
import torch
from torch import Tensor, nn

from ascendify.errors import UsageError
from ascendify.zoo import files, trained_model
from ascendify.zoo.runs import TrainingRun
from ascendify.zoo.trained_model import TrainedModel

INPUT, OUTPUT = "images", "logits"
OPSET = 13
"""The default: the newest that ATC of every CANN reads, by its manuals (6.0: 9 to 13; 7.0: 9 to 18;
8.0: 11 to 15)."""
TOLERANCE = 1e-3
"""Largest allowed difference between outputs of file and model, relative to the largest output."""
_TRACED = 18
"""The oldest opset that torch exports."""
_ROUNDS = 3
"""Number of random batches that a file is checked with."""
_NOISY = ("torch.onnx", "onnxscript", "onnx_ir")
"""Loggers whose messages users cannot act on, such as a missing torchvision."""


@dataclass(frozen=True)
class Difference:
    """The largest difference between the file's outputs and the model's."""

    absolute: float
    relative: float
    """Relative to the largest output."""


@dataclass(frozen=True)
class ExportResult:
    """The ONNX file that was written."""

    path: Path
    size: int
    """Bytes."""
    opset: int
    inputs: Mapping[str, Sequence[int]]
    """Shapes by name."""
    outputs: Mapping[str, Sequence[int]]
    difference: Difference
    metadata: Mapping[str, str]


def export(
    run: TrainingRun, path: Path, batch: int = 1, checkpoint: str = "best", opset: int = OPSET
) -> ExportResult:
    """Write a model of a run as ONNX; an existing file is replaced only after all checks.

    Args:
        run: The run.
        path: The file.
        batch: Pictures that the file takes at a time.
        checkpoint: ``best``, ``last``, or a file, of the run or any.
        opset: The version of ONNX's operators.

    Raises:
        UsageError: the model cannot be exported, the outputs of its file differ from the model's,
            or the file cannot be written.
    """
    newest = onnx.defs.onnx_opset_version()
    if opset > newest:
        raise UsageError(f"onnx {onnx.__version__} has no opset {opset}", f"its newest is {newest}")
    found = trained_model.load(run, checkpoint)
    with _open_output(path) as part:
        inputs = _example(found, batch)
        model = _strip_metadata(_set_opset(opset, _trace(found, inputs, opset)))
        metadata = _metadata(found)
        onnx.helper.set_model_props(model, metadata)
        content = model.SerializeToString()
        session = _session(content, opset)
        difference = _difference(session, found.model, inputs)
        part.write_bytes(content)
    return ExportResult(
        path=path,
        size=len(content),
        opset=opset,
        inputs={each.name: each.shape for each in session.get_inputs()},
        outputs={each.name: each.shape for each in session.get_outputs()},
        difference=difference,
        metadata=metadata,
    )


@contextlib.contextmanager
def _open_output(path: Path) -> Iterator[Path]:
    """Open the output file, before the work, so that a wrong path is reported at once."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "name a file, such as model.onnx")
    with files.write_atomically(path, "name another file with --out") as part:
        part.touch()
        yield part


# --- from torch to ONNX


def _example(found: TrainedModel, batch: int) -> tuple[Tensor, ...]:
    try:
        return found.recipe.example_inputs(batch)
    except NotImplementedError as error:
        raise UsageError(str(error), "give its recipe a method example_inputs") from error


def _trace(found: TrainedModel, inputs: tuple[Tensor, ...], opset: int) -> onnx.ModelProto:
    """Return the ONNX model that torch exports."""
    with _silence_exporter():
        try:
            program = torch.onnx.export(
                found.model,
                inputs,
                dynamo=True,
                opset_version=max(opset, _TRACED),
                input_names=[INPUT],
                output_names=[OUTPUT],
                verbose=False,
            )
        except (RuntimeError, ValueError) as error:
            raise _export_error(found.recipe.name, opset, error) from error
    assert program is not None  # noqa: S101 - it is with dynamo
    return program.model_proto


@contextlib.contextmanager
def _silence_exporter() -> Iterator[None]:
    """Suppress the exporter's messages about its internals."""
    loggers = [logging.getLogger(name) for name in _NOISY]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        # an LSTM assigns its flattened weights whenever it is called
        warnings.filterwarnings("ignore", "The tensor attributes? .* assigned during export")
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            for logger, level in zip(loggers, levels):
                logger.setLevel(level)


def _set_opset(opset: int, model: onnx.ModelProto) -> onnx.ModelProto:
    """Change the opset of a model, possibly to an older one than torch exports.

    The networks' operators take the same inputs in all opsets from 13 on, and an attribute that an
    older opset lacks has the value of the older behaviour. If that does not hold, onnxruntime
    refuses the model or its outputs differ: both are checked afterwards. (onnx has a converter,
    which supports only some operators.)
    """
    for node in model.graph.node:
        try:
            known = onnx.defs.get_schema(node.op_type, opset, node.domain).attributes
        except onnx.defs.SchemaError as error:
            raise _export_error(node.op_type, opset, error) from error
        kept = [each for each in node.attribute if each.name in known]
        del node.attribute[:]
        node.attribute.extend(kept)
    del model.opset_import[:]
    model.opset_import.append(onnx.helper.make_opsetid("", opset))
    model.ir_version = onnx.helper.find_min_ir_version_for(list(model.opset_import))
    return model


def _strip_metadata(model: onnx.ModelProto) -> onnx.ModelProto:
    """Remove torch's notes on the source code, which contain paths of this machine."""
    graph = model.graph
    parts = (*graph.node, *graph.input, *graph.output, *graph.value_info, *graph.initializer)
    for part in (graph, *parts):
        part.ClearField("metadata_props")
    return model


def _export_error(what: str, opset: int, error: Exception) -> UsageError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return UsageError(
        f"{what} cannot be written with opset {opset}: {lines[0]}",
        f"try --opset {_TRACED}" if opset < _TRACED else f"try --opset {OPSET}",
    )


# --- metadata


def _metadata(found: TrainedModel) -> dict[str, str]:
    """Return what is needed to use the file: text as it is, everything else as JSON."""
    values: dict[str, Any] = {
        "network": found.recipe.name,
        "step": found.step,
        **found.recipe.legend(),
        **found.extras,
    }
    return {name: _text(value) for name, value in values.items()}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=Tensor.tolist)


# --- the check


def _session(content: bytes, opset: int) -> Any:
    """Load the file's content into onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # errors are raised as well
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have nothing else in common
        raise _export_error("the model", opset, error) from error


@torch.no_grad()
def _difference(session: Any, model: nn.Module, inputs: Sequence[Tensor]) -> Difference:
    """Compare the outputs of file and model on random inputs.

    Raises:
        UsageError: they differ too much.
    """
    noise = torch.Generator().manual_seed(0)
    names = [each.name for each in session.get_inputs()]
    apart = largest = 0.0
    for _ in range(_ROUNDS):
        values = [torch.randn(each.shape, generator=noise) for each in inputs]
        expected = model(*values)
        feed = {name: value.numpy() for name, value in zip(names, values)}
        outputs = torch.from_numpy(session.run([OUTPUT], feed)[0])
        # torch.maximum, unlike max, keeps NaN
        apart = float(torch.maximum((outputs - expected).abs().max(), torch.tensor(apart)))
        largest = max(largest, float(expected.abs().max()))
    found = Difference(apart, apart / max(largest, torch.finfo(torch.float32).tiny))
    if not found.relative <= TOLERANCE:
        raise UsageError(
            f"the exported model is {found.absolute:.2g} from the trained one"
            f" ({found.relative:.2g} of its largest output, {TOLERANCE:g} are allowed)",
            f"nothing was written; try --opset {_TRACED}, or another torch",
        )
    return found
