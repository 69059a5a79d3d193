"""The CRNN guide's record files: written, read back, and read by TensorFlow."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL")

from ascendify.cli.app import run
from ascendify.errors import UsageError
from ascendify.zoo.records import CrnnExample, RecordWriter, to_record
from ascendify.zoo.rendering.fonts import SHIPPED, families
from ascendify.zoo.sets import crnn_records
from ascendify.zoo.sets.crnn_records import LABELS, encode, read_crnn, write_charset
from ascendify.zoo.sets.generate import generate
from ascendify.zoo.sets.rendered import RenderedWords, Split, open_words, plan_rendered
from ascendify.zoo.text.charset import Charset, write_crnn
from support.interpreters import user_environment

WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in ("nt", "rst", "mp")]

# the guide's reader, as its feature_reader.py has it, and without a session
SCRIPT = """
import sys
import tensorflow as tf

parse = getattr(tf, "io", tf).parse_single_example
features = {
    "images": tf.io.FixedLenFeature((), tf.string),
    "imagepaths": tf.io.FixedLenFeature((), tf.string),
    "labels": tf.io.VarLenFeature(tf.int64),
    "labels_length": tf.io.FixedLenFeature([1], tf.int64),
}
for record in tf.data.TFRecordDataset(sys.argv[1]):
    read = parse(record, features)
    image = tf.reshape(tf.io.decode_raw(read["images"], tf.uint8), [32, 100, 3])
    label = tf.sparse.to_dense(read["labels"]).numpy().tolist()
    print(int(tf.reduce_sum(tf.cast(image, tf.int64))), label, read["labels_length"].numpy()[0],
          read["imagepaths"].numpy().decode())
"""


@pytest.fixture
def words(tmp_path: Path) -> Path:
    file = tmp_path / "words.txt"
    file.write_text("\n".join(WORDS))
    return file


def opened(split: Split, size: int, words: Path, **options: Any) -> RenderedWords:
    return open_words(split, size, 1, font_folders=[SHIPPED], word_file=words, **options)


@pytest.fixture
def folder(tmp_path: Path, words: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty-five words for training in three files, six for the test."""
    monkeypatch.setattr(crnn_records, "PER_FILE", 10)
    out = tmp_path / "set"
    generate(plan_rendered(opened("train", 25, words), opened("test", 6, words)), out, 1)
    write_charset(out)
    return out


def test_splits_have_other_words_and_other_families(words: Path) -> None:
    train, test = opened("train", 400, words), opened("test", 400, words)
    drawn = [{samples.draw(index)[1] for index in range(400)} for samples in (train, test)]
    assert not drawn[0] & drawn[1]
    assert not set(families(train.faces)) & set(families(test.faces))


def test_records_read_back_as_they_were_drawn(folder: Path, words: Path) -> None:
    names = [f"train_{k}.tfrecords" for k in (1, 2, 3)]
    assert sorted(path.name for path in (folder / "tfrecords").iterdir()) == [
        "test_1.tfrecords",
        *names,
    ]
    for split, size in (("train", 25), ("test", 6)):
        data, drawn = read_crnn(folder, split), opened(split, size, words)  # type: ignore[arg-type]
        assert len(data) == size
        for index in range(size):
            assert data.text(index) == drawn.draw(index)[1]
            for name, value in drawn[index].items():
                assert np.array_equal(data[index][name], value), name
                assert data[index][name].dtype == value.dtype


def test_channels_can_be_stored_the_other_way_round(tmp_path: Path, words: Path) -> None:
    train, test = (opened(split, 3, words, channel_order="BGR") for split in ("train", "test"))
    generate(plan_rendered(train, test), tmp_path / "bgr", 1)
    picture = train.draw(0)[0]
    assert np.array_equal(read_crnn(tmp_path / "bgr", "train")[0]["images"], picture)
    swapped = read_crnn(tmp_path / "bgr", "train", "RGB")[0]["images"]
    assert np.array_equal(swapped, picture[..., ::-1])


def test_a_set_with_classes_in_another_order_is_read_by_its_own_files(tmp_path: Path) -> None:
    symbols = tuple("zyxwvutsrqponmlkjihgfedcba9876543210")
    (tmp_path / "char_dict").mkdir()
    write_crnn(
        Charset((*symbols, ""), null=36),
        tmp_path / "char_dict/char_dict.json",
        tmp_path / "char_dict/ord_map.json",
    )
    labels = [symbols.index(letter) for letter in "word1"]
    write(tmp_path / "tfrecords/train_1.tfrecords", labels, len(labels))
    data = read_crnn(tmp_path, "train")
    assert data.text(0) == "word1"
    ours = "0123456789abcdefghijklmnopqrstuvwxyz"
    assert "".join(ours[label] for label in data[0]["labels"][:5]) == "word1"


def test_files_of_the_guide_without_lengths_are_read(tmp_path: Path) -> None:
    write(tmp_path / "tfrecords/val_4.tfrecords", [10, 11], length=None)
    sample = read_crnn(tmp_path, "val")[0]
    assert sample["lengths"] == 2
    assert sample["labels"].tolist() == [10, 11] + [36] * 21


def write(path: Path, labels: list[int], length: int | None) -> None:
    with RecordWriter(path) as writer:
        writer.write(to_record(CrnnExample(bytes(9600), b"a.jpg", tuple(labels), length)))


def test_a_label_ends_where_its_length_says(tmp_path: Path) -> None:
    write(tmp_path / "tfrecords/train_1.tfrecords", [10, 11, 12, *[36] * 20], length=3)
    data = read_crnn(tmp_path, "train")
    assert data.text(0) == "abc"
    assert data[0]["lengths"] == 3
    assert data[0]["labels"].tolist() == [10, 11, 12] + [36] * 20


@pytest.mark.parametrize(
    ("labels", "length", "found"),
    [
        ([36], 1, "record 0 at byte 0: class 36"),
        ([-1], 1, "class -1"),
        ([], 0, "0 labels"),
        ([1], 0, "0 labels"),
        ([1] * (LABELS + 1), LABELS + 1, "24 labels"),
        ([1, 2], 3, "a length of 3 for 2 labels"),
        ([1, 2], -1, "a length of -1 for 2 labels"),
    ],
    ids=str,
)
def test_labels_that_are_none(tmp_path: Path, labels: list[int], length: int, found: str) -> None:
    write(tmp_path / "tfrecords/train_1.tfrecords", labels, length)
    with pytest.raises(UsageError, match=f"train_1.tfrecords: .*{found}"):
        read_crnn(tmp_path, "train")[0]


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("tfrecords", "tfrecords cannot be read: No such file or directory"),
        ("tfrecords/train_1.tfrecords", "2 of 3 files of train: tfrecords/train_1.tfrecords"),
        ("tfrecords/train_2.tfrecords", "has train_1 to train_3, but no train_2"),
        ("tfrecords/train_3.tfrecords", "2 of 3 files of train: tfrecords/train_3.tfrecords"),
        ("char_dict/ord_map.json", r"ord_map.json: No such file"),
    ],
)
def test_sets_that_are_not_whole(folder: Path, missing: str, message: str) -> None:
    path = folder / missing
    path.rename(folder / "elsewhere")
    with pytest.raises(UsageError, match=message):
        read_crnn(folder, "train")


def test_a_split_that_is_not_there(folder: Path) -> None:
    with pytest.raises(UsageError, match="has no files val_<number>"):
        read_crnn(folder, "val")


def test_words_that_cannot_be_encoded() -> None:
    with pytest.raises(UsageError, match="é"):
        encode(np.zeros((32, 100, 3), np.uint8), "café", "a.jpg")


def test_tensorflow_reads_them_with_the_guides_features(
    folder: Path, preloaded_tensorflow: str
) -> None:
    script = folder / "read.py"
    script.write_text(
        SCRIPT.replace("\nparse =", "\ntf.compat.v1.enable_eager_execution()\nparse =")
    )
    file = folder / "tfrecords/train_1.tfrecords"
    done = subprocess.run(
        [preloaded_tensorflow, str(script), str(file)],
        env=user_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    data = read_crnn(folder, "train")
    expected = []
    for index in range(len(done.stdout.splitlines()) or 1):
        sample = data[index]
        classes = sample["labels"][: sample["lengths"]].tolist()
        path = f"train/{index}_{data.text(index)}"
        expected.append(f"{sample['images'].sum(dtype=int)} {classes} {sample['lengths']} {path}")
    assert done.stdout.splitlines() == expected, done.stderr
    assert len(expected) == 8


def test_the_command(tmp_path: Path, words: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, sheet = tmp_path / "set", tmp_path / "sheet.png"
    command = ["zoo", "data", "crnn", "--out", str(out), "--count", "12", "--test-count", "5"]
    command += ["--words", str(words), "--fonts", str(SHIPPED), "--sheet", str(sheet)]
    assert run([*command, "--workers", "2"]) == 0
    assert "17 samples, 17 of them made now" in capsys.readouterr().out
    assert len(read_crnn(out, "train")) == 12
    assert sheet.read_bytes().startswith(b"\x89PNG")
    assert run(command) == 0
    assert "17 samples, 0 of them made now" in capsys.readouterr().out
    assert run([*command, "--seed", "2"]) == 2
    reported = capsys.readouterr().err.splitlines()
    assert reported[0].endswith("holds a set of other settings: seed is 1 there, 2 here")
    assert reported[1].startswith("hint: name another folder")
    assert len(reported) == 2
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["settings"]["words"].startswith("words.txt ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to make"),
        (["--out", "{tmp}/a", "--count", "0"], "Invalid value for '--count'"),
        (["--out", "{tmp}/a", "--seed", "-1"], "Invalid value for '--seed'"),
        (["--out", "{tmp}/a", "--words", "{tmp}/none"], "none cannot be read: No such file"),
        (["--out", "{tmp}/a", "--fonts", "{tmp}/none"], "none is no folder"),
        (["--out", "{tmp}/words.txt", "--words", "{tmp}/words.txt"], "is not a folder"),
        (["--from", "{tmp}", "--sheet", "{tmp}/a.png"], "--from needs --out"),
        (["--from", "{tmp}", "--out", "{tmp}/a"], "has no lexicon.txt"),
        (["--from", "{tmp}", "--out", "{tmp}/a", "--count", "3"], "--count is for rendered words"),
        (["--sheet", "{tmp}/words.txt/a.png", "--words", "{tmp}/words.txt"], "cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_two_lines(
    tmp_path: Path,
    words: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    given = [argument.replace("{tmp}", str(tmp_path)) for argument in arguments]
    assert run(["zoo", "data", "crnn", *given]) == 2
    reported = capsys.readouterr().err.splitlines()
    assert message in reported[0]
    assert [line.partition(":")[0] for line in reported] == ["error", "hint"]
    assert not (tmp_path / "a").exists()
