"""Write records to a file that is complete or not there at all."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Optional, Union

from ascendify.errors import UsageError
from ascendify.zoo.records.frames import Compression, frame


class RecordWriter:
    """Writes to a temporary file and renames it at the end.

    A context manager: on a normal exit the file gets its name; on an exception what was written is
    removed and an older file stays as it was.

    Without compression the bytes equal those of TensorFlow's writer; with it, the decompressed
    bytes do.
    """

    def __init__(self, path: Union[str, Path], compression: Compression = Compression.NONE) -> None:
        self.path = Path(path)
        self.count = 0
        # a hidden name, so that no pattern for the files of a set matches it
        self._part = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        self._deflate = _deflater(compression)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._part.open("wb")
        except OSError as error:
            raise self._failed(error) from error

    def write(self, record: bytes) -> None:
        """Add a record.

        Raises:
            UsageError: the file cannot be written, for example because the disk is full.
        """
        framed = frame(record)
        self._put(self._deflate.compress(framed) if self._deflate else framed)
        self.count += 1

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            with suppress(OSError):  # closing tries again to write what did not fit
                self._file.close()
            self._part.unlink(missing_ok=True)

    def _finish(self) -> None:
        if self._deflate:
            self._put(self._deflate.flush())
        try:
            self._file.flush()
            os.fsync(self._file.fileno())  # after a power cut, a named file must have its data
            self._file.close()
            self._part.replace(self.path)
        except OSError as error:
            raise self._failed(error) from error

    def _put(self, data: bytes) -> None:
        try:
            self._file.write(data)
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> UsageError:
        return UsageError(
            f"{self.path} cannot be written: {error.strerror}",
            "name a folder you may write to, with room for the file",
        )


def _deflater(compression: Compression) -> Optional[zlib._Compress]:
    if compression is Compression.NONE:
        return None
    # level and memory as in TensorFlow's ZlibCompressionOptions
    return zlib.compressobj(zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, compression.window_bits, 9)
