"""Fonts to draw with: those of the system that can draw the text, and those that are shipped.

A face is used only where it draws every character that is needed, each in a shape of its own:
fonts of symbols and of other scripts leave boxes or nothing in their places.
"""

from __future__ import annotations

import functools
import os
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, Optional

import numpy as np
from PIL import Image, ImageFont

from ascendify.errors import UsageError
from ascendify.zoo.rendering.splits import share

LATIN = string.ascii_letters + string.digits
FRENCH = LATIN + "ÀÂÇÉÈÊËÎÏÔÙÛÜàâçéèêëîïôùûü'-.()"
"""What a French street sign is made of."""
TEST_PART = 0.15
"""Of the families of fonts, for the test alone."""
_SALT = 673
"""With it the shipped families divide into sans and serif on both sides."""
VARIABLE = "ASCENDIFY_FONTS"
SHIPPED = Path(__file__).parent / "fonts"

_SUFFIXES = {".ttf", ".otf"}
_SAMPLE_SIZE = 24
_MISSING = "\uffff"
"""No font has it, so it is drawn as what stands for missing characters."""
_THINNEST = 0.8
"""Pixels that the strokes of a face must have at the sample size; less is lost in a small word."""
_RECOGNISED, _ALIKE = 0.42, 0.57
"""Of a face, the part of its letters that are taken for themselves, and how alike they must be."""
_ORNAMENTS = re.compile(
    r"keyboard|initials|symbol|emoji|dingbat|wingding|webding|D050000L|ornament|icon|braille"
    r"|barcode|math",
    re.I,
)
"""Fonts that have pictures, or frames, in the places of letters."""
_STYLES = re.compile(
    r"\b(thin|hairline|extra|ultra|light|regular|medium|semi|demi|bold|heavy|black"
    r"|italic|oblique|slant|slanted|condensed|narrow|expanded|display|caption|o|\d+)+\b",
    re.I,
)
_COPIES = {
    "freesans": "nimbussans",
    "freeserif": "nimbusroman",
    "freemono": "nimbusmonops",
    "gentiumalt": "gentium",
}
"""Families drawn after another: one must not be in the test where the other was learned."""


Shape = tuple[tuple[int, int], bytes]
"""Width and height of a letter, and its pixels."""


@dataclass(frozen=True)
class Face:
    """A font file; ``family`` is the same for all weights and widths of a design."""

    path: str
    family: str
    name: str


class Faces(tuple[Face, ...]):
    """Faces to choose from."""

    @functools.cached_property
    def by_family(self) -> list[list[Face]]:
        """The faces of each family."""
        return [[face for face in self if face.family == name] for name in families(self)]


def find_faces(characters: str = LATIN, folders: Optional[Sequence[Path]] = None) -> Faces:
    """Faces that draw all the characters, in an order that depends on their names alone.

    Without folders: those of ``ASCENDIFY_FONTS``, or of the system, and always the shipped ones.

    Raises:
        UsageError: a folder cannot be read, or too few families are left for two splits.
    """
    chosen = list(folders) if folders else _own_folders()
    wanted = "".join(sorted(set(characters) - set(string.whitespace)))
    faces: dict[str, Face] = {}
    for folder in [SHIPPED, *(chosen or _system_folders())]:
        for path in _files(folder, must_exist=folder in chosen):
            face = _face(str(path), wanted)
            if face is not None:
                faces.setdefault(face.name, face)
    found = Faces(sorted(faces.values(), key=lambda face: (face.family, face.name)))
    if len(families(found)) < 2:
        raise UsageError(
            f"{len(families(found))} family of fonts draws all of {wanted}",
            f"install fonts, or name a folder of them with --fonts or {VARIABLE}",
        )
    return found


def split_faces(faces: Iterable[Face], split: Literal["train", "test"]) -> Faces:
    """The faces of a split; a family is in one of them as a whole."""
    faces = list(faces)
    test = _test_families(families(faces))
    return Faces(face for face in faces if (face.family in test) == (split == "test"))


def families(faces: Iterable[Face]) -> list[str]:
    """The families of faces, in order."""
    return sorted({face.family for face in faces})


def pick_face(faces: Faces, rng: Any) -> Face:
    """A face at random: first its family, so that one of many weights does not prevail."""
    family = faces.by_family[int(rng.random() * len(faces.by_family))]
    return family[int(rng.random() * len(family))]


def digest(faces: Iterable[Face]) -> str:
    """A hash of what is in the font files, for it decides what is drawn."""
    whole = blake2b(digest_size=8)
    for face in faces:
        whole.update(f"{face.family}/{face.name}/".encode())
        whole.update(blake2b(Path(face.path).read_bytes()).digest())
    return whole.hexdigest()


@functools.lru_cache(maxsize=2048)
def load(path: str, size: int) -> ImageFont.FreeTypeFont:
    """A font at a size in pixels an em; opening one takes longer than drawing a word with it."""
    return _open_font(path, size)


def draw_text(font: ImageFont.FreeTypeFont, text: str) -> Image.Image:
    """A text in white on black, nothing around it.

    In one pass: ``ImageDraw`` must know the size before, and so lays the text out twice.
    """
    picture = Image.Image()._new(font.getmask(text))
    return picture.crop(picture.getbbox() or (0, 0, 1, 1))


@functools.lru_cache(maxsize=1024)
def cap_height(path: str) -> float:
    """How high capitals are, as a part of the em."""
    _, top, _, bottom = load(path, 200).getbbox("H")
    return max(1.0, bottom - top) / 200


def _test_families(names: Sequence[str]) -> set[str]:
    """Those whose hash says so; where it says so of none or of all, the first by hash."""
    places = {name: share(f"font {_SALT} {name}") for name in names}
    test = {name for name, place in places.items() if place < TEST_PART}
    return test if 0 < len(test) < len(names) else {min(names, key=places.__getitem__)}


def _open_font(path: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


def _own_folders() -> list[Path]:
    named = os.environ.get(VARIABLE, "")
    return [Path(folder) for folder in named.split(os.pathsep) if folder]


def _system_folders() -> list[Path]:
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    return [
        Path("/usr/share/fonts"),
        Path("/usr/local/share/fonts"),
        Path("/Library/Fonts"),
        data / "fonts",
        Path.home() / ".fonts",
    ]


def _files(folder: Path, must_exist: bool) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES)
    if must_exist and not files:
        found = "has no fonts" if folder.is_dir() else "is no folder"
        raise UsageError(f"{folder} {found}", "name a folder with .ttf or .otf files")
    return files


def _face(path: str, characters: str) -> Optional[Face]:
    try:
        font = _open_font(path, _SAMPLE_SIZE)
        family, style = (name or "" for name in font.getname())
        fit = not _ORNAMENTS.search(f"{family} {style}") and _draws(font, characters)
    except OSError:
        return None  # no font, or one that FreeType cannot read
    return Face(path, design(family), f"{family} {style}") if fit else None


def design(family: str) -> str:
    """A family's name without weights and widths, which some fonts put there."""
    name = re.sub(r"\W+", "", _STYLES.sub("", family).lower()) or family.lower()
    return _COPIES.get(name, name)


def _draws(font: ImageFont.FreeTypeFont, characters: str) -> bool:
    """Whether every character is there, is none but itself, and can be read."""
    missing = _pixels(font, _MISSING)
    shapes = {}
    for character in characters:
        shape = _pixels(font, character)
        if shape == missing or not any(shape[1]):
            return False
        shapes[character] = shape
    # capitals may look like small letters, but nothing else may look like another
    small = [shapes[character] for character in characters if not character.isupper()]
    if len(set(small)) < len(small) or _stroke(font) < _THINNEST:
        return False
    return legible([shapes.get(c) or _pixels(font, c) for c in LATIN])


def _stroke(font: ImageFont.FreeTypeFont) -> float:
    """How thick an upright stroke is, in pixels."""
    (_, height), pixels = _pixels(font, "l")
    return sum(pixels) / 255 / max(height, 1)


def _pixels(font: ImageFont.FreeTypeFont, character: str) -> Shape:
    drawn = font.getmask(character)
    return drawn.size, bytes(drawn)


def legible(letters: Sequence[Shape]) -> bool:
    """Whether the shapes of ``LATIN`` can be read, going by what they look like in shipped fonts.

    Fonts that have snowflakes for letters, or hide letters in patterns, draw every character and
    would else be taken. Of text fonts nearly all letters look most like themselves; of handwriting
    a half, but those are not far off.
    """
    known, same = _known_shapes()
    likeness = _vectors(letters) @ known.T
    own = np.where(same, likeness, -1).max(1)
    recognised = float((own == likeness.max(1)).mean())
    return recognised >= _RECOGNISED and float(own.mean()) >= _ALIKE


@functools.lru_cache(maxsize=1)
def _known_shapes() -> tuple[Any, Any]:
    """Letters of the shipped fonts, and for each of ``LATIN`` which of them are the same."""
    fonts = [_open_font(str(path), _SAMPLE_SIZE) for path in sorted(SHIPPED.glob("*.ttf"))]
    letters = [_pixels(font, character) for font in fonts for character in LATIN]
    names = np.array([ord(_read_as(character)) for character in LATIN])
    return _vectors(letters), names[:, None] == np.tile(names, len(fonts))


def _read_as(character: str) -> str:
    """The letter a shape is taken for, where case and a few digits do not count."""
    small = character.lower()
    return {"0": "o", "1": "l", "i": "l", "5": "s", "2": "z", "8": "b"}.get(small, small)


def _vectors(letters: Sequence[Shape]) -> Any:
    """Shapes of one size, whatever the width, as rows of length 1."""
    rows = np.stack(
        [
            np.asarray(Image.frombytes("L", size, pixels).resize((10, 10)), np.float32).ravel()
            for size, pixels in letters
        ]
    )
    rows -= rows.mean(1, keepdims=True)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
