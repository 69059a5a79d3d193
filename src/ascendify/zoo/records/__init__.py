"""TFRecord files and the examples in them, without TensorFlow.

From the bottom up: ``checksum`` (CRC-32C), ``frames`` (the format of a record in a file),
``reading`` and ``writing`` (files), ``shards`` (files of one set), ``example`` (the message in a
record), ``schema`` (examples as typed dataclasses), ``datasets`` (the four sets the networks use).

A damaged file raises an error that names the file and the byte; no record is skipped.
"""

from __future__ import annotations

from ascendify.zoo.records.datasets import CrnnExample, FlowerExample, FsnsExample, ImageNetExample
from ascendify.zoo.records.errors import (
    CorruptRecord,
    FeatureError,
    MalformedExample,
    RecordError,
    RecordPlace,
    TruncatedRecord,
)
from ascendify.zoo.records.example import Feature, FeatureKind, decode_example, encode_example
from ascendify.zoo.records.frames import Compression
from ascendify.zoo.records.reading import RecordFile, RecordFiles, read_records
from ascendify.zoo.records.schema import RecordExamples, from_record, read_examples, to_record
from ascendify.zoo.records.shards import find_shards, shard_name
from ascendify.zoo.records.writing import RecordWriter

__all__ = [
    "Compression",
    "CorruptRecord",
    "CrnnExample",
    "Feature",
    "FeatureError",
    "FeatureKind",
    "FlowerExample",
    "FsnsExample",
    "ImageNetExample",
    "MalformedExample",
    "RecordError",
    "RecordExamples",
    "RecordFile",
    "RecordFiles",
    "RecordPlace",
    "RecordWriter",
    "TruncatedRecord",
    "decode_example",
    "encode_example",
    "find_shards",
    "from_record",
    "read_examples",
    "read_records",
    "shard_name",
    "to_record",
]
