"""Format of a record in a file: length, its checksum, the data, its checksum; little endian."""

from __future__ import annotations

import enum
import struct

from ascendify.zoo.records.checksum import masked_crc32c
from ascendify.zoo.records.errors import CorruptRecord, RecordPlace

HEADER_SIZE = 12
FOOTER_SIZE = 4
_LENGTH = struct.Struct("<Q")
_CHECKSUM = struct.Struct("<I")


class Compression(enum.Enum):
    """How a whole file is compressed, by the names of ``tf.io.TFRecordOptions``.

    It is not guessed from the file, as in TensorFlow.
    """

    NONE = ""
    GZIP = "GZIP"
    ZLIB = "ZLIB"

    @property
    def window_bits(self) -> int:
        """The ``wbits`` of zlib for the container format of the compressed data."""
        return 31 if self is Compression.GZIP else 15


def frame(record: bytes) -> bytes:
    """Return a record in the format of a file."""
    length = _LENGTH.pack(len(record))
    return b"".join((length, _checksum(length), record, _checksum(record)))


def length_of(header: bytes, place: RecordPlace) -> int:
    """Return the length of the data after a header.

    Raises:
        CorruptRecord: the checksum of the header does not match.
    """
    length = header[: _LENGTH.size]
    _check(length, header[_LENGTH.size :], "length", place, _looks_like(header, place))
    return int(_LENGTH.unpack(length)[0])


def data_of(body: bytes, place: RecordPlace) -> bytes:
    """Return the data of a body, which is data and footer.

    Raises:
        CorruptRecord: the checksum of the data does not match.
    """
    data = body[:-FOOTER_SIZE]
    _check(data, body[-FOOTER_SIZE:], "data", place, "make or copy the file again")
    return data


def _checksum(content: bytes) -> bytes:
    return _CHECKSUM.pack(masked_crc32c(content))


def _check(content: bytes, stored: bytes, part: str, place: RecordPlace, hint: str) -> None:
    expected, found = _CHECKSUM.unpack(stored)[0], masked_crc32c(content)
    if expected != found:
        message = f"the checksum of its {part} is {expected:#010x}, its bytes give {found:#010x}"
        raise CorruptRecord(place, message, hint)


def _looks_like(header: bytes, place: RecordPlace) -> str:
    """Return a hint for a broken header: the file may be compressed, or not a TFRecord file."""
    if place.offset == 0 and header[:2] == b"\x1f\x8b":
        return (
            "the file begins like gzip: read it with Compression.GZIP, one record after the other"
        )
    if place.offset == 0 and header[0] == 0x78 and int.from_bytes(header[:2], "big") % 31 == 0:
        return (
            "the file begins like zlib: read it with Compression.ZLIB, one record after the other"
        )
    if place.offset == 0:
        return "check that it is a TFRecord file; if so, make or copy it again"
    return "make or copy the file again: where the next record begins cannot be known"
