"""Read records of files in order, or by number."""

from __future__ import annotations

import bisect
import io
import itertools
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Optional, Union

from ascendify.errors import UsageError
from ascendify.zoo.records.errors import CorruptRecord, RecordPlace, TruncatedRecord
from ascendify.zoo.records.frames import FOOTER_SIZE, HEADER_SIZE, Compression, data_of, length_of

_CHUNK = 1 << 20
"""Bytes read at once, so that a wrong length does not allocate memory."""
_PIECE = 1 << 16
"""Compressed bytes read at once; small, because zlib copies the rest at every call."""


def read_records(
    path: Path, compression: Compression = Compression.NONE
) -> Iterator[tuple[RecordPlace, bytes]]:
    """Yield every record of a file in order, with its place.

    Raises:
        UsageError: the file cannot be opened.
        TruncatedRecord: the file ends inside a record, after all records before it were given.
        CorruptRecord: a checksum does not match, or the compressed data are broken.
    """
    with _open(path) as file:
        plain = compression is Compression.NONE
        stream = file if plain else _inflate_stream(file, compression)
        offset = 0
        for number in itertools.count():
            place = RecordPlace(path, number, offset, not plain)
            data = _next_record(stream, place)
            if data is None:
                return
            yield place, data
            offset += HEADER_SIZE + len(data) + FOOTER_SIZE


class RecordFile:
    """A file without compression whose records can be read by number.

    The file is open only during a read, so an object can be sent to other processes and used from
    several threads, and a thousand objects need no file handles.
    """

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)

    @cached_property
    def offsets(self) -> array[int]:
        """First byte of each record, found in one pass over the headers.

        Raises:
            UsageError: the file cannot be opened.
            TruncatedRecord: the file ends inside a record.
            CorruptRecord: the checksum of a header does not match.
        """
        found = array("Q")
        # without a buffer, which would read 8 KiB to see 12 bytes
        with _open(self.path, buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            offset = 0
            while offset < size:
                place = RecordPlace(self.path, len(found), offset)
                file.seek(offset)
                header = _whole_header(_read_bytes(file, HEADER_SIZE), place)
                body = length_of(header, place) + FOOTER_SIZE
                found.append(offset)
                offset += HEADER_SIZE + body
                if offset > size:
                    there = size - (offset - body)
                    raise _truncation_error(place, "data and checksum", body, there)
        return found

    def __len__(self) -> int:
        return len(self.offsets)

    def __getitem__(self, number: int) -> bytes:
        place = self.place(number)
        with _open(self.path) as file:
            file.seek(place.offset or 0)
            return _body(file, _read_bytes(file, HEADER_SIZE), place)

    def __iter__(self) -> Iterator[bytes]:
        return (record for _, record in read_records(self.path))

    def place(self, number: int) -> RecordPlace:
        """Return the place of a record; a negative number counts from the end."""
        number = range(len(self))[number]
        return RecordPlace(self.path, number, self.offsets[number])


class RecordFiles:
    """Several files as one sequence of records."""

    def __init__(self, paths: Iterable[Union[str, Path]]) -> None:
        self.files = tuple(map(RecordFile, paths))

    @cached_property
    def _ends(self) -> list[int]:
        return list(itertools.accumulate(map(len, self.files)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, number: int) -> bytes:
        file, number = self._locate(number)
        return file[number]

    def __iter__(self) -> Iterator[bytes]:
        return itertools.chain.from_iterable(self.files)

    def place(self, number: int) -> RecordPlace:
        """Return the place of a record, with its number in its own file."""
        file, number = self._locate(number)
        return file.place(number)

    def _locate(self, number: int) -> tuple[RecordFile, int]:
        number = range(len(self))[number]
        index = bisect.bisect_right(self._ends, number)
        return self.files[index], number - (self._ends[index - 1] if index else 0)


def _next_record(stream: BinaryIO, place: RecordPlace) -> Optional[bytes]:
    """Return the next record of a stream; None at its end."""
    try:
        header = _read_bytes(stream, HEADER_SIZE)
        return _body(stream, header, place) if header else None
    except zlib.error as error:
        hint = "check that the file is compressed so; if it is, make or copy it again"
        raise CorruptRecord(place, f"the compressed data are broken ({error})", hint) from error
    except EOFError as error:
        raise TruncatedRecord(place, "the compressed data have no end") from error


def _body(stream: BinaryIO, header: bytes, place: RecordPlace) -> bytes:
    """Read the data after a header."""
    expected = length_of(_whole_header(header, place), place) + FOOTER_SIZE
    body = _read_bytes(stream, expected)
    if len(body) < expected:
        raise _truncation_error(place, "data and checksum", expected, len(body))
    return data_of(body, place)


def _whole_header(header: bytes, place: RecordPlace) -> bytes:
    if len(header) < HEADER_SIZE:
        raise _truncation_error(place, "header", HEADER_SIZE, len(header))
    return header


def _truncation_error(place: RecordPlace, part: str, expected: int, found: int) -> TruncatedRecord:
    return TruncatedRecord(place, f"{expected} bytes of {part} expected, {found} found")


def _read_bytes(stream: BinaryIO, size: int) -> bytes:
    """Read ``size`` bytes, or all that are left."""
    taken = stream.read(min(size, _CHUNK))
    if len(taken) == size:
        return taken
    pieces = [taken]
    size -= len(taken)
    while size and pieces[-1]:
        pieces.append(stream.read(min(size, _CHUNK)))
        size -= len(pieces[-1])
    return b"".join(pieces)


@contextmanager
def _open(path: Path, buffering: int = -1) -> Iterator[BinaryIO]:
    try:
        file: BinaryIO = path.open("rb", buffering)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", "name a TFRecord file that exists"
        ) from error
    with file:
        yield file


def _inflate_stream(file: BinaryIO, compression: Compression) -> BinaryIO:
    return io.BufferedReader(_Inflated(file, compression), _CHUNK)


class _Inflated(io.RawIOBase):
    """Decompressed content of a file; consecutive streams count as one.

    Raises ``zlib.error`` for broken data, ``EOFError`` for a stream without its end.
    """

    def __init__(self, file: BinaryIO, compression: Compression) -> None:
        self._file = file
        self._bits = compression.window_bits
        self._inflate = zlib.decompressobj(self._bits)
        self._left = b""
        self._inside = False

    def readable(self) -> bool:
        """Return that the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with at least one byte, unless the file is at its end."""
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _next(self, size: int) -> bytes:
        while True:
            piece = self._left or self._file.read(_PIECE)
            if not piece and not self._inside:
                return b""
            self._inside = True
            data = self._inflate.decompress(piece, size)
            self._left = self._inflate.unconsumed_tail or self._inflate.unused_data
            if self._inflate.eof:
                self._inflate = zlib.decompressobj(self._bits)
                self._inside = False
            if data:
                return data
            if self._inside and not piece:
                raise EOFError
