"""Errors of records, and where they occurred."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ascendify.errors import UsageError


@dataclass(frozen=True)
class RecordPlace:
    """The position of a record: its file, its number from 0, its first byte.

    In a compressed file the byte counts the decompressed data, as in TensorFlow's reader.
    """

    path: Optional[Path] = None
    record: Optional[int] = None
    offset: Optional[int] = None
    inflated: bool = False

    def __str__(self) -> str:
        record = "the record" if self.record is None else f"record {self.record}"
        byte = "" if self.offset is None else f" at byte {self.offset}"
        byte += " of the inflated data" if self.inflated else ""
        return f"{record}{byte}" if self.path is None else f"{self.path}: {record}{byte}"


class RecordError(UsageError):
    """A record that cannot be read, or an example that cannot be written."""

    def __init__(self, place: RecordPlace, found: str, hint: str) -> None:
        super().__init__(f"{place}: {found}", hint)
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all fields, for errors of worker processes; by default only the message is."""
        return _restore, (type(self), self.args, vars(self))


def _restore(kind: type[RecordError], args: tuple[Any, ...], state: dict[str, Any]) -> RecordError:
    error = kind.__new__(kind, *args)
    vars(error).update(state)
    return error


class TruncatedRecord(RecordError):  # noqa: N818 - names what was found, as its siblings do
    """A file that ends inside a record."""

    def __init__(self, place: RecordPlace, found: str) -> None:
        super().__init__(
            place,
            f"the file ends inside it: {found}",
            "the file was not written or copied to its end: make or copy it again",
        )


class CorruptRecord(RecordError):  # noqa: N818 - as above
    """Damaged bytes: a checksum does not match, or decompression fails."""


class MalformedExample(RecordError):  # noqa: N818 - as above
    """A complete record that is not a ``tf.train.Example``."""

    def __init__(self, place: RecordPlace, found: str) -> None:
        super().__init__(
            place,
            f"not a tf.train.Example: {found}",
            "the record is whole, so it was written as something else: check which file this is",
        )


NOWHERE = RecordPlace()
"""Position of a record that is not in a file."""


class FeatureError(RecordError):
    """A feature that is missing, or does not have the type or size of its schema."""

    def __init__(self, place: RecordPlace, name: str, found: str, hint: str) -> None:
        super().__init__(place, f"feature {name!r}: {found}", hint)
        self.name = name
