"""The formats of logs, one file each; a file describes the lines and quotes an example of each."""

from __future__ import annotations

from ascendify.launch.summary.formats import (
    alexnet,
    crnn,
    estimator,
    horovod,
    imagenet,
    keras,
    resnet,
    slim,
    trainer,
)
from ascendify.launch.summary.formats.measure import FORMAT as MEASURE

IN_LOGS = tuple(
    format_
    for module in (crnn, slim, alexnet, estimator, keras, resnet, horovod, imagenet, trainer)
    for format_ in module.FORMATS
)
"""All formats; a log may have lines of several."""

__all__ = ["IN_LOGS", "MEASURE"]
