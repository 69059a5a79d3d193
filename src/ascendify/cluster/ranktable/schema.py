"""From JSON to dataclasses and back, with the path of everything that does not fit.

A template's dataclasses mirror its JSON: the attributes are the keys. How a key is written is said
where the attribute is declared, by :func:`text`, :func:`digits`, :func:`integer`, :func:`words` and
:func:`items`.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache
from itertools import islice
from typing import Any, Callable, Optional, Union

from ascendify.cluster.problem import WARNING, Problem, shown
from ascendify.errors import closest, did_you_mean

Path = Union[str, tuple[Any, Union[str, int]]]
"""Where something is: the path of its parent, and its key. :func:`spell` is called for few."""
_Read = Callable[["Decoder", Any, Path], Any]

_SPEC = "ascendify"
_MOST_DIGITS = 10
"""All numbers of a rank table fit in 32 bits."""
_MISSING = object()
_MOST_COMPARED, _LONGEST_KEY = 50, 80
"""Keys that are looked at for what they may have meant: a hostile file can have millions."""
UNUSED = frozenset(
    {
        # written by the vendor's schedulers and older tools, of no meaning to HCCL
        *("container_ip", "server_ip", "pod_ip", "device_logical_id", "hardware_type", "job_id"),
        *("deploy_mode", "board_id", "chip_info", "para_plane_nic_location", "para_plane_nic_num"),
        *("para_plane_nic_name", "device_num", "server_num", "host_nic_ip", "version"),
        # of the 950's tables: read by HCCL, described nowhere
        *("detour", "control_plane", "replaced_local_id", "backup_addr"),
    }
)
"""Keys that are in tables people have, beside those of the templates."""


@dataclasses.dataclass(frozen=True)
class Spec:
    """How a value is written in JSON."""

    read: _Read
    write: Callable[[Any], Any]


def text(*, optional: bool = False) -> Any:
    """A string without control characters; empty when it is not there."""
    return _declare(Spec(_read_text, lambda value: value), optional, "")


def digits(*, optional: bool = False) -> Any:
    """A number that is written as a string."""
    return _declare(Spec(_read_digits, str), optional, None)


def integer(*, optional: bool = False) -> Any:
    """A number that is written as one."""
    return _declare(Spec(_read_integer, lambda value: value), optional, None)


def words(*, optional: bool = False) -> Any:
    """A list of strings."""

    def read(decoder: Decoder, value: Any, path: Path) -> Any:
        return decoder.list(value, path, _read_text)

    return _declare(Spec(read, list), optional, ())


def items(kind: type, *, optional: bool = False) -> Any:
    """A list of objects."""

    def read(decoder: Decoder, value: Any, path: Path) -> Any:
        return decoder.list(value, path, lambda self, item, where: self.object(kind, item, where))

    return _declare(Spec(read, lambda value: [encode(item) for item in value]), optional, ())


def encode(item: Any) -> dict[str, Any]:
    """The JSON of a dataclass: what is optional and absent stays away."""
    found = {}
    kind: type = type(item)
    for name, spec, default in _plan(kind):
        value = getattr(item, name)
        if default is _MISSING or value != default:
            found[name] = spec.write(value)
    return found


def spell(path: Path) -> str:
    """A path as people read it."""
    steps: list[str] = []
    while not isinstance(path, str):
        path, key = path
        steps.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return path + "".join(reversed(steps))


class Decoder:
    """Reads values and remembers what does not fit; reading goes on, so that all of it is told."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.unused: Counter[str] = Counter()
        """Keys of no meaning, with how often they were there."""

    def object(self, kind: type, value: Any, path: Path) -> Any:
        """A dataclass of that kind, None when it cannot be made."""
        if type(value) is not dict:
            self.wrong(path, value, "an object in { } is expected")
            return None
        found: dict[str, Any] = {}
        fits = True
        plan = _plan(kind)
        for name, spec, default in plan:
            given = value.get(name, _MISSING)
            if given is _MISSING:
                if default is _MISSING:
                    self._missing(path, name, value)
                    fits = False
                continue
            read = spec.read(self, given, (path, name))
            if read is None:
                fits = False
            found[name] = read
        if len(value) > len(found):
            self._unknown(kind, value, path)
        return kind(**found) if fits else None

    def list(self, value: Any, path: Path, read: _Read) -> tuple[Any, ...] | None:
        """What is read of each item, None when one cannot be."""
        if type(value) is not list:
            self.wrong(path, value, "a list in [ ] is expected")
            return None
        found = tuple(read(self, item, (path, number)) for number, item in enumerate(value))
        return None if None in found else found

    def wrong(self, path: Path, value: Any, rule: str, advice: str = "") -> None:
        """Tell that a value is none of the kind that is expected."""
        self.problems.append(Problem(spell(path), shown(value), rule, advice=advice))

    def odd(self, path: Path, value: Any, rule: str, advice: str) -> None:
        """Tell of a value that can be used although it is not written as it should be."""
        self.problems.append(Problem(spell(path), shown(value), rule, WARNING, advice))

    def _missing(self, path: Path, name: str, value: dict[str, Any]) -> None:
        known = [key for key in islice(value, _MOST_COMPARED) if len(key) <= _LONGEST_KEY]
        near = closest(name, known)
        advice = f"write it instead of {near}" if near else f"add {_EXAMPLES.get(name, name)}"
        self.problems.append(Problem(spell(path), "", f"{name} is missing", advice=advice))

    def _unknown(self, kind: type, value: dict[str, Any], path: Path) -> None:
        known = {name for name, _, _ in _plan(kind)}
        for key in value:
            if key in known:
                continue
            self.unused[key if key.isprintable() else shown(key)] += 1
            if key not in UNUSED and len(self.unused) <= _MOST_COMPARED:
                advice = did_you_mean(
                    key[:_LONGEST_KEY], known, "HCCL takes no notice of it; remove it"
                )
                self.odd(path, key, "the template has no such key here", advice)


_EXAMPLES = {"status": '"status": "completed"', "version": '"version": "1.0"'}


def _declare(spec: Spec, optional: bool, default: Any) -> Any:
    metadata = {_SPEC: spec}
    if optional:
        return dataclasses.field(default=default, metadata=metadata)
    return dataclasses.field(metadata=metadata)


@cache
def _plan(kind: type) -> tuple[tuple[str, Spec, Any], ...]:
    """Name, spec and default of what a dataclass reads."""
    return tuple(
        (
            field.name,
            field.metadata[_SPEC],
            _MISSING if field.default is dataclasses.MISSING else field.default,
        )
        for field in dataclasses.fields(kind)
    )


def _read_text(decoder: Decoder, value: Any, path: Path) -> Optional[str]:
    if type(value) is not str:
        if type(value) is int and value.bit_length() < 64:
            decoder.odd(path, value, "this is a string", f'write "{value}"')
            return str(value)
        decoder.wrong(path, value, "a string is expected")
        return None
    if not value.isprintable():
        decoder.wrong(path, value, "no control characters", "remove them")
        return None
    return value


def _read_digits(decoder: Decoder, value: Any, path: Path) -> Optional[int]:
    if type(value) is str and value.isdigit() and value.isascii() and len(value) <= _MOST_DIGITS:
        return int(value)
    if type(value) is int and 0 <= value < 10**_MOST_DIGITS:
        decoder.odd(path, value, "numbers are strings in this template", f'write "{value}"')
        return value
    decoder.wrong(path, value, 'a number in quotes is expected, such as "0"')
    return None


def _read_integer(decoder: Decoder, value: Any, path: Path) -> Optional[int]:
    if type(value) is int and 0 <= value < 10**_MOST_DIGITS:
        return value
    if type(value) is str and value.isdigit() and value.isascii() and len(value) <= _MOST_DIGITS:
        decoder.odd(path, value, "numbers have no quotes in this template", f"write {int(value)}")
        return int(value)
    decoder.wrong(path, value, "a number from 0 up is expected")
    return None
