"""Names of French streets: spelled as FSNS spells them, never too long, the test's unseen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ascendify.errors import UsageError
from ascendify.zoo.rendering.names import (
    LONGEST,
    STREET_KINDS,
    Name,
    Names,
    Split,
    read_names,
    shipped_names,
)
from ascendify.zoo.text.charset import fsns

CHARSET = fsns()
CHARACTERS = {*CHARSET.symbols, *CHARSET.others}
WORD = re.compile(r"([dl]'|[dl]'[dl]')?[A-ZÀ-ÝŒ0-9].*|de|du|des|la|le|les|aux|à|et")


def names_of(names: Names, split: Split, count: int, seed: int = 1) -> list[Name]:
    return [names.draw(split, np.random.default_rng((seed, i))) for i in range(count)]


@pytest.fixture(scope="module")
def drawn() -> dict[str, list[Name]]:
    return {
        "train": names_of(shipped_names(), "train", 20_000),
        "test": names_of(shipped_names(), "test", 3_000),
    }


def test_every_name_can_be_a_label(drawn: dict[str, list[Name]]) -> None:
    for name in [*drawn["train"], *drawn["test"]]:
        assert len(CHARSET.encode(name.text, LONGEST)) == 37
        assert name.text == " ".join(name.text.split())


def test_names_are_spelled_with_capitals_but_articles(drawn: dict[str, list[Name]]) -> None:
    for name in drawn["train"]:
        way, *others = name.text.split(" ")
        assert way in STREET_KINDS
        assert others and all(WORD.fullmatch(word) for word in others), name.text
        assert not re.search(r"\bde (le|les) | de [AEIOUÉÈ]", name.text), name.text


def test_no_stem_is_on_both_sides(drawn: dict[str, list[Name]]) -> None:
    stems = {split: {name.stem for name in names} for split, names in drawn.items()}
    assert len(stems["train"]) > 3000
    assert len(stems["test"]) > 500
    assert not stems["train"] & stems["test"]
    assert not {name.text for name in drawn["train"]} & {name.text for name in drawn["test"]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Guérin", "Guerin"),
        ("LA TAILLÉE", "La Taillée"),
        ("Étienne", "étienne"),
    ],
)
def test_two_spellings_of_a_stem_are_on_one_side(one: str, other: str) -> None:
    assert Name("Rue X", one).split == Name("Avenue Y", other).split


def test_a_tenth_of_the_stems_is_for_the_test() -> None:
    names = shipped_names()
    stems = {stem for kind in ("towns", "family", "things") for stem in names.parts[kind]}
    held = sum(Name("", stem).split == "test" for stem in stems)
    assert held / len(stems) == pytest.approx(0.1, abs=0.04)


def test_there_is_much_to_name_streets_after(drawn: dict[str, list[Name]]) -> None:
    names = shipped_names()
    assert names.stems() > 1500
    made = len(names.parts["heads"]) * len(names.parts["middles"]) * len(names.parts["ends"])
    assert made > 200_000
    texts = [name.text for name in drawn["train"]]
    assert len(set(texts)) > 0.6 * len(texts)
    rues = sum(text.startswith("Rue ") for text in texts) / len(texts)
    assert rues == pytest.approx(0.6, abs=0.03)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("Amiens", "d'Amiens"),
        ("Étampes", "d'Étampes"),
        ("Lyon", "de Lyon"),
        ("Le Havre", "du Havre"),
        ("Les Ulis", "des Ulis"),
        ("La Rochelle", "de la Rochelle"),
        ("L'Haÿ-les-Roses", "de l'Haÿ-les-Roses"),
        ("Bar-le-Duc", "de Bar-le-Duc"),
    ],
)
def test_articles_of_a_users_places(place: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "places.txt"
    file.write_text(f"{place}\n", encoding="utf-8")
    split = Name("", place).split
    found = {name.text for name in names_of(read_names(file, CHARACTERS), split, 60)}
    assert any(text.endswith(f" {expected}") for text in found)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("places.txt", "Ambérieu\n\nL\u2019Abergement  de Varey\nAmbérieu\n"),
        ("places.json", '[{"nom": "Ambérieu", "code": "01004"}, "L\'Abergement de Varey"]'),
        ("bom.txt", "\ufeffAmbérieu\r\nL'Abergement de Varey\r\n" + "X" * 40 + "\r\n"),
    ],
)
def test_a_file_of_places(file: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_bytes(content.encode())
    names = read_names(path, CHARACTERS)
    assert list(names.places) == ["Ambérieu", "L'Abergement de Varey"]
    assert all(len(name.text) <= LONGEST for name in names_of(names, "train", 500))


@pytest.mark.parametrize(
    ("file", "content", "reported"),
    [
        ("x.txt", "Lyon\nŁódź\n", "line 2: 'Łódź' has 'Ł', which is not in the character set"),
        ("x.txt", "", "has no name of at most 30 characters"),
        ("x.txt", "X" * 38, "has no name of at most 30 characters"),
        ("x.txt", b"\xe9t\xe9", "cannot be read: it is not UTF-8"),
        ("x.txt", None, "cannot be read: No such file or directory"),
        ("x.json", "[1, 2", "line 1 is not JSON"),
        ("x.json", '{"nom": "Lyon"}', "$ is not a list"),
        ("x.json", '["Lyon", {"name": "Brest"}]', "$[1] has no name: {'name': 'Brest'}"),
        ("x.json", '["Lyon", "Łódź"]', "$[1]: 'Łódź' has 'Ł'"),
    ],
)
def test_a_bad_file_of_places(
    file: str, content: str | bytes | None, reported: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UsageError) as error:
        read_names(path, CHARACTERS)
    assert str(path) in error.value.message
    assert reported in error.value.message
    assert error.value.hint
