"""Names of French streets, as the labels of FSNS spell them: ``Rue de la Taillée``.

A name is a kind of street (rue, ...), an article and a stem: a place, a person, a thing, a date.
Places are real towns and others that are put together from syllables, so that there are far more
names than a network can learn by heart. Whether a name is for the test depends on its stem alone:
``Rue de la Taillée`` and ``Impasse de la Taillée`` are never on different sides.
"""

from __future__ import annotations

import functools
import json
import unicodedata
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, Optional

from ascendify.errors import UsageError
from ascendify.zoo.rendering.splits import held_out

LONGEST = 37
"""Characters of a label of FSNS."""
TEST_PART = 0.1
"""Share of the stems that only the test uses."""
SHIPPED = Path(__file__).with_name("names.txt")

STREET_KINDS: Mapping[str, float] = {
    "Rue": 60,
    "Avenue": 9,
    "Impasse": 7,
    "Chemin": 6,
    "Place": 5,
    "Allée": 4,
    "Boulevard": 3,
    "Route": 1,
    "Square": 1,
    "Quai": 1,
    "Passage": 0.5,
    "Cours": 0.5,
    "Ruelle": 0.4,
    "Sentier": 0.4,
    "Promenade": 0.3,
    "Esplanade": 0.3,
    "Montée": 0.3,
    "Villa": 0.3,
}
"""Kinds of streets, with their weights in percent."""
_ARTICLES = {"le": "du", "la": "de la", "les": "des"}
_VOWELS = frozenset("aeiouyhœæ")
Split = Literal["train", "test"]


@dataclass(frozen=True)
class Name:
    """A street's name, and the part of it that decides its split."""

    text: str
    stem: str

    @property
    def split(self) -> Split:
        """The split of the name."""
        return "test" if held_out(f"name {_plain(self.stem)}", TEST_PART) else "train"


@dataclass(frozen=True)
class Names:
    """Parts of names, by kind as in ``names.txt``; ``places`` are the user's own."""

    parts: Mapping[str, Sequence[str]]
    places: Sequence[str] = ()

    def draw(self, split: Split, rng: Any) -> Name:
        """Draw a name of a split; the same for the same state of the generator."""
        while True:
            kind_of_street = _pick_weighted(_STREET_KINDS, rng)
            after, stem = _pick_weighted(_KINDS, rng)(self, rng)
            name = Name(f"{kind_of_street} {after}", stem)
            if len(name.text) <= LONGEST and name.split == split:
                return name

    def stems(self) -> int:
        """Count the different stems, without those made of syllables."""
        kinds = ("towns", "given", "women", "family", "people", "things", "dates")
        return len({_plain(stem) for kind in kinds for stem in self.parts[kind]})

    def pick(self, kind: str, rng: Any) -> str:
        """Draw a part of a kind."""
        return _pick(self.parts[kind], rng)


def shipped_names() -> Names:
    """Return the shipped names."""
    return Names(_shipped_parts())


def read_names(path: Path, characters: Container[str]) -> Names:
    """Read place names from a file: one per line, or JSON, a list of texts or of ``nom``.

    Names too long for any label are left out.

    Raises:
        UsageError: the file cannot be read, has a character that labels cannot have, or no name.
    """
    places = [(where, _tidy(place)) for where, place in _read_list(path)]
    for where, place in places:
        strange = next((c for c in place if c not in characters), None)
        if strange is not None:
            raise UsageError(
                f"{path}: {where}: {place!r} has {strange!r}, which is not in the character set",
                "spell it with the characters of charset_size=134.txt",
            )
    fitting = sorted(
        {place for _, place in places if place and len(_with_article(place)) <= LONGEST - 4}
    )
    if not fitting:
        raise UsageError(
            f"{path} has no name of at most {LONGEST - 7} characters",
            "list names of places, one per line",
        )
    return Names(_shipped_parts(), tuple(fitting))


def _with_article(target: str) -> str:
    """Add the article after a kind of street: ``le Moulin`` becomes ``du Moulin``."""
    first, _, rest = target.partition(" ")
    if rest and first.lower() in _ARTICLES:
        return f"{_ARTICLES[first.lower()]} {rest}"
    if target.lower().startswith("l'"):
        return f"de l'{target[2:]}"
    return f"d'{target}" if _plain(target)[:1] in _VOWELS else f"de {target}"


def _bare(target: str) -> str:
    """Return a name without its article."""
    first, _, rest = target.partition(" ")
    if rest and first in _ARTICLES:
        return rest
    return target[2:] if target.startswith("l'") else target


def _place(names: Names, rng: Any) -> tuple[str, str]:
    place = _pick(names.places or names.parts["towns"], rng)
    return _with_article(place), place


def _made_up_place(names: Names, rng: Any) -> tuple[str, str]:
    """Make up a French place name; with a user's places, draw one of those."""
    if names.places:
        return _place(names, rng)
    head = names.pick("heads", rng)
    short = _plain(head)[-1] in _VOWELS and rng.random() < 0.5
    stem = head + ("" if short else names.pick("middles", rng)) + names.pick("ends", rng)
    luck = rng.random()
    if luck < 0.12:
        return _with_article(f"{stem}-sur-{names.pick('rivers', rng)}"), stem
    if luck < 0.2:
        return _with_article(f"{stem}-{names.pick('tails', rng)}"), stem
    return _with_article(stem), stem


def _person(names: Names, rng: Any) -> tuple[str, str]:
    family = names.pick("family", rng)
    luck = rng.random()
    if luck < 0.2:
        return f"{_with_article(names.pick('titles', rng))} {family}", family
    if luck < 0.35:
        return family, family
    return f"{names.pick('given' if luck < 0.8 else 'women', rng)} {family}", family


def _people(names: Names, rng: Any) -> tuple[str, str]:
    person = names.pick("people", rng)
    return person, person.rpartition(" ")[2]


def _thing(names: Names, rng: Any) -> tuple[str, str]:
    thing = names.pick("things", rng)
    return _with_article(thing), _bare(thing)


def _saint(names: Names, rng: Any) -> tuple[str, str]:
    saint, kind = ("Saint", "given") if rng.random() < 0.7 else ("Sainte", "women")
    stem = names.pick(kind, rng)
    return f"{saint}{'-' if rng.random() < 0.5 else ' '}{stem}", stem


def _date(names: Names, rng: Any) -> tuple[str, str]:
    date = names.pick("dates", rng)
    return _with_article(date), _bare(date)


def _table(weights: Mapping[Any, float]) -> tuple[list[Any], list[float]]:
    total = sum(weights.values())
    return list(weights), [weight / total for weight in accumulate(weights.values())]


_Kind = Callable[[Names, Any], tuple[str, str]]
_SHARES: Mapping[_Kind, float] = {
    _made_up_place: 32,
    _thing: 20,
    _person: 22,
    _place: 12,
    _people: 6,
    _saint: 5,
    _date: 3,
}
_KINDS = _table(_SHARES)
_STREET_KINDS = _table(STREET_KINDS)


def _pick_weighted(table: tuple[list[Any], list[float]], rng: Any) -> Any:
    luck = rng.random()
    return next(value for value, below in zip(*table) if luck < below or below == table[1][-1])


def _pick(values: Sequence[str], rng: Any) -> str:
    return values[int(rng.random() * len(values))]


@functools.lru_cache(maxsize=1 << 16)
def _plain(text: str) -> str:
    """Remove case and accents, so that spellings of a stem are equal."""
    apart = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in apart if not unicodedata.combining(c))


@functools.cache
def _shipped_parts() -> Mapping[str, Sequence[str]]:
    parts: dict[str, list[str]] = {}
    for line in SHIPPED.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind = parts.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            kind += [name for part in line.split(",") if (name := part.strip())]
    return {kind: tuple(dict.fromkeys(names)) for kind, names in parts.items()}


def _tidy(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).replace("\u2019", "'").split())


def _read_list(path: Path) -> list[tuple[str, str]]:
    """Return the names of a file, each with its position in it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"{path} cannot be read: {why}", "name a text file, one name per line"
        ) from (error)
    if path.suffix.lower() != ".json":
        return [(f"line {number}", line) for number, line in enumerate(text.splitlines(), 1)]
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{path}: line {error.lineno} is not JSON: {error.msg}", "give it another suffix?"
        ) from error
    return [
        (f"$[{number}]", _nom(path, number, entry)) for number, entry in _entries(path, entries)
    ]


def _entries(path: Path, entries: Any) -> Any:
    if not isinstance(entries, list):
        raise UsageError(f"{path}: $ is not a list", "give a list of names, or of objects with nom")
    return enumerate(entries)


def _nom(path: Path, number: int, entry: Any) -> str:
    name: Optional[Any] = entry.get("nom") if isinstance(entry, dict) else entry
    if not isinstance(name, str):
        raise UsageError(
            f"{path}: $[{number}] has no name: {entry!r:.60}", "give a text, or an object with nom"
        )
    return name
