"""Our files and TensorFlow's are the same: it reads ours, we read its, byte for byte."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from test_record_schemas import EXAMPLES, FSNS

from ascendify.zoo.records import (
    Compression,
    Feature,
    FeatureKind,
    RecordWriter,
    encode_example,
    read_records,
    to_record,
)
from support.interpreters import user_environment

TABLE: list[dict[str, tuple[str, list[Any]]]] = [
    {},
    {"none": ("NONE", [])},
    {"empty": ("BYTES", []), "f": ("FLOAT", []), "i": ("INT64", [])},
    {"b": ("BYTES", [b"", b"\x00\xff", b"x" * 300]), "": ("BYTES", [b"no name"])},
    {"f": ("FLOAT", [0.0, -0.0, 0.1, 1e-45, 3e38, float("inf"), float("-inf")])},
    {"i": ("INT64", [0, 1, 127, 128, 16384, -1, -(1 << 63), (1 << 63) - 1])},
    {"é": ("INT64", [1]), "z": ("INT64", [2]), "Z": ("INT64", [3]), "zz": ("INT64", [4])},
]

SCRIPT = """
import sys
import tensorflow as tf

folder, table = sys.argv[1], eval(open(sys.argv[1] + "/table.txt", encoding="utf-8").read(),
                                  {"inf": float("inf")})

def feature(kind, values):
    if kind == "BYTES":
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if kind == "FLOAT":
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    if kind == "INT64":
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature()

def beginnings(example):
    # releases of protobuf disagree on the order of names when one begins another
    names = sorted(example.features.feature)
    return any(longer.startswith(name) for name, longer in zip(names, names[1:]))

examples = [
    tf.train.Example(features=tf.train.Features(
        feature={name: feature(*content) for name, content in row.items()}
    ))
    for row in table
]
for compression in ("", "GZIP", "ZLIB"):
    options = tf.io.TFRecordOptions(compression_type=compression)
    ours = list(tf.compat.v1.io.tf_record_iterator(folder + "/ours" + compression, options))
    parsed = [tf.train.Example.FromString(record) for record in ours]
    assert parsed[:len(table)] == examples, compression
    compared = [
        (record, example.SerializeToString(deterministic=True))
        for record, example in zip(ours, parsed)
        if not beginnings(example)
    ]
    assert [record for record, _ in compared] == [again for _, again in compared], compression
    with tf.io.TFRecordWriter(folder + "/theirs" + compression, options) as writer:
        for record in ours:
            writer.write(record)
fsns = [record for record in tf.compat.v1.io.tf_record_iterator(sys.argv[2])]
print("same", len(ours), len(compared), len(fsns))
"""


def records() -> list[bytes]:
    table = [
        {
            name: Feature(FeatureKind[kind], tuple(values))
            for name, (kind, values) in sorted(row.items())
        }
        for row in TABLE
    ]
    return [*map(encode_example, table), *map(to_record, EXAMPLES)]


def test_tensorflow_reads_and_writes_the_same(preloaded_tensorflow: str, tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text(repr(TABLE), encoding="utf-8")
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    for compression in Compression:
        with RecordWriter(tmp_path / f"ours{compression.value}", compression) as writer:
            for record in records():
                writer.write(record)
    run = subprocess.run(
        [preloaded_tensorflow, str(tmp_path / "script.py"), str(tmp_path), str(FSNS)],
        env=user_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.stdout.split() == ["same", str(len(records())), str(len(records()) - 3), "5"], (
        run.stderr
    )
    assert (tmp_path / "theirs").read_bytes() == (tmp_path / "ours").read_bytes()
    for compression in Compression:
        theirs = read_records(tmp_path / f"theirs{compression.value}", compression)
        assert [record for _, record in theirs] == records()
