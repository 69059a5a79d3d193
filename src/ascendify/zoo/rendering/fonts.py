"""Find fonts to draw with: suitable fonts of the system, and the shipped ones.

A face is used only if it draws every needed character, each in a shape of its own: fonts of symbols
and of other scripts draw boxes or nothing.
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
"""Characters of French street signs."""
TEST_PART = 0.15
"""Share of the font families that only the test uses."""
_SALT = 673
"""Chosen so that both splits have sans and serif families of the shipped fonts."""
VARIABLE = "ASCENDIFY_FONTS"
SHIPPED = Path(__file__).parent / "fonts"

_SUFFIXES = {".ttf", ".otf"}
_SAMPLE_SIZE = 24
_MISSING = "\uffff"
"""No font has this character, so it is drawn as the font's box for missing characters."""
_THINNEST = 0.8
"""Least stroke width in pixels at the sample size; thinner strokes vanish in small words."""
_RECOGNISED, _ALIKE = 0.42, 0.57
"""Least share of a face's letters that are recognised, and their least mean similarity."""
_ORNAMENTS = re.compile(
    r"keyboard|initials|symbol|emoji|dingbat|wingding|webding|D050000L|ornament|icon|braille"
    r"|barcode|math",
    re.I,
)
"""Names of fonts with pictures or frames instead of letters."""
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
"""Families that copy another: both must be in the same split."""


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
        """Faces grouped by family."""
        return [[face for face in self if face.family == name] for name in families(self)]


def find_faces(characters: str = LATIN, folders: Optional[Sequence[Path]] = None) -> Faces:
    """Find faces that draw all the characters, in an order that depends on their names alone.

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
    """Return the faces of a split; a whole family is in one split."""
    faces = list(faces)
    test = _test_families(families(faces))
    return Faces(face for face in faces if (face.family in test) == (split == "test"))


def families(faces: Iterable[Face]) -> list[str]:
    """Return the families of faces, sorted."""
    return sorted({face.family for face in faces})


def pick_face(faces: Faces, rng: Any) -> Face:
    """Draw a face: first its family, so that families with many weights do not dominate."""
    family = faces.by_family[int(rng.random() * len(faces.by_family))]
    return family[int(rng.random() * len(family))]


def digest(faces: Iterable[Face]) -> str:
    """Return a hash of the font files, which determine what is drawn."""
    whole = blake2b(digest_size=8)
    for face in faces:
        whole.update(f"{face.family}/{face.name}/".encode())
        whole.update(blake2b(Path(face.path).read_bytes()).digest())
    return whole.hexdigest()


@functools.lru_cache(maxsize=2048)
def load(path: str, size: int) -> ImageFont.FreeTypeFont:
    """Load a font at a size in pixels per em; cached, as opening takes longer than drawing."""
    return _open_font(path, size)


def draw_text(font: ImageFont.FreeTypeFont, text: str) -> Image.Image:
    """Draw a text in white on black, cropped.

    This lays out the text once; ``ImageDraw`` needs the size before, and so does it twice.
    """
    picture = Image.Image()._new(font.getmask(text))
    return picture.crop(picture.getbbox() or (0, 0, 1, 1))


@functools.lru_cache(maxsize=1024)
def cap_height(path: str) -> float:
    """Return the height of capitals, as a share of the em."""
    _, top, _, bottom = load(path, 200).getbbox("H")
    return max(1.0, bottom - top) / 200


def _test_families(names: Sequence[str]) -> set[str]:
    """Choose the test's families by hash; if that gives none or all, that of the least hash."""
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
        return None  # not a font, or FreeType cannot read it
    return Face(path, design(family), f"{family} {style}") if fit else None


def design(family: str) -> str:
    """Return a family's name without weights and widths, which some fonts include."""
    name = re.sub(r"\W+", "", _STYLES.sub("", family).lower()) or family.lower()
    return _COPIES.get(name, name)


def _draws(font: ImageFont.FreeTypeFont, characters: str) -> bool:
    """Whether a font has every character, with distinct and legible shapes."""
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
    """Return the width of a vertical stroke in pixels."""
    (_, height), pixels = _pixels(font, "l")
    return sum(pixels) / 255 / max(height, 1)


def _pixels(font: ImageFont.FreeTypeFont, character: str) -> Shape:
    drawn = font.getmask(character)
    return drawn.size, bytes(drawn)


def legible(letters: Sequence[Shape]) -> bool:
    """Whether the shapes of ``LATIN`` can be read, by comparison with the shipped fonts.

    Fonts with snowflakes for letters, or letters in patterns, draw every character and would
    otherwise be used. In text fonts nearly all letters are most similar to the same letter of a
    shipped font; in handwriting about half, and the others are close.
    """
    known, same = _known_shapes()
    likeness = _vectors(letters) @ known.T
    own = np.where(same, likeness, -1).max(1)
    recognised = float((own == likeness.max(1)).mean())
    return recognised >= _RECOGNISED and float(own.mean()) >= _ALIKE


@functools.lru_cache(maxsize=1)
def _known_shapes() -> tuple[Any, Any]:
    """Return letters of the shipped fonts, and for each of ``LATIN`` which of them are the same."""
    fonts = [_open_font(str(path), _SAMPLE_SIZE) for path in sorted(SHIPPED.glob("*.ttf"))]
    letters = [_pixels(font, character) for font in fonts for character in LATIN]
    names = np.array([ord(_read_as(character)) for character in LATIN])
    return _vectors(letters), names[:, None] == np.tile(names, len(fonts))


def _read_as(character: str) -> str:
    """Return the letter that a character counts as, ignoring case and similar digits."""
    small = character.lower()
    return {"0": "o", "1": "l", "i": "l", "5": "s", "2": "z", "8": "b"}.get(small, small)


def _vectors(letters: Sequence[Shape]) -> Any:
    """Scale shapes to one size, as rows of length 1."""
    rows = np.stack(
        [
            np.asarray(Image.frombytes("L", size, pixels).resize((10, 10)), np.float32).ravel()
            for size, pixels in letters
        ]
    )
    rows -= rows.mean(1, keepdims=True)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
