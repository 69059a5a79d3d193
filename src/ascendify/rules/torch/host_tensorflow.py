"""TensorFlow in a PyTorch project: it reads data or computes metrics, on the host."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.source.nodes import imported_names

RULE = Rule(
    code="TORCH-HOST-1",
    title="TensorFlow that serves a PyTorch project stays on the host",
    why=(
        "Some PyTorch projects read data, compute metrics or convert checkpoints with TensorFlow "
        "and train nothing with it. That needs no NPU and no adapter: TensorFlow's CPU build does "
        "it as before, in the same process."
    ),
    statuses=(Status.INFO,),
    before="import tensorflow as tf",
    framework="torch",
)


@RULE.file
def stays_on_the_host(file: File) -> Diagnoses:
    """The first import of TensorFlow in a file of a project that trains with PyTorch alone."""
    imported = file.module.index.import_roots
    if file.facts.frameworks != {"torch"} or "tensorflow" not in imported:
        return
    for node in file.module.index.imports:
        if any(name.partition(".")[0] == "tensorflow" for name in imported_names(node)):
            yield RULE.info(
                file.at(node),
                f"{file.brief(node)} serves the PyTorch program on the host; nothing here is "
                "trained with TensorFlow, so it gets no NPU session",
                todo="Install TensorFlow's CPU build beside torch_npu.",
            )
            return
