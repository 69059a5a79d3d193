"""Which fonts are drawn with, and which of them only the test sees."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

pytest.importorskip("PIL")

from ascendify.errors import UsageError
from ascendify.zoo.rendering.fonts import (
    FRENCH,
    LATIN,
    SHIPPED,
    Face,
    Faces,
    cap_height,
    design,
    digest,
    families,
    find_faces,
    legible,
    load,
    pick_face,
    split_faces,
)

NAMES = [f"Family {number}" for number in range(200)]


def shipped() -> Faces:
    return find_faces(FRENCH, [SHIPPED])


def test_shipped_fonts_are_small_licensed_and_draw_french() -> None:
    files = sorted(SHIPPED.glob("*.ttf"))
    assert sorted(face.path for face in shipped()) == [str(path) for path in files]
    assert 10 <= len(files) <= 14
    assert sum(path.stat().st_size for path in files) < 450_000
    reported = (SHIPPED / "README.md").read_text(encoding="utf-8")
    for licence in SHIPPED.glob("LICENSE*"):
        assert licence.name in reported


@pytest.mark.parametrize(
    ("family", "same"),
    [
        ("Lato", "Lato Black"),
        ("Open Sans", "Open Sans Condensed"),
        ("Quicksand", "Quicksand Medium"),
        ("EB Garamond 08", "EB Garamond 12"),
        ("Linux Libertine O", "Linux Libertine Display O"),
        ("Nimbus Sans", "Nimbus Sans Narrow"),
        ("Nimbus Sans", "FreeSans"),
        ("Gentium", "GentiumAlt"),
        ("Phorfeit BRK", "Phorfeit Slant BRK"),
    ],
)
def test_weights_widths_and_copies_are_one_family(family: str, same: str) -> None:
    assert design(family) == design(same)


@pytest.mark.parametrize(
    ("family", "other"),
    [
        ("DejaVu Sans", "DejaVu Serif"),
        ("DejaVu Sans", "DejaVu Sans Mono"),
        ("Nimbus Roman", "Nimbus Sans"),
        ("URW Bookman", "URW Gothic"),
        ("Bold", "Light"),
    ],
)
def test_designs_are_reported_apart(family: str, other: str) -> None:
    assert design(family) != design(other)


def test_a_split_has_whole_families_whatever_the_order() -> None:
    faces = [Face(f"{name}{style}", name, style) for name in NAMES for style in "ab"]
    train, test = split_faces(faces, "train"), split_faces(faces, "test")
    assert not set(families(train)) & set(families(test))
    assert sorted(map(repr, [*train, *test])) == sorted(map(repr, faces))
    assert 0.08 < len(families(test)) / len(NAMES) < 0.22
    random.Random(1).shuffle(faces)
    assert families(split_faces(faces, "test")) == families(test)


def test_a_family_stays_on_its_side_when_others_come() -> None:
    faces = [Face(name, name, "") for name in NAMES]
    few = set(families(split_faces(faces[:100], "test")))
    assert few == set(families(split_faces(faces, "test"))) & set(NAMES[:100])


@pytest.mark.parametrize("count", [2, 3])
def test_few_families_still_make_two_splits(count: int) -> None:
    faces = [Face(name, name, "") for name in NAMES[:count]]
    assert split_faces(faces, "train")
    assert split_faces(faces, "test")


def test_shipped_fonts_alone_have_both_kinds_on_both_sides() -> None:
    assert families(split_faces(shipped(), "test")) == ["caladea", "opensans"]
    assert families(split_faces(shipped(), "train")) == [
        "dejavusans",
        "dejavusansmono",
        "dejavuserif",
        "roboto",
    ]


def test_what_is_no_font_is_passed_over_and_what_is_there_twice_counts_once(tmp_path: Path) -> None:
    (tmp_path / "text.ttf").write_text("no font")
    (tmp_path / "empty.otf").touch()
    shutil.copy(SHIPPED / "Roboto-Bold.ttf", tmp_path / "Another-Name.ttf")
    assert find_faces(LATIN, [tmp_path]) == find_faces(LATIN, [SHIPPED])


def test_a_font_that_lacks_a_character_is_left_out() -> None:
    with pytest.raises(UsageError, match=r"0 family of fonts draws all of a漢"):
        find_faces("a漢", [SHIPPED])


@pytest.mark.parametrize(
    ("drawn", "readable"),
    [
        (LATIN, True),
        (LATIN.swapcase(), True),  # capitals for small letters are letters
        (LATIN[1:] + LATIN[0], False),
        (LATIN[::-1], False),
        ("x" * len(LATIN), False),
    ],
)
def test_a_font_with_other_shapes_for_letters_is_left_out(drawn: str, readable: bool) -> None:
    font = load(str(SHIPPED / "DejaVuSerif.ttf"), 24)
    masks = [font.getmask(character) for character in drawn]
    assert legible([(mask.size, bytes(mask)) for mask in masks]) is readable


def test_folders_can_be_named_by_a_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copy(SHIPPED / "Roboto-Bold.ttf", tmp_path)
    monkeypatch.setenv("ASCENDIFY_FONTS", f"{tmp_path}{os.pathsep}{SHIPPED}")
    assert find_faces() == find_faces(LATIN, [SHIPPED])
    monkeypatch.setenv("ASCENDIFY_FONTS", str(tmp_path / "none"))
    with pytest.raises(UsageError, match="none is no folder"):
        find_faces()
    (tmp_path / "none").mkdir()
    with pytest.raises(UsageError, match="none has no fonts"):
        find_faces()


def test_no_font_of_symbols_is_found_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCENDIFY_FONTS")
    names = " ".join(face.name.lower() for face in find_faces())
    for word in ("symbol", "dingbat", "d050000l", "emoji", "keyboard", "hairline"):
        assert word not in names


def test_picks_families_evenly() -> None:
    faces = Faces([Face("a", "one", "x"), *(Face(str(i), "two", str(i)) for i in range(9))])
    rng = random.Random(3)
    picked = [pick_face(faces, rng).family for _ in range(400)]
    assert 150 < picked.count("one") < 250


def test_digest_is_of_the_contents(tmp_path: Path) -> None:
    font = tmp_path / "font.ttf"
    font.write_bytes(b"one")
    face = Face(str(font), "family", "name")
    before = digest([face])
    assert digest([face]) == before
    font.write_bytes(b"two")
    assert digest([face]) != before


def test_cap_height_is_a_part_of_the_em() -> None:
    assert all(0.6 < cap_height(face.path) < 0.8 for face in shipped())
