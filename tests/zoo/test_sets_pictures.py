"""Pictures with a class in every known form of a folder, and what is said of unknown ones."""

from __future__ import annotations

import io
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo.records import FlowerExample, ImageNetExample, RecordWriter, to_record
from ascendify.zoo.sets.cifar import SIDE
from ascendify.zoo.sets.digit_scans import DigitScans
from ascendify.zoo.sets.photos import Cut, EncodedPhoto, Photos, cut_photo, middle, random_box
from ascendify.zoo.sets.pictures import FewPictures, SyntheticPictures, open_pictures

CUT = Cut(side=16, short_side=20, least_area=0.25)


def noise(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)


def encode(picture: Any, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, kind, **options)
    return file.getvalue()


# --- forms of a folder


def cifar_binary(folder: Path, label_bytes: int = 1) -> tuple[Any, Any]:
    pictures = noise(20, 3, SIDE, SIDE)
    labels = np.arange(20) % 10
    names = [f"data_batch_{n}.bin" for n in range(1, 6)]
    if label_bytes == 2:
        names = ["train.bin"]
    for number, part in enumerate(np.array_split(np.arange(20), len(names))):
        rows = [bytes([3] * (label_bytes - 1) + [labels[n]]) + pictures[n].tobytes() for n in part]
        (folder / names[number]).write_bytes(b"".join(rows))
    test = "test_batch.bin" if label_bytes == 1 else "test.bin"
    (folder / test).write_bytes(bytes([0] * label_bytes) + pictures[0].tobytes())
    meta = "batches.meta.txt" if label_bytes == 1 else "fine_label_names.txt"
    (folder / meta).write_text("\n".join(f"class {n}" for n in range(10)) + "\n\n")
    return pictures, labels


def cifar_python(folder: Path) -> tuple[Any, Any]:
    """As Python 2 wrote it: keys and texts are bytes."""
    pictures = noise(10, 3, SIDE, SIDE)
    labels = np.arange(10)
    for number, part in enumerate(np.array_split(np.arange(10), 5), start=1):
        content = {b"data": pictures[part].reshape(-1, 3 * SIDE * SIDE), b"labels": part.tolist()}
        (folder / f"data_batch_{number}").write_bytes(pickle.dumps(content, protocol=2))
    content = {b"data": pictures[:2].reshape(2, -1), b"labels": [0, 1]}
    (folder / "test_batch").write_bytes(pickle.dumps(content, protocol=2))
    names = {b"label_names": [f"class {n}".encode() for n in range(10)]}
    (folder / "batches.meta").write_bytes(pickle.dumps(names, protocol=2))
    return pictures, labels


@pytest.mark.parametrize("label_bytes", [1, 2])
def test_cifars_binary_files(tmp_path: Path, label_bytes: int) -> None:
    pictures, labels = cifar_binary(tmp_path, label_bytes)
    data = open_pictures(tmp_path, "train", CUT, seed=1)
    assert data.classes == tuple(f"class {n}" for n in range(10))
    assert [int(data[n]["labels"]) for n in range(len(data))] == labels.tolist()
    for number in range(20):
        np.testing.assert_array_equal(data[number]["images"], pictures[number].transpose(1, 2, 0))
    assert len(open_pictures(tmp_path, "test", CUT, seed=1)) == 1


def test_cifars_python_files(tmp_path: Path) -> None:
    pictures, labels = cifar_python(tmp_path)
    data = open_pictures(tmp_path, "train", CUT, seed=1)
    assert data.classes == tuple(f"class {n}" for n in range(10))
    assert [int(data[n]["labels"]) for n in range(10)] == labels.tolist()
    np.testing.assert_array_equal(data[7]["images"], pictures[7].transpose(1, 2, 0))


class Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("/tmp/never"),))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("data_batch_2.bin", b"\0" * 100, "has 100 bytes, which are no whole records of 3073"),
        ("data_batch_2.bin", b"", "has 0 bytes"),
        ("data_batch_2.bin", None, "cannot be read: No such file"),
        ("data_batch_2.bin", bytes([200]) + bytes(3072), "has class 200, and batches.meta.txt"),
    ],
)
def test_damaged_binary_files(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    cifar_binary(tmp_path)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=re.escape(message)):
        open_pictures(tmp_path, "train", CUT, seed=1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps(Harmful()), "it names pathlib.Path.touch|it names builtins.getattr|it names"),
        (pickle.dumps([1]), "holds no dictionary"),
        (pickle.dumps({b"data": 3, b"labels": []}), "has no array 'data'"),
        (b"\x80\x04nonsense", "is not a file of CIFAR"),
    ],
)
def test_damaged_or_harmful_python_files(tmp_path: Path, content: bytes, message: str) -> None:
    cifar_python(tmp_path)
    (tmp_path / "data_batch_3").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        open_pictures(tmp_path, "train", CUT, seed=1)
    assert not Path("/tmp/never").exists()


def class_folders(folder: Path, *splits: str, each: int = 12) -> None:
    for split in splits or (".",):
        for number, name in enumerate(("daisy", "rose", "tulip")):
            inside = folder / split / name
            inside.mkdir(parents=True)
            for picture in range(each):
                shape = (24 + number, 30 + picture, 3)
                suffix = "jpg" if picture % 2 else "PNG"
                kind = "JPEG" if picture % 2 else "PNG"
                content = encode(noise(*shape, seed=picture), kind)
                (inside / f"{picture}.{suffix}").write_bytes(content)
    (folder / "README.txt").write_text("not a class")
    (folder / ".cache").mkdir()


@pytest.mark.parametrize("names", [("train", "val"), ("train", "test"), ("training", "validation")])
def test_folders_of_classes_with_splits(tmp_path: Path, names: tuple[str, ...]) -> None:
    class_folders(tmp_path, *names)
    for split in ("train", "test"):
        data = open_pictures(tmp_path, split, CUT, seed=1)
        assert data.classes == ("daisy", "rose", "tulip")
        assert len(data) == 36
        assert data[13]["images"].shape == (16, 16, 3)
        assert int(data[13]["labels"]) == 1


@pytest.mark.parametrize("splits", [(), ("train",)])
def test_folders_of_classes_without_a_test_are_divided(
    tmp_path: Path, splits: tuple[str, ...]
) -> None:
    class_folders(tmp_path, *splits, each=40)
    train, test = (open_pictures(tmp_path, split, CUT, seed=1) for split in ("train", "test"))
    assert len(train) + len(test) == 120
    assert 5 < len(test) < 35
    assert len(open_pictures(tmp_path, "test", CUT, seed=2)) == len(test), "by name, not by seed"


def test_a_class_that_only_the_test_has(tmp_path: Path) -> None:
    class_folders(tmp_path, "train", "val")
    (tmp_path / "val" / "rose").rename(tmp_path / "val" / "roses")
    with pytest.raises(UsageError, match="has a class roses that training does not") as raised:
        open_pictures(tmp_path, "test", CUT, seed=1)
    assert raised.value.hint == "did you mean rose?"


def records(folder: Path, name: str, examples: list[Any], files: int) -> None:
    for number in range(files):
        path = folder / f"{name}-{number:05d}-of-{files:05d}"
        with RecordWriter(path) as writer:
            for example in examples[number::files]:
                writer.write(to_record(example))


def test_records_of_imagenet(tmp_path: Path) -> None:
    photos = [noise(30, 40, 3, seed=n) for n in range(6)]
    for name, chosen in (("train", photos), ("validation", photos[:2])):
        examples = [ImageNetExample(encoded=encode(p), label=n + 1) for n, p in enumerate(chosen)]
        records(tmp_path, name, examples, 2)
    train = open_pictures(tmp_path, "train", CUT, seed=1)
    assert (len(train), len(train.classes)) == (6, 1001)
    assert sorted(int(train[n]["labels"]) for n in range(6)) == [1, 2, 3, 4, 5, 6]
    test = open_pictures(tmp_path, "test", CUT, seed=1)
    expected = cut_photo(EncodedPhoto(encode(photos[0]), 1, ""), CUT)
    np.testing.assert_array_equal(test[0]["images"], expected)


def test_a_missing_record_file_is_named(tmp_path: Path) -> None:
    records(tmp_path, "train", [ImageNetExample(encode(noise(20, 20, 3)), 1)] * 6, 3)
    (tmp_path / "train-00001-of-00003").unlink()
    with pytest.raises(UsageError, match="train-00001-of-00003"):
        open_pictures(tmp_path, "train", CUT, seed=1)


def test_records_of_flowers_are_divided_in_their_order(tmp_path: Path) -> None:
    examples = [FlowerExample(encode(noise(20, 20, 3, seed=n)), n % 5) for n in range(20)]
    records(tmp_path, "tf_flowers-train.tfrecord", examples, 1)
    train, test = (open_pictures(tmp_path, split, CUT, seed=1) for split in ("train", "test"))
    assert train.classes == ("dandelion", "daisy", "tulips", "sunflowers", "roses")
    assert (len(train), len(test)) == (17, 3)
    assert [int(test[n]["labels"]) for n in range(3)] == [17 % 5, 18 % 5, 19 % 5]
    (tmp_path / "label.labels.txt").write_text("a\nb\nc\nd\ne\n")
    assert open_pictures(tmp_path, "test", CUT, seed=1).classes == tuple("abcde")


def test_a_label_that_no_class_has(tmp_path: Path) -> None:
    records(tmp_path, "tf_flowers-train.tfrecord", [FlowerExample(encode(noise(9, 9, 3)), 9)], 1)
    with pytest.raises(UsageError, match="class 9, where 0 to 4 belong"):
        open_pictures(tmp_path, "train", CUT, seed=1)[0]


@pytest.mark.parametrize(
    ("names", "found"), [((), "nothing"), (("a.txt", "b.csv"), "a.txt, b.csv")]
)
def test_a_folder_of_no_known_form(tmp_path: Path, names: tuple[str, ...], found: str) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=f"it has {found}") as raised:
        open_pictures(tmp_path, "train", CUT, seed=1)
    assert raised.value.hint is not None
    assert "a folder of pictures for each class" in raised.value.hint


# --- without data


def test_scanned_digits() -> None:
    train, test = DigitScans("train", 16), DigitScans("test", 16)
    assert (len(train), len(test)) == (1437, 360)
    sample = train[0]
    assert sample["images"].shape == (16, 16, 3)
    assert sample["images"].dtype == np.uint8
    seen = {train[n]["images"].tobytes() for n in range(len(train))}
    assert sum(test[n]["images"].tobytes() in seen for n in range(len(test))) == 0
    assert set(train.labels.tolist()) == set(range(10))


def test_made_up_pictures_are_those_of_the_guide() -> None:
    data = SyntheticPictures(64, 32, ("a", "b", "c"), seed=1)
    pictures = np.stack([data[n]["images"] for n in range(64)]).astype(float)
    assert pictures.mean() == pytest.approx(127, abs=1)
    assert 52 < pictures.std() < 60, "a deviation of 60, cut off at two"
    assert {int(data[n]["labels"]) for n in range(64)} == {0, 1, 2}


def test_few_pictures_of_each_class() -> None:
    few = FewPictures(DigitScans("train", 8), 5, seed=3)
    labels = [int(few[n]["labels"]) for n in range(len(few))]
    assert sorted(labels) == [digit for digit in range(10) for _ in range(5)]
    again = FewPictures(DigitScans("train", 8), 5, seed=3)
    np.testing.assert_array_equal(few[11]["images"], again[11]["images"])
    assert any(
        (few[n]["images"] != FewPictures(DigitScans("train", 8), 5, seed=4)[n]["images"]).any()
        for n in range(10)
    )


# --- cuts


def test_an_evaluation_takes_the_middle() -> None:
    """As resizing the short side to 256 and cutting 224 out, which is 7/8 of it."""
    assert middle((640, 512), Cut(224, 256, 1.0)) == (96, 32, 544, 480)
    assert middle((512, 640), Cut(256, 256, 1.0)) == (0, 64, 512, 576)
    assert middle((640, 320), Cut(384, 384, 1.0, squash=True)) == (0, 0, 640, 320)


def test_training_cuts_have_the_areas_and_shapes_that_are_set() -> None:
    rng = np.random.default_rng(1)
    cut = Cut(224, 256, 0.05)
    boxes = [random_box((400, 300), cut, rng) for _ in range(2000)]
    areas = [(right - left) * (low - top) / 120_000 for left, top, right, low in boxes]
    ratios = [(right - left) / (low - top) for left, top, right, low in boxes]
    assert 0.045 < min(areas) < 0.1
    assert 0.9 < max(areas) <= 1
    assert 0.73 < min(ratios) < 0.8
    assert 1.25 < max(ratios) < 1.36
    assert all(
        0 <= left < right <= 400 and 0 <= top < low <= 300 for left, top, right, low in boxes
    )


def test_a_photo_too_long_for_any_cut_gives_its_middle() -> None:
    box = random_box((1000, 10), Cut(8, 8, 1.0), np.random.default_rng(0))
    assert box == pytest.approx((500 - 20 / 3, 0, 500 + 20 / 3, 10))


def test_windows_of_a_squashed_photo() -> None:
    rng = np.random.default_rng(1)
    cut = Cut(224, 384, 1.0, squash=True)
    boxes = [random_box((768, 384), cut, rng) for _ in range(200)]
    assert {(round(r - x), round(b - y)) for x, y, r, b in boxes} == {(448, 224)}
    assert min(x for x, *_ in boxes) < 40
    assert max(r for _, _, r, _ in boxes) > 728


def test_a_training_cut_differs_in_every_epoch_and_not_between_runs(tmp_path: Path) -> None:
    class_folders(tmp_path, "train", "val")
    data = open_pictures(tmp_path, "train", CUT, seed=1)
    assert isinstance(data, Photos)
    later = data[3 + len(data)]["images"]
    assert (data[3]["images"] != later).any()
    again = open_pictures(tmp_path, "train", CUT, seed=1)
    np.testing.assert_array_equal(again[3 + len(data)]["images"], later)
    assert not open_pictures(tmp_path, "test", CUT, seed=1).varies  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [(1024, 768), (400, 1600)])
def test_a_large_jpeg_is_decoded_small_and_shows_the_same(size: tuple[int, int]) -> None:
    gradient = np.linspace(0, 255, size[0]).astype(np.uint8)
    photo = np.repeat(np.broadcast_to(gradient, size[::-1])[..., None], 3, 2)
    large, small = encode(photo, "JPEG", quality=95), encode(photo)
    cut = Cut(64, 64, 1.0)
    found = cut_photo(EncodedPhoto(large, 0, ""), cut).astype(int)
    expected = cut_photo(EncodedPhoto(small, 0, ""), cut).astype(int)
    assert np.abs(found - expected).max() <= 4


def test_a_photo_is_turned_as_its_file_says() -> None:
    photo = np.zeros((60, 40, 3), np.uint8)
    photo[:30] = 255  # white above, in the file
    exif = Image.Exif()
    exif[0x0112] = 6  # the file's top is the photo's right
    content = encode(photo, "JPEG", exif=exif, quality=95)
    found = cut_photo(EncodedPhoto(content, 0, ""), Cut(40, 40, 1.0))
    assert found[:, 30:].mean() > 240
    assert found[:, :10].mean() < 15


@pytest.mark.parametrize("content", [b"", b"no picture", encode(noise(50, 50, 3))[:200]])
def test_a_damaged_photo_is_named(content: bytes) -> None:
    with pytest.raises(UsageError, match=re.escape("some/place.jpg cannot be read")):
        cut_photo(EncodedPhoto(content, 0, "some/place.jpg"), CUT)
