"""Words to draw: from a file of the user, a dictionary of the system, or the shipped list.

The shipped list has some thousand common English words. They are too few to learn reading from, so
made-up words of English-like syllables are added.
"""

from __future__ import annotations

import random
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple, Optional

from ascendify.errors import UsageError
from ascendify.zoo.rendering.splits import held_out

TEST_PART = 0.1
"""Share of the words that only the test uses."""
NUMBERS = 0.08
"""Share of the samples that are numbers."""
FRAMES = 25
"""Time steps of CRNN, each a letter or a blank; two equal letters need a blank between them."""
MADE_UP = 30_000
_LISTED = 5
"""Number of left-out lines that a note lists."""

_DICTIONARIES = (
    "american-english-huge",
    "american-english-large",
    "american-english-insane",
    "american-english",
    "british-english-huge",
    "british-english",
    "words",
)
_FOLDER = Path("/usr/share/dict")
_SHIPPED = Path(__file__).parent / "common-words.txt"
_WORD = re.compile(r"[a-z0-9]{2,20}")
_SYLLABLE = {
    "onset": "b c d f g h j k l m n p r s t v w z bl br ch cl cr dr fl fr gl gr pl pr qu sc sh sk"
    " sl sm sn sp st str sw th tr tw wh",
    "nucleus": "a e i o u a e i o ai ea ee ie oa oo ou au ow y",
    "coda": "b d g k l m n p r s t x ck ct ft ld lk lt mp nd ng nk nt pt rd rk rn rt sh ss st th",
}
_ENDINGS = "s ed er ing ly ness tion able ous ment ful ism ist ize al ic"


@dataclass(frozen=True)
class Lexicon:
    """The words of one split, and their source."""

    words: tuple[str, ...]
    split: Literal["train", "test"]
    source: str
    notes: tuple[str, ...] = ()
    """Notes for the user on the words."""

    def pick(self, rng: Any) -> str:
        """Draw a word or a number of this split."""
        if rng.random() >= NUMBERS:
            return self.words[int(rng.random() * len(self.words))]
        while True:
            digits = int(2 + rng.random() ** 2 * 9)
            number = f"{int(rng.random() * 10**digits):0{digits}d}"
            if held_out(number, TEST_PART) == (self.split == "test"):
                return number


class WordList(NamedTuple):
    """All usable words, sorted."""

    words: tuple[str, ...]
    source: str
    """Name of the source."""
    notes: tuple[str, ...] = ()


def find_words(file: Optional[Path] = None) -> WordList:
    """Return the words of a file, a dictionary or the shipped list.

    Raises:
        UsageError: the file cannot be read, or has no such words.
    """
    if file is not None:
        return _words_of_file(file)
    for name in _DICTIONARIES:
        if (_FOLDER / name).is_file():
            return _words_of_file(_FOLDER / name)
    words, _ = _read(_SHIPPED)
    return WordList(_usable([*words, *make_up_words(MADE_UP)], _SHIPPED), "shipped")


def _words_of_file(path: Path) -> WordList:
    words, strange = _read(path)
    notes = (_left_out_note(path, strange),) if strange else ()
    return WordList(_usable(words, path, notes), path.name, notes)


def _left_out_note(path: Path, strange: Sequence[int]) -> str:
    """Return a note on the lines that are left out because they are not UTF-8."""
    first = ", ".join(map(str, strange[:_LISTED])) + (", ..." if len(strange) > _LISTED else "")
    lines = "1 line is" if len(strange) == 1 else f"{len(strange):,} lines are"
    return f"{path}: {lines} left out, not being UTF-8 ({first})"


def split_words(
    words: Iterable[str],
    split: Literal["train", "test"],
    source: str = "",
    notes: tuple[str, ...] = (),
) -> Lexicon:
    """Return the words of a split: a tenth, by hash, is for the test.

    Raises:
        UsageError: there are too few words for two splits.
    """
    chosen = tuple(word for word in words if held_out(word, TEST_PART) == (split == "test"))
    if not chosen:
        raise UsageError(
            f"none of the words of {source or 'the list'} are for the {split} split",
            "give more words: a tenth of them, by hash, is kept for the test",
        )
    return Lexicon(chosen, split, source, notes)


def digest(words: Iterable[str]) -> str:
    """Return a hash of the words, which determine what is drawn."""
    return blake2b("\n".join(words).encode(), digest_size=8).hexdigest()


def make_up_words(count: int) -> list[str]:
    """Return English-like words, always the same."""
    rng = random.Random(0)  # noqa: S311 - nothing secret
    return [_make_up_word(rng) for _ in range(count)]


def _make_up_word(rng: random.Random) -> str:
    word = "".join(_syllable(rng) for _ in range(rng.choice((1, 2, 2, 2, 3, 3, 4))))
    return word + _one_of(rng, _ENDINGS, 0.4)


def _syllable(rng: random.Random) -> str:
    shares = {"onset": 0.9, "nucleus": 1.0, "coda": 0.5}
    return "".join(_one_of(rng, _SYLLABLE[part], share) for part, share in shares.items())


def _one_of(rng: random.Random, pieces: str, share: float) -> str:
    """One of the pieces, or nothing."""
    return rng.choice(pieces.split()) if rng.random() < share else ""


def _read(path: Path) -> tuple[list[str], list[int]]:
    """Return the words of a file, and the numbers of its lines that are not UTF-8."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", "name a file of words, one per line"
        ) from error
    words: list[str] = []
    strange = []
    for number, line in enumerate(content.removeprefix(BOM_UTF8).splitlines(), 1):
        try:
            words += line.decode("utf-8").split()
        except UnicodeDecodeError:
            strange.append(number)
    return words, strange


def _usable(words: Iterable[str], path: Path, notes: Iterable[str] = ()) -> tuple[str, ...]:
    kept = sorted({word for raw in words if _fits(word := raw.lower())})
    if not kept:
        raise UsageError(
            "; ".join([f"{path} has no word of 2 to 20 letters or digits of a-z and 0-9", *notes]),
            "name a text file in UTF-8 with words, one per line",
        )
    return tuple(kept)


def _fits(word: str) -> bool:
    doubled = sum(first == second for first, second in zip(word, word[1:]))
    return _WORD.fullmatch(word) is not None and len(word) + doubled < FRAMES
