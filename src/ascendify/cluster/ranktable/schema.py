"""Convert JSON to dataclasses and back, and report the JSON path of each value that does not fit.

A template's dataclasses mirror its JSON: the attributes are the keys. Each attribute is declared
with its format in JSON: :func:`text`, :func:`digits`, :func:`integer`, :func:`texts` or
:func:`items`.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache
from itertools import islice
from typing import Any, Callable, Optional, Union

from ascendify.cluster.problem import WARNING, ClusterProblem, format_value
from ascendify.errors import closest, did_you_mean

Path = Union[str, tuple[Any, Union[str, int]]]
"""A JSON path as parent and key; :func:`format_path` makes text of the few that are shown."""
_Read = Callable[["SchemaDecoder", Any, Path], Any]

_SPEC = "ascendify"
_MOST_DIGITS = 10
"""All numbers of a rank table fit in 32 bits."""
_MISSING = object()
_MOST_COMPARED, _LONGEST_KEY = 50, 80
"""Limits when searching for the key that the user meant: a hostile file can have millions."""
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
"""Keys without effect that occur in real tables; no warning is given for them."""


@dataclasses.dataclass(frozen=True)
class FieldFormat:
    """How a field is read from JSON and written to it."""

    read: _Read
    write: Callable[[Any], Any]


def text(*, optional: bool = False) -> Any:
    """Declare a string without control characters; by default empty."""
    return _declare(FieldFormat(_read_text, lambda value: value), optional, "")


def digits(*, optional: bool = False) -> Any:
    """Declare a number that JSON has as a string."""
    return _declare(FieldFormat(_read_digits, str), optional, None)


def integer(*, optional: bool = False) -> Any:
    """Declare a number that JSON has as a number."""
    return _declare(FieldFormat(_read_integer, lambda value: value), optional, None)


def texts(*, optional: bool = False) -> Any:
    """Declare a list of strings."""

    def read(decoder: SchemaDecoder, value: Any, path: Path) -> Any:
        return decoder.list(value, path, _read_text)

    return _declare(FieldFormat(read, list), optional, ())


def items(kind: type, *, optional: bool = False) -> Any:
    """Declare a list of objects of a dataclass."""

    def read(decoder: SchemaDecoder, value: Any, path: Path) -> Any:
        return decoder.list(value, path, lambda self, item, where: self.object(kind, item, where))

    return _declare(FieldFormat(read, lambda value: [encode(item) for item in value]), optional, ())


def encode(item: Any) -> dict[str, Any]:
    """Convert a dataclass to JSON; optional fields with their default are left out."""
    found = {}
    kind: type = type(item)
    for name, spec, default in _fields(kind):
        value = getattr(item, name)
        if default is _MISSING or value != default:
            found[name] = spec.write(value)
    return found


def format_path(path: Path) -> str:
    """Format a path: ``$.server_list[0].device``."""
    steps: list[str] = []
    while not isinstance(path, str):
        path, key = path
        steps.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return path + "".join(reversed(steps))


class SchemaDecoder:
    """Reads JSON values and collects all problems instead of stopping at the first."""

    def __init__(self) -> None:
        self.problems: list[ClusterProblem] = []
        self.unused: Counter[str] = Counter()
        """Keys without effect, with their number of occurrences."""

    def object(self, kind: type, value: Any, path: Path) -> Any:
        """Read a dataclass; None when a field is missing or wrong."""
        if type(value) is not dict:
            self.wrong(path, value, "an object in { } is expected")
            return None
        found: dict[str, Any] = {}
        fits = True
        plan = _fields(kind)
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
        """Read each item of a list; None when one is wrong."""
        if type(value) is not list:
            self.wrong(path, value, "a list in [ ] is expected")
            return None
        found = tuple(read(self, item, (path, number)) for number, item in enumerate(value))
        return None if None in found else found

    def wrong(self, path: Path, value: Any, rule: str, advice: str = "") -> None:
        """Record a value that cannot be used."""
        self.problems.append(
            ClusterProblem(format_path(path), format_value(value), rule, advice=advice)
        )

    def odd(self, path: Path, value: Any, rule: str, advice: str) -> None:
        """Record a warning for a value that is usable but not in the template's format."""
        self.problems.append(
            ClusterProblem(format_path(path), format_value(value), rule, WARNING, advice)
        )

    def _missing(self, path: Path, name: str, value: dict[str, Any]) -> None:
        known = [key for key in islice(value, _MOST_COMPARED) if len(key) <= _LONGEST_KEY]
        near = closest(name, known)
        advice = f"write it instead of {near}" if near else f"add {_EXAMPLES.get(name, name)}"
        self.problems.append(
            ClusterProblem(format_path(path), "", f"{name} is missing", advice=advice)
        )

    def _unknown(self, kind: type, value: dict[str, Any], path: Path) -> None:
        known = {name for name, _, _ in _fields(kind)}
        for key in value:
            if key in known:
                continue
            self.unused[key if key.isprintable() else format_value(key)] += 1
            if key not in UNUSED and len(self.unused) <= _MOST_COMPARED:
                advice = did_you_mean(key[:_LONGEST_KEY], known, "HCCL ignores it; remove it")
                self.odd(path, key, "the template has no such key here", advice)


_EXAMPLES = {"status": '"status": "completed"', "version": '"version": "1.0"'}


def _declare(spec: FieldFormat, optional: bool, default: Any) -> Any:
    metadata = {_SPEC: spec}
    if optional:
        return dataclasses.field(default=default, metadata=metadata)
    return dataclasses.field(metadata=metadata)


@cache
def _fields(kind: type) -> tuple[tuple[str, FieldFormat, Any], ...]:
    """Return name, format and default of each field of a dataclass."""
    return tuple(
        (
            field.name,
            field.metadata[_SPEC],
            _MISSING if field.default is dataclasses.MISSING else field.default,
        )
        for field in dataclasses.fields(kind)
    )


def _read_text(decoder: SchemaDecoder, value: Any, path: Path) -> Optional[str]:
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


def _read_digits(decoder: SchemaDecoder, value: Any, path: Path) -> Optional[int]:
    if type(value) is str and value.isdigit() and value.isascii() and len(value) <= _MOST_DIGITS:
        return int(value)
    if type(value) is int and 0 <= value < 10**_MOST_DIGITS:
        decoder.odd(path, value, "numbers are strings in this template", f'write "{value}"')
        return value
    decoder.wrong(path, value, 'a number in quotes is expected, such as "0"')
    return None


def _read_integer(decoder: SchemaDecoder, value: Any, path: Path) -> Optional[int]:
    if type(value) is int and 0 <= value < 10**_MOST_DIGITS:
        return value
    if type(value) is str and value.isdigit() and value.isascii() and len(value) <= _MOST_DIGITS:
        decoder.odd(path, value, "numbers have no quotes in this template", f"write {int(value)}")
        return int(value)
    decoder.wrong(path, value, "a number from 0 up is expected")
    return None
