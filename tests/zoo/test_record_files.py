"""TFRecord files: what is written is read, and what is damaged is reported, not left out."""

from __future__ import annotations

import gzip
import itertools
import os
import pickle
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascendify.errors import UsageError
from ascendify.zoo.records import (
    Compression,
    CorruptRecord,
    FeatureError,
    MalformedExample,
    RecordError,
    RecordFile,
    RecordFiles,
    RecordPlace,
    RecordWriter,
    TruncatedRecord,
    read_records,
)
from ascendify.zoo.records.checksum import masked_crc32c
from ascendify.zoo.records.frames import frame

RECORDS = [b"first", b"", b"a third one"]
STARTS = [0, 21, 37]
WHOLE = b"".join(map(frame, RECORDS))
every_compression = pytest.mark.parametrize("compression", list(Compression))
compressed = pytest.mark.parametrize("compression", [Compression.GZIP, Compression.ZLIB])
a_file_each_time = settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def write(path: Path, records: list[bytes], compression: Compression = Compression.NONE) -> Path:
    with RecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)
    return path


def read(path: Path, compression: Compression = Compression.NONE) -> list[bytes]:
    return [record for _, record in read_records(path, compression)]


def until_error(
    path: Path, compression: Compression = Compression.NONE
) -> tuple[list[bytes], RecordError | None]:
    """The records a reader gives, and the error it ends with."""
    found: list[bytes] = []
    try:
        for _, record in read_records(path, compression):
            found.append(record)
    except RecordError as error:
        return found, error
    return found, None


def record_holding(byte: int) -> int:
    return max(number for number, start in enumerate(STARTS) if start <= byte)


def test_the_layout(tmp_path: Path) -> None:
    path = write(tmp_path / "x", [b"123456789"])
    content = path.read_bytes()
    assert content[:8] == b"\x09" + bytes(7)
    assert content[12:-4] == b"123456789"
    assert content[-4:] == 0xC78AB0E5.to_bytes(4, "little")


@every_compression
@given(records=st.lists(st.binary(max_size=200), max_size=8))
@a_file_each_time
def test_what_is_written_is_read(
    records: list[bytes], compression: Compression, tmp_path: Path
) -> None:
    assert read(write(tmp_path / "x", records, compression), compression) == records


@given(records=st.lists(st.binary(max_size=200), max_size=8))
@a_file_each_time
def test_any_record_by_its_number(records: list[bytes], tmp_path: Path) -> None:
    file = RecordFile(write(tmp_path / "x", records))
    assert len(file) == len(records)
    assert [file[number] for number in reversed(range(len(file)))] == records[::-1]
    assert list(file) == records


@pytest.mark.parametrize("size", [(1 << 20) - 4, (1 << 20) - 3, 3 << 20])
@every_compression
def test_records_larger_than_what_is_read_at_once(
    size: int, compression: Compression, tmp_path: Path
) -> None:
    records = [os.urandom(1000) * (size // 1000 + 1), b"small"]
    path = write(tmp_path / "x", records, compression)
    assert read(path, compression) == records
    if compression is Compression.NONE:
        assert RecordFile(path)[0] == records[0]


def test_places(tmp_path: Path) -> None:
    path = write(tmp_path / "x", RECORDS)
    assert [place.offset for place, _ in read_records(path)] == STARTS
    assert list(RecordFile(path).offsets) == STARTS
    assert str(RecordFile(path).place(-1)) == f"{path}: record 2 at byte 37"


def test_numbers_beyond_the_end(tmp_path: Path) -> None:
    file = RecordFile(write(tmp_path / "x", RECORDS))
    assert file[-3] == RECORDS[0]
    for number in (3, -4):
        with pytest.raises(IndexError):
            file[number]


def test_the_index_travels_with_the_object(tmp_path: Path) -> None:
    file = RecordFile(write(tmp_path / "x", RECORDS))
    assert len(file) == 3
    copied = pickle.loads(pickle.dumps(file))
    assert "offsets" in vars(copied)
    assert copied[2] == RECORDS[2]


def test_several_files_are_one_row(tmp_path: Path) -> None:
    parts = [[b"a", b"b"], [], [b"c"], []]
    paths = [write(tmp_path / str(number), part) for number, part in enumerate(parts)]
    row = RecordFiles(paths)
    assert len(row) == 3
    assert list(row) == [b"a", b"b", b"c"]
    assert row[-1] == b"c"
    assert (row.place(2).path, row.place(2).record) == (paths[2], 0)
    assert len(RecordFiles([])) == 0


@pytest.mark.parametrize("cut", range(len(WHOLE) + 1))
def test_every_truncation(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(WHOLE[:cut])
    ends = [*STARTS, len(WHOLE)]
    whole = sum(end <= cut for end in ends[1:])
    found, error = until_error(path)
    assert found == RECORDS[:whole]
    if cut in ends:
        assert error is None
        assert list(RecordFile(path)) == RECORDS[:whole]
        return
    with pytest.raises(TruncatedRecord) as indexed:
        len(RecordFile(path))
    for printed in (error, indexed.value):
        assert isinstance(printed, TruncatedRecord)
        assert (printed.place.path, printed.place.record) == (path, whole)
        assert printed.place.offset == STARTS[whole]
    assert str(error) == str(indexed.value)


def test_what_a_truncation_says(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(WHOLE[:30])
    _, error = until_error(path)
    assert error is not None
    assert error.message == (
        f"{path}: record 1 at byte 21: the file ends inside it:"
        " 12 bytes of header expected, 9 found"
    )
    assert error.hint.endswith("make or copy it again")


@pytest.mark.parametrize(
    "error",
    [
        RecordError(RecordPlace(Path("x"), 1, 2), "found", "hint"),
        TruncatedRecord(RecordPlace(Path("x"), 1, 2), "found"),
        CorruptRecord(RecordPlace(Path("x"), 1, 2), "found", "hint"),
        MalformedExample(RecordPlace(Path("x"), 1, 2), "found"),
        FeatureError(RecordPlace(Path("x"), 1, 2), "name", "found", "hint"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_come_out_of_other_processes_as_they_are(error: RecordError) -> None:
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert (str(copied), vars(copied)) == (str(error), vars(error))


@pytest.mark.parametrize("byte", range(len(WHOLE)))
def test_every_flipped_bit(byte: int, tmp_path: Path) -> None:
    path = tmp_path / "x"
    for bit in range(8):
        damaged = bytearray(WHOLE)
        damaged[byte] ^= 1 << bit
        path.write_bytes(damaged)
        found, error = until_error(path)
        number = record_holding(byte)
        assert found == RECORDS[:number]
        assert isinstance(error, CorruptRecord)
        assert (error.place.path, error.place.record) == (path, number)
        with pytest.raises(CorruptRecord) as by_number:
            RecordFile(path)[number]
        assert by_number.value.place.record == number


def test_a_damaged_record_leaves_the_others_readable_by_number(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(WHOLE.replace(b"first", b"fIrst"))
    file = RecordFile(path)
    assert (len(file), file[1], file[2]) == (3, RECORDS[1], RECORDS[2])
    with pytest.raises(CorruptRecord, match=r"record 0 at byte 0: the checksum of its data is 0x"):
        file[0]


def test_a_length_that_lies_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(header(1 << 60) + b"little")
    _, error = until_error(path)
    assert isinstance(error, TruncatedRecord)
    assert f"{(1 << 60) + 4} bytes of data and checksum expected, 6 found" in str(error)


def header(length: int) -> bytes:
    packed = length.to_bytes(8, "little")
    return packed + masked_crc32c(packed).to_bytes(4, "little")


def test_a_file_that_shrinks_after_it_was_indexed(tmp_path: Path) -> None:
    path = write(tmp_path / "x", RECORDS)
    file = RecordFile(path)
    assert len(file) == 3
    path.write_bytes(WHOLE[:40])
    with pytest.raises(TruncatedRecord, match="record 2 at byte 37"):
        file[2]


@compressed
def test_every_truncation_of_a_compressed_file(compression: Compression, tmp_path: Path) -> None:
    path = write(tmp_path / "x", RECORDS, compression)
    content = path.read_bytes()
    for cut in range(1, len(content)):
        path.write_bytes(content[:cut])
        found, error = until_error(path, compression)
        assert found == RECORDS[: len(found)]
        assert isinstance(error, TruncatedRecord)
        assert error.place.record == len(found)
    assert "of the inflated data" in str(error)


@compressed
def test_flipped_bits_of_a_compressed_file(compression: Compression, tmp_path: Path) -> None:
    path = write(tmp_path / "x", RECORDS, compression)
    content = path.read_bytes()
    printed = 0
    for byte, bit in itertools.product(range(len(content)), range(8)):
        damaged = bytearray(content)
        damaged[byte] ^= 1 << bit
        path.write_bytes(damaged)
        found, error = until_error(path, compression)
        assert found == RECORDS[: len(found)]
        assert error is not None or found == RECORDS
        printed += error is not None
    # only gzip has bytes that mean nothing to the data, such as the time: 10 of them
    assert printed >= 8 * (len(content) - 10)


@compressed
def test_garbage_behind_a_compressed_file(compression: Compression, tmp_path: Path) -> None:
    path = write(tmp_path / "x", RECORDS, compression)
    path.write_bytes(path.read_bytes() + b"garbage")
    found, error = until_error(path, compression)
    assert found == RECORDS
    assert isinstance(error, CorruptRecord)


def test_compressed_files_are_what_their_name_says(tmp_path: Path) -> None:
    with gzip.open(write(tmp_path / "g", RECORDS, Compression.GZIP)) as file:
        assert file.read() == WHOLE
    assert zlib.decompress(write(tmp_path / "z", RECORDS, Compression.ZLIB).read_bytes()) == WHOLE


def test_gzip_files_joined_together(tmp_path: Path) -> None:
    path = write(tmp_path / "x", RECORDS, Compression.GZIP)
    path.write_bytes(path.read_bytes() * 2)
    assert read(path, Compression.GZIP) == RECORDS * 2


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        pytest.param(gzip.compress(WHOLE), "Compression.GZIP", id="gzip"),
        pytest.param(zlib.compress(WHOLE), "Compression.ZLIB", id="zlib"),
        pytest.param(b"id,label,and more text\n", "check that it is a TFRecord file", id="text"),
    ],
)
def test_what_is_no_plain_file(content: bytes, advice: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(CorruptRecord) as printed:
        RecordFile(path)[0]
    assert advice in printed.value.hint


@compressed
def test_what_is_not_compressed(compression: Compression, tmp_path: Path) -> None:
    path = write(tmp_path / "x", RECORDS)
    with pytest.raises(CorruptRecord, match="the compressed data are broken"):
        read(path, compression)


@pytest.mark.parametrize("name", ["missing", "."])
def test_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path / name)
    with pytest.raises(UsageError, match="cannot be read"):
        len(RecordFile(tmp_path / name))


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path = write(tmp_path / "new" / "x", RECORDS)
    with pytest.raises(KeyError), RecordWriter(path) as writer:
        writer.write(b"half")
        assert path.read_bytes() == WHOLE
        raise KeyError
    assert path.read_bytes() == WHOLE
    assert list(path.parent.iterdir()) == [path]


def test_records_are_counted(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "x") as writer:
        writer.write(b"1")
        writer.write(b"2")
    assert writer.count == 2


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        RecordWriter(tmp_path / "file" / "x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="cannot be written"), RecordWriter(tmp_path / "folder"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.fixture
def full_disk() -> Iterator[Path]:
    path = Path("/dev/full")
    if not path.exists():
        pytest.skip("no /dev/full here")
    yield path


def test_a_full_disk(full_disk: Path, tmp_path: Path) -> None:
    part = tmp_path / f".x.{os.getpid()}"
    part.symlink_to(full_disk)
    with pytest.raises(UsageError, match="No space left"), RecordWriter(tmp_path / "x") as writer:
        writer.write(bytes(1 << 20))
    assert list(tmp_path.iterdir()) == []
