"""Read pictures with a trained network, and write pictures that show what it read and where."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo import files, trained_model
from ascendify.zoo.device import open_device
from ascendify.zoo.runs import TrainingRun

_BATCH = 16
"""Pictures per batch; the pictures made from them stay in memory until they are written."""


@dataclass(frozen=True)
class PredictionResult:
    """What a network read in a picture file."""

    picture: Path
    text: str
    confidence: float
    written: Mapping[str, Path]
    """Files that show how it was read, by kind of picture."""


def predict(
    run: TrainingRun,
    pictures: Sequence[Path],
    out: Path,
    device: str = "auto",
    checkpoint: str = "best",
) -> Iterator[PredictionResult]:
    """Read pictures in order, and write pictures that show how into a folder.

    Raises:
        UsageError: a picture cannot be read or written.
    """
    found = trained_model.load(run, checkpoint, open_device(device).torch)
    names = _names(pictures)
    for start in range(0, len(pictures), _BATCH):
        batch = pictures[start : start + _BATCH]
        try:
            read = found.recipe.predict(found.model, batch, found.extras)
        except NotImplementedError as error:
            raise UsageError(str(error), "give its recipe a method predict") from error
        for path, name, prediction in zip(batch, names[start:], read):
            written = {
                kind: _write(image, out / f"{name}.{kind}.png")
                for kind, image in prediction.pictures.items()
            }
            yield PredictionResult(path, prediction.text, prediction.confidence, written)


def _names(pictures: Sequence[Path]) -> list[str]:
    """Return a unique name for each picture; equal names from several folders are numbered."""
    names: dict[str, None] = {}
    for picture in pictures:
        numbered = (f"{picture.stem}-{number}" for number in itertools.count(2))
        free = (name for name in itertools.chain([picture.stem], numbered) if name not in names)
        names[next(free)] = None
    return list(names)


def _write(image: Image.Image, path: Path) -> Path:
    with files.write_atomically(path, "name another folder with --out") as part:
        image.save(part, "PNG", compress_level=1)
    return path
