"""Encode and decode ``tf.train.Example``: named lists of bytes, floats or integers.

The message needs few of protobuf's wire rules, so they are implemented here instead of depending
on ``protobuf``, whose release would have to suit the user's framework too. Also, the order of the
features is kept, so decoding and encoding an example gives the same bytes; ``protobuf`` writes them
in the order of a hash.
"""

from __future__ import annotations

import enum
import operator
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Union

from ascendify.zoo.records.errors import NOWHERE, FeatureError, MalformedExample, RecordPlace

Value = Union[bytes, float, int]


class FeatureKind(enum.Enum):
    """Type of a feature's values; the enum value is the field number in ``tf.train.Feature``."""

    NONE = 0
    BYTES = 1
    FLOAT = 2
    INT64 = 3


@dataclass(frozen=True)
class Feature:
    """A list of values of one kind; TensorFlow allows a feature of no kind, without values."""

    kind: FeatureKind
    values: tuple[Value, ...] = ()


_VARINT, _EIGHT, _DELIMITED, _FOUR = 0, 1, 2, 5
"""How protobuf writes a value: the low three bits of its tag."""
_ONE = 1 << 3 | _DELIMITED
"""The tag of field 1, delimited: of the features, an entry, its name, a list's values."""
_TWO = 2 << 3 | _DELIMITED
_KINDS = {kind.value: kind for kind in FeatureKind if kind is not FeatureKind.NONE}


class _Malformed(Exception):  # noqa: N818 - raised again as MalformedExample, with the place
    pass


def decode_example(record: bytes, place: RecordPlace = NOWHERE) -> dict[str, Feature]:
    """Decode the features of a serialized example, in its order.

    Unknown fields are skipped, as by protobuf.

    Raises:
        MalformedExample: the bytes are not such a message.
    """
    try:
        return {
            name: feature
            for tag, features in _fields(memoryview(record))
            if tag == _ONE
            for entry_tag, entry in _fields(features)
            if entry_tag == _ONE
            for name, feature in (_entry(entry),)
        }
    except _Malformed as error:
        raise MalformedExample(place, str(error)) from None


def encode_example(features: Mapping[str, Feature], place: RecordPlace = NOWHERE) -> bytes:
    """Encode an example, features in the given order.

    In the order of their names the bytes are those of protobuf's deterministic serialization, but
    for releases of it that put a name behind longer ones which begin with it.

    Raises:
        FeatureError: a value is not of the kind of its feature, or too large for it.
    """
    entries = b"".join(
        _delimit(
            _ONE,
            _delimit(_ONE, name.encode()) + _delimit(_TWO, _message(feature)),
        )
        for name, feature in _check_values(features, place)
    )
    return _delimit(_ONE, entries)


def _entry(entry: memoryview) -> tuple[str, Feature]:
    name = b""
    messages = []  # protobuf merges a message that is given twice
    for tag, content in _fields(entry):
        if tag == _ONE:
            name = bytes(content)
        elif tag == _TWO:
            messages.append(content)
    try:
        return name.decode(), _feature(messages)
    except UnicodeDecodeError:
        raise _Malformed(f"the name of a feature is not UTF-8: {name!r}") from None


def _feature(messages: Iterable[memoryview]) -> Feature:
    kind = FeatureKind.NONE
    values: tuple[Value, ...] = ()
    for tag, content in chain.from_iterable(map(_fields, messages)):
        new = _KINDS.get(tag >> 3)
        if new is None or tag & 7 != _DELIMITED:
            continue
        listed = tuple(_READERS[new](content))
        values = values + listed if new is kind else listed
        kind = new
    return Feature(kind, values)


def _bytes_values(message: memoryview) -> Iterator[bytes]:
    return (bytes(content) for tag, content in _fields(message) if tag == _ONE)


def _float_values(message: memoryview) -> Iterator[float]:
    for tag, content in _fields(message):
        if tag in (_ONE, 1 << 3 | _FOUR):
            if len(content) % 4:
                raise _Malformed(f"a list of floats has {len(content)} bytes")
            yield from struct.unpack(f"<{len(content) // 4}f", content)


def _int64_values(message: memoryview) -> Iterator[int]:
    for tag, content in _fields(message):
        if tag in (_ONE, 1 << 3 | _VARINT):
            yield from _numbers(bytes(content))


def _numbers(content: bytes) -> Iterable[int]:
    if content.isascii():  # each byte is a number of its own
        return content
    values = []
    position = 0
    while position < len(content):
        value, position = _varint(content, position)
        values.append(value - (1 << 64) if value >> 63 else value)
    return values


_READERS: dict[FeatureKind, Callable[[memoryview], Iterator[Value]]] = {
    FeatureKind.BYTES: _bytes_values,
    FeatureKind.FLOAT: _float_values,
    FeatureKind.INT64: _int64_values,
}


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Yield tag and content of each field; the content of a number is its encoded bytes.

    Contents are views: a picture is five messages deep, and would be copied for each.
    """
    position, end = 0, len(message)
    while position < end:
        tag, start = _varint(message, position)
        wire = tag & 7
        if wire == _DELIMITED:
            size, start = _varint(message, start)
            position = start + size
        elif wire == _VARINT:
            position = _varint(message, start)[1]
        elif wire in (_EIGHT, _FOUR):
            position = start + (8 if wire == _EIGHT else 4)
        else:
            raise _Malformed(f"a field of wire type {wire}")
        if not tag >> 3:
            raise _Malformed("a field with number 0")
        if position > end:
            raise _Malformed(f"a field of {position - start} bytes where {end - start} are left")
        yield tag, message[start:position]


def _varint(data: Union[bytes, memoryview], position: int) -> tuple[int, int]:
    """Decode a number of seven bits per byte, low ones first; return it and its end."""
    if position < len(data) and data[position] < 0x80:
        return data[position], position + 1
    value = 0
    for shift, byte in zip(range(0, 70, 7), data[position : position + 10]):
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, position + shift // 7 + 1
    raise _Malformed("a number without an end")


def _delimit(tag: int, content: bytes) -> bytes:
    return b"".join((bytes((tag,)), _as_varint(len(content)), content))


def _as_varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _message(feature: Feature) -> bytes:
    if feature.kind is FeatureKind.NONE:
        return b""
    return _delimit(feature.kind.value << 3 | _DELIMITED, _WRITERS[feature.kind](feature.values))


def _bytes_list(values: Iterable[Any]) -> bytes:
    return b"".join(_delimit(_ONE, bytes(value)) for value in values)


def _float_list(values: tuple[Any, ...]) -> bytes:
    return _delimit(_ONE, struct.pack(f"<{len(values)}f", *values)) if values else b""


def _int64_list(values: tuple[Any, ...]) -> bytes:
    written = b"".join(_as_varint(operator.index(value) & (1 << 64) - 1) for value in values)
    return _delimit(_ONE, written) if values else b""


_WRITERS = {
    FeatureKind.BYTES: _bytes_list,
    FeatureKind.FLOAT: _float_list,
    FeatureKind.INT64: _int64_list,
}


def _check_values(
    features: Mapping[str, Feature], place: RecordPlace
) -> Iterator[tuple[str, Feature]]:
    for name, feature in features.items():
        for value in feature.values:
            if not _ALLOWED[feature.kind](value):
                found = f"{type(value).__name__} {value!r:.40} in a list of {feature.kind.name}"
                hint = "give bytes for BYTES, numbers that fit 32 bits for FLOAT, 64 for INT64"
                raise FeatureError(place, name, found, hint)
        yield name, feature


def _is_float(value: Any) -> bool:
    try:
        struct.pack("<f", value)
    except (struct.error, OverflowError):
        return False
    return True


def _is_int64(value: Any) -> bool:
    try:
        return -(1 << 63) <= operator.index(value) < 1 << 63
    except TypeError:
        return False


_ALLOWED = {
    FeatureKind.NONE: lambda _: False,
    FeatureKind.BYTES: lambda value: isinstance(value, (bytes, bytearray, memoryview)),
    FeatureKind.FLOAT: _is_float,
    FeatureKind.INT64: _is_int64,
}
