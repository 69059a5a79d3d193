"""Names of the files of a set."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.errors import UsageError
from ascendify.zoo.records import find_shards, shard_name


@pytest.mark.parametrize(
    ("name", "number", "count", "expected"),
    [
        ("train", 0, 5, "train-00000-of-00005"),
        ("train", 1023, 1024, "train-01023-of-01024"),
        ("tf_flowers-train.tfrecord", 1, 2, "tf_flowers-train.tfrecord-00001-of-00002"),
        ("x", 123456, 200000, "x-123456-of-200000"),
    ],
)
def test_names(name: str, number: int, count: int, expected: str) -> None:
    assert shard_name(name, number, count) == expected


@pytest.mark.parametrize(("number", "count"), [(-1, 5), (5, 5), (0, 0)])
def test_numbers_outside_the_set(number: int, count: int) -> None:
    with pytest.raises(ValueError, match="shard"):
        shard_name("train", number, count)


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).touch()


def test_a_set_is_found_in_order_among_others(tmp_path: Path) -> None:
    wanted = [shard_name("train", number, 12) for number in range(12)]
    touch(tmp_path, *reversed(wanted), ".train-00000-of-00012.99", "train-0-of-1", "train.txt")
    touch(tmp_path, "pretrain-00000-of-00001", "train-x-00000-of-00003")
    assert find_shards(tmp_path, "train") == [tmp_path / name for name in wanted]


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        pytest.param([], "has no files train-NNNNN-of-NNNNN", "name the folder", id="none"),
        pytest.param(
            ["val-00000-of-00001"], "has no files train-", "there are: val", id="another-set"
        ),
        pytest.param(
            ["train-00000-of-00003"],
            "has 1 of 3 files train: train-00001-of-00003 is missing, and 1 more",
            "copy or make what is missing",
            id="missing",
        ),
        pytest.param(
            ["train-00000-of-00001", "train-00000-of-00002"],
            "has files of several sets train: of 1, 2",
            "keep one set in a folder",
            id="two-sets",
        ),
    ],
)
def test_a_set_that_is_not_whole(names: list[str], message: str, hint: str, tmp_path: Path) -> None:
    touch(tmp_path, *names)
    with pytest.raises(UsageError, match=message) as reported:
        find_shards(tmp_path, "train")
    assert hint in reported.value.hint


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        find_shards(tmp_path / "missing", "train")
