"""The four data sets as dataclasses, and the real records of one."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.zoo.records import (
    CrnnExample,
    Feature,
    FeatureError,
    FeatureKind,
    FlowerExample,
    FsnsExample,
    ImageNetExample,
    MalformedExample,
    RecordExamples,
    RecordFile,
    RecordFiles,
    RecordWriter,
    decode_example,
    encode_example,
    from_record,
    read_examples,
    read_records,
    to_record,
)

FSNS = Path(__file__).parent / "fsns" / "fsns-00000-of-00001"
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
INT64S = st.lists(INT64, max_size=40).map(tuple)
FLOATS = st.lists(st.floats(width=32, allow_nan=False), max_size=4).map(tuple)
UTF8 = st.text(st.characters(codec="utf-8"), max_size=20)

EXAMPLES: list[Any] = [
    CrnnExample(bytes(9600), b"./1/2/3_Word_4.jpg", (22, 14, 17, 3), 4),
    FsnsExample(b"\x89PNG", "PNG", 600, 600, 150, "Rue é", (1, *[133] * 36), (1,)),
    ImageNetExample(
        b"\xff\xd8",
        1000,
        "toilet tissue",
        "n15075141",
        (0.25,),
        (0.5,),
        (0.75,),
        (1.0,),
        10,
        20,
        "RGB",
        3,
        "JPEG",
        "n15075141_1.JPEG",
    ),
    FlowerExample(b"\xff\xd8", 4),
]
every_schema = pytest.mark.parametrize(
    "example", EXAMPLES, ids=[type(example).__name__ for example in EXAMPLES]
)


@pytest.mark.parametrize(
    ("example", "features"),
    [
        pytest.param(
            EXAMPLES[0],
            "imagepaths BYTES, images BYTES, labels INT64, labels_length INT64",
            id="crnn",
        ),
        pytest.param(
            EXAMPLES[1],
            "image/class INT64, image/encoded BYTES, image/format BYTES, image/height INT64,"
            " image/orig_width INT64, image/text BYTES, image/unpadded_class INT64,"
            " image/width INT64",
            id="fsns",
        ),
        pytest.param(
            EXAMPLES[2],
            "image/channels INT64, image/class/label INT64, image/class/synset BYTES,"
            " image/class/text BYTES, image/colorspace BYTES, image/encoded BYTES,"
            " image/filename BYTES, image/format BYTES, image/height INT64,"
            " image/object/bbox/xmax FLOAT, image/object/bbox/xmin FLOAT,"
            " image/object/bbox/ymax FLOAT, image/object/bbox/ymin FLOAT, image/width INT64",
            id="imagenet",
        ),
        pytest.param(EXAMPLES[3], "image BYTES, label INT64", id="flowers"),
    ],
)
def test_names_and_types(example: Any, features: str) -> None:
    written = decode_example(to_record(example))
    assert ", ".join(f"{name} {value.kind.name}" for name, value in written.items()) == features


@every_schema
def test_there_and_back(example: Any) -> None:
    assert from_record(type(example), to_record(example)) == example


@given(
    st.one_of(
        st.builds(
            CrnnExample,
            st.binary(min_size=1, max_size=3).map(lambda some: (some * 9600)[:9600]),
            st.binary(max_size=20),
            INT64S,
            st.none() | INT64,
        ),
        st.builds(
            FsnsExample,
            st.binary(max_size=50),
            UTF8,
            INT64,
            INT64,
            INT64,
            UTF8,
            st.lists(INT64, min_size=37, max_size=37).map(tuple),
            INT64S,
        ),
        st.builds(
            ImageNetExample,
            st.binary(max_size=50),
            INT64,
            st.none() | UTF8,
            st.none() | UTF8,
            FLOATS,
            FLOATS,
            FLOATS,
            FLOATS,
        ),
        st.builds(FlowerExample, st.binary(max_size=50), INT64),
    )
)
def test_any_values_there_and_back(example: Any) -> None:
    assert from_record(type(example), to_record(example)) == example


@every_schema
def test_a_missing_feature_is_reported_or_has_a_default(example: Any) -> None:
    features = decode_example(to_record(example))
    fields = {field.metadata["feature"].name: field for field in dataclasses.fields(example)}
    for name, field in fields.items():
        record = encode_example({key: features[key] for key in features if key != name})
        if field.default is dataclasses.MISSING:
            with pytest.raises(FeatureError, match=f"feature '{name}': missing") as reported:
                from_record(type(example), record)
            assert reported.value.name == name
        else:
            assert getattr(from_record(type(example), record), field.name) == field.default


@every_schema
def test_a_feature_of_another_type_is_reported(example: Any) -> None:
    features = decode_example(to_record(example))
    for name, feature in features.items():
        other = Feature(FeatureKind.FLOAT, (0.5,))
        if feature.kind is FeatureKind.FLOAT:
            other = Feature(FeatureKind.INT64, (1,))
        with pytest.raises(FeatureError, match=f"'{name}': 1 {other.kind.name} values found"):
            from_record(type(example), encode_example({**features, name: other}))


@pytest.mark.parametrize(
    ("example", "name", "feature", "found", "expected"),
    [
        pytest.param(
            EXAMPLES[0],
            "images",
            Feature(FeatureKind.BYTES, (bytes(3200),)),
            "1 BYTES values of 3200 bytes found",
            "expected 1 BYTES value, 9600 bytes each",
            id="a-grey-word",
        ),
        pytest.param(
            EXAMPLES[1],
            "image/class",
            Feature(FeatureKind.INT64, (133,) * 36),
            "36 INT64 values found",
            "expected 37 INT64 values",
            id="a-label-too-short",
        ),
        pytest.param(
            EXAMPLES[1],
            "image/text",
            Feature(FeatureKind.BYTES, (b"Rue \xe9",)),
            r"b'Rue \xe9' is not UTF-8 (byte 4)",
            "expected text in UTF-8",
            id="latin-1",
        ),
        pytest.param(
            EXAMPLES[3],
            "label",
            Feature(FeatureKind.INT64),
            "0 INT64 values found",
            "expected 1 INT64 value",
            id="no-label",
        ),
    ],
)
def test_a_feature_of_another_size_is_reported(
    example: Any, name: str, feature: Feature, found: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "x"
    with RecordWriter(path) as writer:
        writer.write(to_record(example))
        writer.write(encode_example({**decode_example(to_record(example)), name: feature}))
    examples = RecordExamples(type(example), RecordFile(path))
    assert examples[0] == example
    with pytest.raises(FeatureError) as by_number:
        examples[1]
    with pytest.raises(FeatureError) as in_order:
        list(read_examples(type(example), path))
    byte = RecordFile(path).offsets[1]
    assert by_number.value.message == f"{path}: record 1 at byte {byte}: feature '{name}': {found}"
    assert str(in_order.value) == str(by_number.value)
    assert by_number.value.hint == expected


@pytest.mark.parametrize(
    ("example", "name"),
    [
        pytest.param(CrnnExample(b"", b"", (), 0), "images", id="size"),
        pytest.param(dataclasses.replace(EXAMPLES[1], classes=(1,)), "image/class", id="count"),
        pytest.param(FlowerExample(b"", "rose"), "label", id="type"),  # type: ignore[arg-type]  # on purpose
        pytest.param(FlowerExample("rose", 1), "image", id="text"),  # type: ignore[arg-type]  # on purpose
    ],
)
def test_what_its_own_schema_refuses_is_not_written(example: Any, name: str) -> None:
    with pytest.raises(FeatureError) as reported:
        to_record(example)
    assert reported.value.name == name


def test_a_record_of_another_kind_is_reported(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "x") as writer:
        writer.write(b"not an example")
    with pytest.raises(MalformedExample, match="x: record 0 at byte 0: not a tf"):
        RecordExamples(FlowerExample, RecordFiles([tmp_path / "x"]))[0]


def test_the_wrong_schema_shows_what_the_record_has() -> None:
    with pytest.raises(FeatureError, match="'images': missing; the record has image, label"):
        from_record(CrnnExample, to_record(EXAMPLES[3]))


def charset() -> dict[int, str]:
    lines = (FSNS.parent / "charset_size=134.txt").read_text(encoding="utf-8").splitlines()
    return {int(number): character for number, character in (line.split("\t") for line in lines)}


def test_the_real_fsns_records() -> None:
    examples = RecordExamples(FsnsExample, RecordFile(FSNS))
    assert [example.text for example in examples] == [
        "Rue Perreyon",
        "Rue de la Taillée",
        "Impasse des Colverts",
        "Avenue de Saunier",
        "Rue des Fabriques",
    ]
    characters = charset()
    for example in examples:
        assert (example.width, example.orig_width, example.height) == (600, 600, 150)
        assert (example.format, example.encoded[:8]) == ("PNG", b"\x89PNG\r\n\x1a\n")
        assert "".join(characters[number] for number in example.unpadded_class) == example.text
        padding = (133,) * (37 - len(example.unpadded_class))
        assert example.classes == example.unpadded_class + padding
        assert from_record(FsnsExample, to_record(example)) == example


def test_the_real_fsns_file_written_again_is_the_same_to_the_byte(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "x") as writer:
        for _, record in read_records(FSNS):
            writer.write(encode_example(decode_example(record)))
    assert writer.count == 5
    assert (tmp_path / "x").read_bytes() == FSNS.read_bytes()
