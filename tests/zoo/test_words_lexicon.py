"""Which words are drawn, and which of them only the test sees."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("PIL")

from ascendify.cli.app import run
from ascendify.errors import UsageError
from ascendify.zoo.rendering import lexicon
from ascendify.zoo.rendering.fonts import SHIPPED
from ascendify.zoo.rendering.lexicon import find_words, make_up_words, split_words


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("word", ["word"]),
        ("Word", ["word"]),
        ("a1 b2", ["a1", "b2"]),
        ("2024", ["2024"]),
        ("a", []),
        ("it's", []),
        ("café", []),
        ("x" * 12, ["x" * 12]),
        ("x" * 13, []),  # 13 letters and 12 blanks between them: CRNN has 25 places in all
        ("abcdefghijklmnopqrst", ["abcdefghijklmnopqrst"]),
        ("abcdefghijklmnopqrstu", []),
    ],
)
def test_words_of_a_file(tmp_path: Path, line: str, kept: list[str]) -> None:
    file = tmp_path / "words.txt"
    file.write_text(f"{line}\nzz\nzz\n", encoding="utf-8")
    assert find_words(file) == (tuple(sorted([*kept, "zz"])), "words.txt", ())


@pytest.mark.parametrize(
    ("content", "words", "reported"),
    [
        (b"one\r\ntwo\r\n", ["one", "two"], None),
        (b"\xef\xbb\xbfone\ntwo\n", ["one", "two"], None),  # as Windows' editors begin a file
        (b"\n\none\n\n", ["one"], None),
        (b"one\ncaf\xe9 bar\ntwo", ["one", "two"], "1 line is left out, not being UTF-8 (2)"),
        (b"one\n" + b"\xe9\n" * 1007, ["one"],
         "1,007 lines are left out, not being UTF-8 (2, 3, 4, 5, 6, ...)"),
    ],
)  # fmt: skip
def test_how_files_are_written(
    tmp_path: Path, content: bytes, words: list[str], reported: str | None
) -> None:
    file = tmp_path / "words.txt"
    file.write_bytes(content)
    notes = () if reported is None else (f"{file}: {reported}",)
    assert find_words(file) == (tuple(words), "words.txt", notes)


def test_what_is_left_out_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "words.txt"
    file.write_bytes("\n".join(make_up_words(50)).encode() + b"\ncaf\xe9\n")
    options = ["--words", str(file), "--fonts", str(SHIPPED), "--count", "1", "--test-count", "1"]
    assert run(["zoo", "data", "crnn", "--out", str(tmp_path / "set"), *options]) == 0
    assert capsys.readouterr().err == f"{file}: 1 line is left out, not being UTF-8 (51)\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"", "has no word of 2 to 20"),
        (b"\xff\xfe\x00", r"has no word of 2 to 20.*; .*not being UTF-8 \(1\)"),
        ("é à ü".encode(), "has no word of 2 to 20"),
    ],
)
def test_files_without_words(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "words.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=message) as caught:
        find_words(file)
    assert str(file) in caught.value.message


def test_words_are_split_by_hash() -> None:
    words = make_up_words(5000)
    train, test = split_words(words, "train"), split_words(words, "test")
    assert not set(train.words) & set(test.words)
    assert set(train.words) | set(test.words) == set(words)
    assert 0.08 < len(test.words) / len(words) < 0.12
    few = split_words(words[:500], "test")
    assert set(few.words) == set(test.words) & set(words[:500])


def test_numbers_are_split_too() -> None:
    rng = random.Random(1)
    splits = {split: split_words(make_up_words(100), split) for split in ("train", "test")}
    picked = {split: {words.pick(rng) for _ in range(4000)} for split, words in splits.items()}
    numbers = {split: {word for word in words if word.isdigit()} for split, words in picked.items()}
    assert all(len(found) > 50 for found in numbers.values())
    assert not numbers["train"] & numbers["test"]


def test_one_word_is_too_few(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of the words of mine are for the"):
        for split in ("train", "test"):
            split_words(["word"], split, "mine")


def test_without_a_dictionary_words_are_common_or_made_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lexicon, "_FOLDER", tmp_path)
    words, source, _ = find_words()
    assert source == "shipped"
    assert {"library", "window", "yellow"} <= set(words)
    assert len(words) > 25_000
    assert make_up_words(50) == make_up_words(60)[:50]


def test_the_largest_dictionary_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lexicon, "_FOLDER", tmp_path)
    for name in ("words", "american-english-huge"):
        (tmp_path / name).write_text(f"only\n{name[:5]}\n")
    assert find_words() == (("ameri", "only"), "american-english-huge", ())
