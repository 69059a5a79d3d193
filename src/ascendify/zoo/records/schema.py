"""Examples as frozen dataclasses: the feature and type of each field.

A field is declared by ``one``, ``string`` or ``several``, which name its feature; a feature whose
field has a default may be missing in a record.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, Optional, TypeVar, Union

from ascendify.zoo.records.errors import NOWHERE, FeatureError, RecordPlace
from ascendify.zoo.records.example import Feature, FeatureKind, decode_example, encode_example
from ascendify.zoo.records.frames import Compression
from ascendify.zoo.records.reading import RecordFile, RecordFiles, read_records

T = TypeVar("T")
_KEY = "feature"


@dataclass(frozen=True)
class _Spec:
    """What a feature must be: its kind, number of values, bytes of each, text or not."""

    name: str
    kind: FeatureKind
    count: Optional[int] = None
    single: bool = False
    size: Optional[int] = None
    text: bool = False

    def __str__(self) -> str:
        count = "any number of" if self.count is None else str(self.count)
        size = f", {self.size} bytes each" if self.size else ""
        return f"{count} {self.kind.name} value{'' if self.count == 1 else 's'}{size}"


def one(name: str, kind: FeatureKind, *, size: Optional[int] = None, default: Any = MISSING) -> Any:
    """Declare a field with a feature's only value; ``size`` is its number of bytes."""
    return _field(_Spec(name, kind, 1, single=True, size=size), default)


def string(name: str, *, default: Any = MISSING) -> Any:
    """Declare a field with a feature's only value, UTF-8 text."""
    return _field(_Spec(name, FeatureKind.BYTES, 1, single=True, text=True), default)


def several(
    name: str, kind: FeatureKind, *, count: Optional[int] = None, default: Any = MISSING
) -> Any:
    """Declare a field with a tuple of a feature's values; ``count`` is their number."""
    return _field(_Spec(name, kind, count), default)


def from_record(schema: type[T], record: bytes, place: RecordPlace = NOWHERE) -> T:
    """Decode a serialized example by its schema; other features are ignored.

    Raises:
        MalformedExample: the bytes are not an example.
        FeatureError: a feature is missing or does not match the schema.
    """
    features = decode_example(record, place)
    return schema(
        **{
            field: _value(spec, features, place)
            for field, spec, optional in _specs(schema)
            if not optional or spec.name in features
        }
    )


def to_record(example: Any) -> bytes:
    """Encode an instance of a schema, features in the order of their names.

    Raises:
        FeatureError: a field does not have the type of its schema.
    """
    features = {}
    for field, spec, _ in _specs(type(example)):
        value = getattr(example, field)
        if value is not None:
            values = (value,) if spec.single else tuple(value)
            if spec.text and isinstance(value, str):
                values = (value.encode(),)
            features[spec.name] = Feature(spec.kind, values)
            _check(spec, features[spec.name], NOWHERE)
    return encode_example(dict(sorted(features.items())))


def read_examples(
    schema: type[T], path: Path, compression: Compression = Compression.NONE
) -> Iterator[T]:
    """Yield every example of a file in order; raises as ``read_records`` and ``from_record``."""
    for place, record in read_records(path, compression):
        yield from_record(schema, record, place)


class RecordExamples(Generic[T]):
    """Examples of a file, or several, by number."""

    def __init__(self, schema: type[T], records: Union[RecordFile, RecordFiles]) -> None:
        self.schema = schema
        self.records = records

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, number: int) -> T:
        return from_record(self.schema, self.records[number], self.records.place(number))

    def __iter__(self) -> Iterator[T]:
        return map(self.__getitem__, range(len(self)))


def _field(spec: _Spec, default: Any) -> Any:
    return dataclasses.field(default=default, metadata={_KEY: spec})


def _read_specs(schema: Any) -> tuple[tuple[str, _Spec, bool], ...]:
    """Return for each field its name, its feature, and whether it may be missing."""
    return tuple(
        (field.name, field.metadata[_KEY], field.default is not MISSING)
        for field in dataclasses.fields(schema)
    )


_specs: Callable[[Any], tuple[tuple[str, _Spec, bool], ...]] = cache(_read_specs)


def _value(spec: _Spec, features: dict[str, Feature], place: RecordPlace) -> Any:
    feature = features.get(spec.name)
    if feature is None:
        found = f"missing; the record has {', '.join(sorted(features)) or 'no features'}"
        raise FeatureError(place, spec.name, found, f"expected {spec}: is this the right file?")
    _check(spec, feature, place)
    if not spec.single:
        return feature.values
    return _decode(spec, feature.values[0], place) if spec.text else feature.values[0]


def _check(spec: _Spec, feature: Feature, place: RecordPlace) -> None:
    fits = (
        feature.kind is spec.kind
        and spec.count in (None, len(feature.values))
        and (spec.size is None or set(_sizes(feature)) <= {spec.size})
    )
    if not fits:
        raise FeatureError(place, spec.name, _describe(feature), f"expected {spec}")


def _describe(feature: Feature) -> str:
    sizes = _sizes(feature)
    size = f" of {sizes[0]} bytes" if len(sizes) == 1 else ""
    return f"{len(feature.values)} {feature.kind.name} values{size} found"


def _sizes(feature: Feature) -> list[int]:
    return [len(value) for value in feature.values if isinstance(value, bytes)]


def _decode(spec: _Spec, value: Any, place: RecordPlace) -> str:
    try:
        return str(value, "utf-8")
    except UnicodeDecodeError as error:
        found = f"{value!r:.60} is not UTF-8 (byte {error.start})"
        raise FeatureError(place, spec.name, found, "expected text in UTF-8") from None
