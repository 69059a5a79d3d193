"""FSNS records of signs: ours and the released ones through one reader, and TensorFlow's."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import pickle
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo.records import (
    FeatureError,
    FsnsExample,
    RecordExamples,
    RecordFile,
    RecordFiles,
    RecordWriter,
    find_shards,
    from_record,
    to_record,
)
from ascendify.zoo.records.errors import NOWHERE
from ascendify.zoo.rendering.fonts import SHIPPED
from ascendify.zoo.rendering.signs import SignSettings
from ascendify.zoo.sets import fsns
from ascendify.zoo.sets.fsns import RenderSettings
from support.interpreters import user_environment

REAL = Path(__file__).parent / "fsns"
SETTINGS = RenderSettings(count=9, test_count=4, fonts=(str(SHIPPED),))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signs")
    reported: list[tuple[int, int]] = []
    result = fsns.generate(SETTINGS, folder, 1, lambda *done: reported.append(done))
    assert result.samples == 13
    assert reported[-1] == (13, 13)
    return folder


def png(size: tuple[int, int] = (600, 150), mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size).save(buffer, "PNG")
    return buffer.getvalue()


def example(**changes: Any) -> FsnsExample:
    plain = FsnsExample(png(), "PNG", 600, 600, 150, "l", (1, *[133] * 36), (1,))
    return dataclasses.replace(plain, **changes)


def written(folder: Path, *examples: FsnsExample) -> Path:
    path = folder / "test" / "test-00000-of-00001"
    with RecordWriter(path) as writer:
        for each in examples:
            writer.write(to_record(each))
    return path


def test_the_released_records(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    shutil.copy(REAL / "fsns-00000-of-00001", tmp_path / "test" / "test-00000-of-00001")
    shutil.copy(REAL / "charset_size=134.txt", tmp_path)
    data = fsns.open_records(tmp_path, "test")
    assert [data.charset.decode(data[i]["labels"]) for i in range(len(data))] == [
        "Rue Perreyon",
        "Rue de la Taillée",
        "Impasse des Colverts",
        "Avenue de Saunier",
        "Rue des Fabriques",
    ]
    for sample in (data[0], data[4], data[-1]):
        assert (sample["images"].shape, str(sample["images"].dtype)) == ((150, 600, 3), "uint8")
        assert (sample["labels"].shape, str(sample["labels"].dtype)) == ((37,), "int64")
    assert data[2]["labels"][20:].tolist() == [133] * 17
    assert data[0]["images"].std() > 20


@pytest.mark.parametrize("split", ["train", "test"])
def test_what_is_written_is_what_is_rendered(made: Path, split: Any) -> None:
    data, signs = fsns.open_records(made, split), fsns.open_rendered(SETTINGS, split)
    assert len(data) == len(signs) == {"train": 9, "test": 4}[split]
    for index in range(len(data)):
        for name, array in signs[index].items():
            assert np.array_equal(data[index][name], array)
            assert data[index][name].dtype == array.dtype


def test_all_features_are_as_in_the_released_records(made: Path) -> None:
    signs = fsns.open_rendered(SETTINGS, "train")
    examples = RecordExamples(FsnsExample, RecordFiles(find_shards(made / "train", "train")))
    for index, each in enumerate(examples):
        _, text, views = signs.sign(index)
        assert (each.format, each.width, each.height) == ("PNG", 600, 150)
        assert (each.text, each.orig_width) == (text, 150 * views)
        assert len(each.classes) == 37
        assert each.classes == each.unpadded_class + (133,) * (37 - len(text))


def test_a_sign_with_fewer_views_says_how_wide_they_are() -> None:
    """There are 4 * orig_width / width views."""
    style = SignSettings(missing=1)
    signs = fsns.open_rendered(dataclasses.replace(SETTINGS, signs=style), "train")
    widths = [from_record(FsnsExample, signs.record(index)).orig_width for index in range(9)]
    assert set(widths) == {300, 450}
    assert widths == [150 * signs.sign(index)[2] for index in range(9)]


def test_the_folder_is_laid_out_as_the_released_set(made: Path) -> None:
    files = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    assert files == [
        "charset_size=134.txt",
        "manifest.json",
        *[f"test/test-{number:05d}-of-00004" for number in range(4)],
        *[f"train/train-{number:05d}-of-00009" for number in range(9)],
    ]
    assert (made / files[0]).read_bytes() == (REAL / files[0]).read_bytes()


def test_a_large_set_has_as_many_files_as_the_released_one() -> None:
    shards = fsns.plan(RenderSettings(count=100_000, test_count=5_000)).shards
    assert len(shards) == 512 + 64
    assert shards[0].path == "train/train-00000-of-00512"
    assert shards[-1].path == "test/test-00063-of-00064"
    assert sum(map(len, shards)) == 105_000


def test_what_is_missing_is_made_again_and_the_same(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    shutil.copytree(made, folder)
    gone = folder / "train" / "train-00004-of-00009"
    gone.unlink()
    assert fsns.generate(SETTINGS, folder, 1).samples == 1
    assert gone.read_bytes() == (made / "train" / gone.name).read_bytes()
    with pytest.raises(UsageError, match="holds a set of other settings: seed is 1 there, 2 here"):
        fsns.generate(dataclasses.replace(SETTINGS, seed=2), folder, 1)


def test_other_names_are_another_set(tmp_path: Path) -> None:
    places = tmp_path / "places.txt"
    places.write_text("Lyon\n", encoding="utf-8")
    own = fsns.plan(dataclasses.replace(SETTINGS, names=str(places)))
    json.dumps(own.settings)
    assert own.settings["names"] != fsns.plan(SETTINGS).settings["names"]


def test_sets_go_to_other_processes(made: Path) -> None:
    for data in (fsns.open_records(made, "test"), fsns.open_rendered(SETTINGS, "test")):
        again = pickle.loads(pickle.dumps(data))
        assert np.array_equal(again[1]["images"], data[1]["images"])


def test_splits_may_lie_side_by_side(made: Path, tmp_path: Path) -> None:
    for path in (made / "test").iterdir():
        shutil.copy(path, tmp_path / path.name.replace("test", "validation"))
    assert len(fsns.open_records(tmp_path, "validation")) == 4


def test_a_contact_sheets_samples() -> None:
    samples = list(fsns.samples(SETTINGS, 3))
    signs = fsns.open_rendered(SETTINGS, "train")
    assert [text for _, text in samples] == [signs.sign(index)[1] for index in range(3)]
    assert np.array_equal(samples[2][0], signs[2]["images"])


@pytest.mark.parametrize(
    ("changes", "feature", "found"),
    [
        pytest.param(
            {"encoded": b"not a picture"},
            "image/encoded",
            "13 bytes that are not a complete PNG: it does not begin as one",
            id="no-picture",
        ),
        pytest.param(
            {"encoded": b""}, "image/encoded", "0 bytes that are not a complete PNG", id="empty"
        ),
        pytest.param(
            {"encoded": png()[:-200]},
            "image/encoded",
            "bytes that are not a complete PNG: the part at its byte 33 is damaged or cut short",
            id="cut",
        ),
        pytest.param(
            {"encoded": png()[:-12]},
            "image/encoded",
            "bytes that are not a complete PNG: it ends too soon",
            id="no-end",
        ),
        pytest.param(
            {"encoded": png()[:70] + b"damage" + png()[76:]},
            "image/encoded",
            "bytes that are not a complete PNG: the part at its byte 33 is damaged or cut short",
            id="damaged",
        ),
        pytest.param(
            {"encoded": png((150, 600))},
            "image/encoded",
            "a picture of 150 x 600 pixels",
            id="other-size",
        ),
        pytest.param({"classes": (134,) * 37}, "image/class", "class 134", id="class"),
        pytest.param({"classes": (-1,) * 37}, "image/class", "class -1", id="below-0"),
    ],
)
def test_a_bad_record_is_reported_by_file_number_and_byte(
    changes: dict[str, Any], feature: str, found: str, tmp_path: Path
) -> None:
    path = written(tmp_path, example(), example(**changes))
    data = fsns.open_records(tmp_path, "test")
    assert data[0]["images"].shape == (150, 600, 3)
    with pytest.raises(FeatureError) as reported:
        data[1]
    byte = RecordFile(path).offsets[1]
    start = f"{path}: record 1 at byte {byte}: feature '{feature}': "
    assert reported.value.message.startswith(start)
    assert found in reported.value.message
    assert reported.value.hint.startswith("expected ")


def test_no_damage_to_a_picture_goes_unseen() -> None:
    whole = next(
        iter(RecordExamples(FsnsExample, RecordFile(REAL / "fsns-00000-of-00001")))
    ).encoded
    fsns.decode_picture(whole, NOWHERE)
    for byte in [*range(60), *range(60, len(whole), 1999), *range(len(whole) - 12, len(whole))]:
        damaged = bytearray(whole)
        damaged[byte] ^= 0x10
        with pytest.raises(FeatureError, match="not a complete PNG"):
            fsns.decode_picture(bytes(damaged), NOWHERE)


@pytest.mark.parametrize("mode", ["L", "RGBA", "P"])
def test_other_pngs_are_read_as_rgb(mode: str, tmp_path: Path) -> None:
    written(tmp_path, example(encoded=png(mode=mode)))
    assert fsns.open_records(tmp_path, "test")[0]["images"].shape == (150, 600, 3)


@pytest.mark.parametrize(
    ("files", "reported"),
    [
        ([], "has no files test-NNNNN-of-NNNNN"),
        (["train/train-00000-of-00001"], "has no files test-NNNNN-of-NNNNN"),
        (["test/test-00000-of-00002"], "test-00001-of-00002 is missing"),
    ],
)
def test_a_set_that_is_not_all_there(files: list[str], reported: str, tmp_path: Path) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).touch()
    with pytest.raises(UsageError) as error:
        fsns.open_records(tmp_path, "test")
    assert reported in error.value.message


def test_a_bad_charset_file_is_reported(tmp_path: Path) -> None:
    written(tmp_path, example())
    (tmp_path / "charset_size=134.txt").write_text("0 \n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"charset_size=134\.txt:1: '0 '"):
        fsns.open_records(tmp_path, "test")


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        ({"count": -1}, "count -1 is below 0"),
        ({"test_count": -5}, "test-count -5 is below 0"),
        ({"seed": -1}, "seed -1 is below 0"),
        ({"compress_level": 10}, "compress level 10"),
    ],
)
def test_bad_settings(settings: dict[str, int], reported: str) -> None:
    with pytest.raises(UsageError, match=reported):
        RenderSettings(**settings)  # type: ignore[arg-type]  # each of them is an int


SCRIPT = """
import sys
import tensorflow as tf

features = {
    "image/encoded": tf.io.FixedLenFeature((), tf.string),
    "image/format": tf.io.FixedLenFeature((), tf.string),
    "image/width": tf.io.FixedLenFeature((1,), tf.int64),
    "image/orig_width": tf.io.FixedLenFeature((1,), tf.int64),
    "image/class": tf.io.FixedLenFeature((37,), tf.int64),
    "image/unpadded_class": tf.io.VarLenFeature(tf.int64),
    "image/text": tf.io.FixedLenFeature((1,), tf.string),
}
for record in tf.data.TFRecordDataset(sorted(tf.io.gfile.glob(sys.argv[1]))):
    read = tf.io.parse_single_example(record, features)
    picture = tf.image.decode_png(read["image/encoded"], channels=3)
    print(
        "x".join(map(str, picture.shape)),
        int(tf.reduce_sum(tf.cast(picture, tf.int64))),
        int(tf.reduce_sum(read["image/class"])),
        int(read["image/orig_width"][0]),
        read["image/text"][0].numpy().hex(),
    )
"""


def test_tensorflow_reads_them_as_upstream_does(made: Path) -> None:
    interpreter = os.environ.get("ASCENDIFY_TF2_PYTHON")
    if not interpreter:
        pytest.skip("ASCENDIFY_TF2_PYTHON names no interpreter with TensorFlow")
    run = subprocess.run(
        [interpreter, "-c", SCRIPT, str(made / "train" / "train*")],
        env=user_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    signs = fsns.open_rendered(SETTINGS, "train")
    expected = []
    for index in range(len(signs)):
        pixels, text, views = signs.sign(index)
        labels = signs[index]["labels"]
        numbers = (pixels.astype(int).sum(), labels.sum(), 150 * views, text.encode().hex())
        expected.append(" ".join(map(str, ("150x600x3", *numbers))))
    assert run.stdout.splitlines() == expected, run.stderr
