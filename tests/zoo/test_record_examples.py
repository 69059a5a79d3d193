"""``tf.train.Example``, by protobuf's wire rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.zoo.records import (
    Feature,
    FeatureError,
    FeatureKind,
    MalformedExample,
    RecordPlace,
    decode_example,
    encode_example,
)

FEATURES = st.one_of(
    st.just(Feature(FeatureKind.NONE)),
    st.builds(Feature, st.just(FeatureKind.BYTES), st.lists(st.binary()).map(tuple)),
    st.builds(
        Feature,
        st.just(FeatureKind.FLOAT),
        st.lists(st.floats(width=32, allow_nan=False)).map(tuple),
    ),
    st.builds(
        Feature,
        st.just(FeatureKind.INT64),
        st.lists(st.integers(-(1 << 63), (1 << 63) - 1)).map(tuple),
    ),
)


def example(entry: str) -> bytes:
    """An example of one entry; its content and nothing else is written in hexadecimal."""
    content = bytes.fromhex(entry)
    return bytes((10, len(content) + 2, 10, len(content))) + content


@given(st.dictionaries(st.text(), FEATURES))
def test_what_is_encoded_is_decoded(features: dict[str, Feature]) -> None:
    decoded = decode_example(encode_example(features))
    assert decoded == features
    assert list(decoded) == list(features)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        pytest.param({}, "0a00", id="no-features"),
        pytest.param({"a": Feature(FeatureKind.NONE)}, "0a070a050a01611200", id="no-kind"),
        pytest.param({"a": Feature(FeatureKind.BYTES)}, "0a090a070a016112020a00", id="no-values"),
        pytest.param({"a": Feature(FeatureKind.INT64)}, "0a090a070a016112021a00", id="no-integers"),
        pytest.param(
            {"a": Feature(FeatureKind.BYTES, (b"", b"xy"))},
            "0a0f0a0d0a016112080a060a000a027879",
            id="bytes",
        ),
        pytest.param(
            {"a": Feature(FeatureKind.FLOAT, (1.0, -2.0))},
            "0a130a110a0161120c120a0a080000803f000000c0",
            id="floats",
        ),
        pytest.param(
            {"a": Feature(FeatureKind.INT64, (1, 300))},
            "0a0e0a0c0a016112071a050a0301ac02",
            id="integers",
        ),
        pytest.param(
            {"a": Feature(FeatureKind.INT64, (-1,))},
            "0a150a130a0161120e1a0c0a0affffffffffffffffff01",
            id="negative",
        ),
    ],
)
def test_the_bytes(features: dict[str, Feature], expected: str) -> None:
    assert encode_example(features).hex() == expected
    assert decode_example(bytes.fromhex(expected)) == features


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(b"", {}, id="empty"),
        pytest.param(
            example("0a016112061a0408010802"),
            {"a": Feature(FeatureKind.INT64, (1, 2))},
            id="integers-not-packed",
        ),
        pytest.param(
            example("0a0161120712050d0000803f"),
            {"a": Feature(FeatureKind.FLOAT, (1.0,))},
            id="floats-not-packed",
        ),
        pytest.param(
            example("0a0161120a1a030a01011a030a0102"),
            {"a": Feature(FeatureKind.INT64, (1, 2))},
            id="a-list-in-two-parts",
        ),
        pytest.param(
            example("0a016112051a030a010112051a030a0102"),
            {"a": Feature(FeatureKind.INT64, (1, 2))},
            id="a-feature-in-two-parts",
        ),
        pytest.param(
            example("0a0161120a1a030a01010a030a0178"),
            {"a": Feature(FeatureKind.BYTES, (b"x",))},
            id="the-last-kind-counts",
        ),
        pytest.param(
            example("12051a030a01010a0161"),
            {"a": Feature(FeatureKind.INT64, (1,))},
            id="value-before-name",
        ),
        pytest.param(
            example("12051a030a0101"), {"": Feature(FeatureKind.INT64, (1,))}, id="no-name"
        ),
        pytest.param(example("0a0161"), {"a": Feature(FeatureKind.NONE)}, id="no-value"),
        pytest.param(
            example("0a0161") + example("0a016112051a030a0105"),
            {"a": Feature(FeatureKind.INT64, (5,))},
            id="the-last-of-a-name-counts",
        ),
        pytest.param(
            bytes.fromhex("18012102030405060708 092d000000003a0178") + example("0a0161"),
            {"a": Feature(FeatureKind.NONE)},
            id="fields-nobody-knows",
        ),
    ],
)
def test_other_ways_to_write_it(record: bytes, expected: dict[str, Feature]) -> None:
    assert decode_example(record) == expected


@pytest.mark.parametrize(
    ("record", "found"),
    [
        pytest.param(b"\x0a\x05abc", "a field of 5 bytes where 3 are left", id="cut-short"),
        pytest.param(b"\x0a", "a number without an end", id="no-size"),
        pytest.param(b"\x0a" + b"\xff" * 11, "a number without an end", id="endless-size"),
        pytest.param(b"\x0d\x00", "a field of 4 bytes where 1 are left", id="cut-float"),
        pytest.param(b"\x0b", "wire type 3", id="group"),
        pytest.param(b"\x0f", "wire type 7", id="wire-type"),
        pytest.param(b"\x02\x00", "number 0", id="field-0"),
        pytest.param(example("0a01ff"), "not UTF-8", id="name"),
        pytest.param(example("0a0161120712050a03000000"), "3 bytes", id="floats"),
        pytest.param(example("0a016112051a030a0180"), "without an end", id="integer"),
        pytest.param(b"id,label\n1,2\n", "a field", id="text"),
    ],
)
def test_what_is_no_example(record: bytes, found: str) -> None:
    with pytest.raises(MalformedExample, match=found) as reported:
        decode_example(record, RecordPlace(Path("train-00000-of-00001"), 7, 99))
    assert str(reported.value).startswith(
        "train-00000-of-00001: record 7 at byte 99: not a tf.train.E"
    )


@given(st.binary(max_size=60))
def test_any_bytes_are_an_example_or_reported_not_to_be(record: bytes) -> None:
    try:
        features = decode_example(record)
    except MalformedExample:
        return
    assert decode_example(encode_example(features)).keys() == features.keys()


@pytest.mark.parametrize(
    ("feature", "found"),
    [
        pytest.param(
            Feature(FeatureKind.INT64, (1.5,)), "float 1.5 in a list of INT64", id="fraction"
        ),
        pytest.param(
            Feature(FeatureKind.INT64, (1 << 63,)), "int 9223372036854775808", id="too-large"
        ),
        pytest.param(
            Feature(FeatureKind.FLOAT, (1e300,)), "float 1e.300 in a list of FLOAT", id="float"
        ),
        pytest.param(
            Feature(FeatureKind.FLOAT, (b"1",)), "bytes b'1' in a list of FLOAT", id="bytes"
        ),
        pytest.param(Feature(FeatureKind.BYTES, (5,)), "int 5 in a list of BYTES", id="number"),
        pytest.param(Feature(FeatureKind.NONE, (5,)), "int 5 in a list of NONE", id="no-kind"),
    ],
)
def test_values_that_cannot_be_written(feature: Feature, found: str) -> None:
    with pytest.raises(FeatureError, match=f"feature 'size': {found}") as reported:
        encode_example({"size": feature})
    assert reported.value.name == "size"
