"""Characters and classes, and the files of the guides that say which is which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_record_schemas import FSNS

from ascendify.errors import UsageError
from ascendify.zoo.records import FsnsExample, from_record, read_records
from ascendify.zoo.text import charset
from ascendify.zoo.text.charset import Charset


@pytest.mark.parametrize(
    ("kind", "text", "length", "classes"),
    [
        ("crnn", "", None, []),
        ("crnn", "09az", None, [0, 9, 10, 35]),
        ("crnn", "Lube", None, [21, 30, 11, 14]),
        ("crnn", "ab", 4, [10, 11, 36, 36]),
        ("fsns", "Rue", 5, [49, 11, 5, 133, 133]),
        ("fsns", "l'é", None, [1, 2, 3]),
        ("fsns", "l\u2019é", None, [1, 2, 3]),
    ],
)
def test_encode(kind: str, text: str, length: int | None, classes: list[int]) -> None:
    assert {"crnn": charset.crnn, "fsns": charset.fsns}[kind]().encode(text, length) == classes


@pytest.mark.parametrize(
    ("text", "length", "named"),
    [("a b-c", None, "no class for ' ', '-'"), ("abcd", 3, "has 4 characters, more than the 3")],
)
def test_not_encoded(text: str, length: int | None, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        charset.crnn().encode(text, length)


def test_sizes() -> None:
    assert (len(charset.crnn()), charset.crnn().null) == (37, 36)
    assert (len(charset.fsns()), charset.fsns().null) == (134, 133)
    assert len({*charset.fsns().symbols}) == 134


@given(st.text(alphabet="0123456789abcdefghijklmnopqrstuvwxyz"), st.integers(0, 3))
def test_crnn_there_and_back(text: str, padding: int) -> None:
    words = charset.crnn()
    assert words.decode(words.encode(text, len(text) + padding)) == text


@given(st.lists(st.integers(0, 132)))
def test_fsns_there_and_back(classes: list[int]) -> None:
    signs = charset.fsns()
    assert signs.encode(signs.decode(classes)) == classes


def test_labels_of_real_records() -> None:
    """What the data set's own tool has encoded is what we encode."""
    signs = charset.read_fsns(FSNS.parent / "charset_size=134.txt")
    assert signs == charset.fsns()
    examples = [from_record(FsnsExample, record) for _, record in read_records(FSNS)]
    assert len(examples) == 5
    for example in examples:
        assert signs.encode(example.text, 37) == list(example.classes)
        assert signs.encode(example.text) == list(example.unpadded_class)
        assert signs.decode(example.classes) == example.text


def pair(folder: Path, characters: Any, numbers: Any) -> tuple[Path, Path]:
    paths = folder / "char_dict.json", folder / "ord_map.json"
    for path, content in zip(paths, (characters, numbers)):
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return paths


CHARACTERS = {"97_ord": "a", "98_ord": "b"}
NUMBERS = {"0_index": "98", "1_index": "97", "97_ord": "1", "98_ord": "0"}


def test_the_pair_says_the_order(tmp_path: Path) -> None:
    read = charset.read_crnn(*pair(tmp_path, CHARACTERS, NUMBERS))
    assert read == Charset(("b", "a", ""), null=2, folds=True)
    assert read.encode("AB", 3) == [1, 0, 2]


def test_capitals_of_a_pair_are_not_folded(tmp_path: Path) -> None:
    numbers = {"0_index": "65", "65_ord": "0"}
    assert not charset.read_crnn(*pair(tmp_path, {"65_ord": "A"}, numbers)).folds


def test_the_pair_is_written_as_upstream_writes_it(tmp_path: Path) -> None:
    characters, numbers = tmp_path / "char_dict.json", tmp_path / "ord_map.json"
    charset.write_crnn(Charset(("b", "é", ""), null=2), characters, numbers)
    assert characters.read_text() == '{\n    "233_ord": "\\u00e9",\n    "98_ord": "b"\n}'
    assert numbers.read_text() == (
        '{\n    "0_index": "98",\n    "1_index": "233",\n    "233_ord": "1",\n    "98_ord": "0"\n}'
    )
    charset.write_crnn(charset.crnn(), characters, numbers)
    assert charset.read_crnn(characters, numbers) == charset.crnn()


@pytest.mark.parametrize(
    ("characters", "numbers", "named"),
    [
        ("{", NUMBERS, "char_dict.json: is not JSON"),
        (CHARACTERS, [1], "ord_map.json: is not a JSON object"),
        (CHARACTERS, {}, "ord_map.json: has no key 0_index"),
        (CHARACTERS, {"1_index": "97"}, "ord_map.json: has no key 0_index"),
        (CHARACTERS, {**NUMBERS, "0_index": 98}, "ord_map.json: key 0_index is 98, not a string"),
        (CHARACTERS, {**NUMBERS, "1_index": "99"}, "ord_map.json: has no key 99_ord"),
        (CHARACTERS, {**NUMBERS, "97_ord": "0"}, "ord_map.json: key 97_ord is '0', not 1"),
        ({"97_ord": "a"}, NUMBERS, "char_dict.json: has no key 98_ord"),
        ({**CHARACTERS, "98_ord": "x"}, NUMBERS, "char_dict.json: key 98_ord is 'x', not the"),
    ],
)
def test_a_pair_that_is_none(tmp_path: Path, characters: Any, numbers: Any, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        charset.read_crnn(*pair(tmp_path, characters, numbers))
    assert caught.value.message.startswith(str(tmp_path))
    assert named in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("0\ta\nb\n", ":2: 'b' is not a class and a character"),
        ("0 a\n", ":1: '0 a' is not a class and a character"),
        ("0\tab\n", ":1: '0\\tab' is not a class and a character"),
        ("-1\ta\n", "is not a class and a character"),
        ("0\ta\n1\t<nul>\n2\ta\n", ":3: 'a' has a class already"),
        ("0\ta\n2\t<nul>\n", "goes up to class 2 but has no class 1"),
        ("0\ta\n", "has no class <nul>"),
        ("", "has no class <nul>"),
    ],
)
def test_a_charset_file_that_is_none(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "charset.txt"
    path.write_text(content)
    with pytest.raises(UsageError) as caught:
        charset.read_fsns(path)
    assert caught.value.message.startswith(str(path))
    assert named in caught.value.message
    assert caught.value.hint


def test_a_charset_file_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "charset.txt"
    path.write_bytes(b"2\t-\r\n0\t \r\n1\t<nul>\r\n2\t\xe2\x80\x94\r\n")
    read = charset.read_fsns(path)
    assert read == Charset((" ", "", "-"), null=1, others={"—": 2})
    assert (read.encode("—- "), read.decode([2, 1, 0])) == ([2, 2, 0], "- ")


@pytest.mark.parametrize(
    ("content", "named"), [(None, "No such file"), (b"0\t\xff", "is not UTF-8 at byte 2")]
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, named: str) -> None:
    path = tmp_path / "charset.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=named):
        charset.read_fsns(path)
