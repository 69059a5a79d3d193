"""Street signs: FSNS as released, generated records of rendered signs, or signs rendered on read.

A folder has ``train/train-00000-of-00512`` and so on, ``test`` and ``validation`` likewise, and
``charset_size=134.txt``.
"""

from __future__ import annotations

import dataclasses
import functools
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Optional
from zlib import crc32

import numpy as np
from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo.records import (
    FeatureError,
    FsnsExample,
    RecordExamples,
    RecordFiles,
    RecordPlace,
    find_shards,
    shard_name,
    to_record,
)
from ascendify.zoo.records.datasets import FSNS_LENGTH
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.rendering.fonts import FRENCH, Faces, digest, find_faces, split_faces
from ascendify.zoo.rendering.names import Names, read_names, shipped_names
from ascendify.zoo.rendering.signs import SHAPE, VIEWS, SignSettings, picture, sign_faces
from ascendify.zoo.sets.generate import Advance, DataSetPlan, GenerationResult, Shard, make_shards
from ascendify.zoo.sets.generate import generate as generate_plan
from ascendify.zoo.text.charset import Charset, fsns, read_fsns

Split = Literal["train", "test", "validation"]
DRAWING = 1
"""Version of the drawing code; another version draws other signs for the same numbers."""
CHARSET = "charset_size=134.txt"
_SPLITS: Mapping[str, int] = {"train": 0, "test": 1}
_FILES = {"train": 512, "test": 64}
"""Number of files of the released set, and the largest of a generated one."""
_FORMAT = "PNG"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SIZE = f"{SHAPE[1]} x {SHAPE[0]}"


# --- records


@dataclass(frozen=True)
class SignRecords:
    """Signs of record files, by number: ``images`` and ``labels``."""

    examples: RecordExamples[FsnsExample]
    charset: Charset

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> Mapping[str, Array]:
        example = self.examples[index]
        place = self.examples.records.place(index)
        return {
            "images": decode_picture(example.encoded, place),
            "labels": _labels(example.classes, len(self.charset), place),
        }


def open_records(folder: Path, split: Split) -> SignRecords:
    """Open the signs of a split of FSNS, released or generated.

    Raises:
        UsageError: the files are not all there.
    """
    inside = folder / split
    paths = find_shards(inside if inside.is_dir() else folder, split)
    return read_files(paths, open_charset(folder))


def read_files(paths: Sequence[Path], charset: Optional[Charset] = None) -> SignRecords:
    """Open the signs of files."""
    return SignRecords(RecordExamples(FsnsExample, RecordFiles(paths)), charset or fsns())


def open_charset(folder: Path) -> Charset:
    """Return the character set in a folder of FSNS, else the released one."""
    path = folder / CHARSET
    return read_fsns(path) if path.exists() else fsns()


def decode_picture(encoded: bytes, place: RecordPlace) -> Array:
    """Decode the picture of a record, uint8 of ``SHAPE``.

    Raises:
        FeatureError: it is not a PNG, is damaged, or has another size.
    """
    try:
        check_png(encoded)
        with Image.open(io.BytesIO(encoded), formats=[_FORMAT]) as image:
            if image.size != (SHAPE[1], SHAPE[0]):
                found = f"a picture of {image.width} x {image.height} pixels"
                raise FeatureError(place, "image/encoded", found, f"expected {_SIZE} pixels")
            return np.array(image.convert("RGB"))
    # Pillow raises any of these for pictures it cannot read
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        found = f"{len(encoded)} bytes that are not a complete {_FORMAT}: {_error_text(error)}"
        hint = f"expected a {_FORMAT} of {_SIZE} pixels: make or copy the file again"
        raise FeatureError(place, "image/encoded", found, hint) from error


def check_png(encoded: bytes) -> None:
    """Check the checksums of all chunks of a PNG; Pillow skips those with pixels.

    Raises:
        ValueError: a chunk is damaged or missing.
    """
    if not encoded.startswith(_SIGNATURE):
        raise ValueError("it does not begin as one")
    start, kind = len(_SIGNATURE), b""
    while kind != b"IEND":
        if len(encoded) < start + 12:
            raise ValueError("it ends too soon")
        length = int.from_bytes(encoded[start : start + 4], "big")
        end = start + 8 + length
        kind = encoded[start + 4 : start + 8]
        if crc32(encoded[start + 4 : end]).to_bytes(4, "big") != encoded[end : end + 4]:
            raise ValueError(f"the part at its byte {start} is damaged or cut short")
        start = end + 4


def _error_text(error: Exception) -> str:
    """Return Pillow's message without the address of its buffer."""
    text = str(error).partition(" <_io")[0] or type(error).__name__
    return text if len(text) <= 80 else f"{text[:77]}..."


def _labels(classes: Sequence[int], size: int, place: RecordPlace) -> Array:
    labels = np.array(classes, np.int64)
    if labels.min() < 0 or labels.max() >= size:
        wrong = next(label for label in classes if not 0 <= label < size)
        hint = f"expected 0 to {size - 1}: is {CHARSET} the one the records were made with?"
        raise FeatureError(place, "image/class", f"class {wrong}", hint)
    return labels


# --- rendered signs


@dataclass(frozen=True)
class RenderSettings:
    """Settings of a rendered set; with the same fonts they give the same signs on every machine."""

    count: int = 100_000
    test_count: int = 5_000
    seed: int = 1
    names: Optional[str] = None
    """A file of place names; by default shipped names and names made of syllables."""
    fonts: tuple[str, ...] = ()
    """Folders of fonts; by default the system's; the shipped fonts are always used."""
    compress_level: int = 1
    """Of the PNGs: 9 makes them a quarter smaller and takes several times as long."""
    signs: SignSettings = field(default_factory=SignSettings)

    def __post_init__(self) -> None:
        for name in ("count", "test_count", "seed"):
            if getattr(self, name) < 0:
                raise UsageError(
                    f"{name.replace('_', '-')} {getattr(self, name)} is below 0",
                    "give 0 or more",
                )
        if not 0 <= self.compress_level <= 9:
            raise UsageError(f"compress level {self.compress_level}", "give 0 to 9")


@dataclass(frozen=True)
class RenderedSigns:
    """Signs that are rendered on access, by number; the same each time."""

    split: Literal["train", "test"]
    size: int
    seed: int
    names: Names
    faces: Faces
    style: SignSettings
    compress_level: int = 1

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Mapping[str, Array]:
        pixels, text, _ = self.sign(index)
        return {"images": pixels, "labels": np.array(_encode(text), np.int64)}

    def sign(self, index: int) -> tuple[Array, str, int]:
        """Render a sign: its picture, its text, and the number of its views."""
        number = range(self.size)[index]
        rng = np.random.default_rng((self.seed, _SPLITS[self.split], number))
        text = self.names.draw(self.split, rng).text
        pixels, views = picture(self.style, self.faces, text, rng)
        return pixels, text, len(views)

    def record(self, index: int) -> bytes:
        """Encode a sign as a record of FSNS."""
        pixels, text, views = self.sign(index)
        height, width, _ = SHAPE
        classes = _encode(text)
        return to_record(
            FsnsExample(
                encoded=_png(pixels, self.compress_level),
                format=_FORMAT,
                width=width,
                orig_width=width * views // VIEWS,
                height=height,
                text=text,
                classes=classes,
                unpadded_class=classes[: len(text)],
            )
        )


def open_rendered(settings: RenderSettings, split: Literal["train", "test"]) -> RenderedSigns:
    """Open the rendered signs of a split; the test has other names and fonts than training.

    Raises:
        UsageError: names or fonts cannot be read.
    """
    names = shipped_names()
    if settings.names is not None:
        names = read_names(Path(settings.names), _characters())
    count = settings.count if split == "train" else settings.test_count
    faces = _faces(settings.fonts, split)
    return RenderedSigns(
        split, count, settings.seed, names, faces, settings.signs, settings.compress_level
    )


def plan(settings: RenderSettings) -> DataSetPlan:
    """Plan the files of a rendered set."""
    sources = {split: open_rendered(settings, split) for split in ("train", "test")}
    described = {
        "set": "attention-ocr",
        "drawing": DRAWING,
        **dataclasses.asdict(settings),
        "names": _digest(sources["train"].names),
        "fonts": {split: digest(source.faces) for split, source in sources.items()},
    }
    shards = [shard for split, source in sources.items() for shard in _shards(split, len(source))]
    return DataSetPlan(described, sources, shards)


def generate(
    settings: RenderSettings,
    out: Path,
    workers: Optional[int] = None,
    advance: Optional[Advance] = None,
) -> GenerationResult:
    """Write a rendered set as FSNS records; existing files are kept.

    Raises:
        UsageError: as in ``generate.generate``, or names or fonts cannot be read.
    """
    made = generate_plan(plan(settings), out, workers, advance)
    try:
        (out / CHARSET).write_bytes(_released_charset())
    except OSError as error:
        raise UsageError(
            f"{out / CHARSET} cannot be written: {error.strerror}", "make room and run again"
        ) from error
    return made


def samples(settings: RenderSettings, count: int) -> Iterator[tuple[Array, str]]:
    """Yield the first signs of the training split, for a contact sheet."""
    source = open_rendered(dataclasses.replace(settings, count=count), "train")
    for index in range(count):
        pixels, text, _ = source.sign(index)
        yield pixels, text


def _shards(split: str, count: int) -> list[Shard]:
    files = max(1, min(_FILES[split], count))
    return make_shards(
        split, count, files, lambda number: f"{split}/{shard_name(split, number, files)}"
    )


@functools.lru_cache(maxsize=8)
def _faces(fonts: tuple[str, ...], split: Literal["train", "test"]) -> Faces:
    found = find_faces(FRENCH + "Œœ°", [Path(folder) for folder in fonts])
    return split_faces(sign_faces(found), split)


@functools.cache
def _characters() -> frozenset[str]:
    charset = _shipped_charset()
    return frozenset({*filter(None, charset.symbols), *charset.others})


@functools.lru_cache(maxsize=1024)
def _encode(text: str) -> tuple[int, ...]:
    return tuple(_shipped_charset().encode(text, FSNS_LENGTH))


@functools.cache
def _shipped_charset() -> Charset:
    return fsns()


def _released_charset() -> bytes:
    return (resources.files("ascendify.zoo.text") / CHARSET).read_bytes()


def _digest(names: Names) -> str:
    """Return a hash of the parts that names are made from."""
    content: Any = (sorted(names.parts.items()), tuple(names.places))
    return sha256(repr(content).encode()).hexdigest()[:16]


def _png(pixels: Array, compress_level: int) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, _FORMAT, compress_level=compress_level)
    return buffer.getvalue()
