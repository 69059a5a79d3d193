"""Synth90k as released: converted as the guide's prepare step does, each fault listed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL")

from PIL import Image

from ascendify.cli.app import run
from ascendify.errors import UsageError
from ascendify.zoo.records import CrnnExample, RecordExamples, RecordFiles
from ascendify.zoo.sets.crnn_records import read_crnn
from ascendify.zoo.sets.generate import generate
from ascendify.zoo.sets.synth90k import find_root, plan_conversion

LEXICON = ["lube", "Frogs", "café", "pneumonoultramicroscopic", "a1", "don't"]
GOOD = {"train": 12, "val": 3, "test": 4}
FAULTS = [
    ("./9/1/1_missing_0.jpg 0", "./9/1/1_missing_0.jpg: no such file"),
    ("./9/1/2_text_0.jpg 0", "./9/1/2_text_0.jpg: not a picture"),
    ("./9/1/3_empty_0.jpg 0", "./9/1/3_empty_0.jpg: not a picture"),
    ("./9/1/4_cut_0.jpg 0", "./9/1/4_cut_0.jpg: cannot be read: "),
    ("./1/1/0_lube_0.jpg 2", "./1/1/0_lube_0.jpg: the word 'café' has other characters"),
    ("./1/1/0_lube_0.jpg 5", './1/1/0_lube_0.jpg: the word "don\'t" has other characters'),
    ("./1/1/0_lube_0.jpg 3", "has 24 letters, more than 23"),
    ("./1/1/0_lube_0.jpg 6", "row 6 is beyond lexicon.txt, which has 6 rows"),
    ("./1/1/0_lube_0.jpg x", "annotation_train.txt:21: './1/1/0_lube_0.jpg x' is not a path"),
    ("", "annotation_train.txt:22: '' is not a path"),
]


def picture(seed: int, grey: bool) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (8, 30, 3), np.uint8)
    image = Image.fromarray(pixels).resize((40 + 20 * seed, 31))
    return image.convert("L") if grey else image


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A little Synth90k, some of it grey, with one fault of each kind in the training split."""
    root = tmp_path / "90kDICT32px"
    (root / "9/1").mkdir(parents=True)
    (root / "lexicon.txt").write_text("\n".join(LEXICON) + "\n", encoding="utf-8")
    rows = [0, 1, 4]
    for number, (split, count) in enumerate(GOOD.items(), 1):
        lines = []
        for index in range(count):
            row = rows[index % 3]
            name = f"./{number}/1/{index}_{LEXICON[row]}_{row}.jpg"
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            picture(index, grey=index % 4 == 3).save(root / name)
            lines.append(f"{name} {row}")
        if split == "train":
            lines += [line for line, _ in FAULTS]
        (root / f"annotation_{split}.txt").write_text("\n".join(lines) + "\n")
    (root / "9/1/2_text_0.jpg").write_text("no picture")
    (root / "9/1/3_empty_0.jpg").touch()
    whole = (root / "1/1/11_a1_4.jpg").read_bytes()
    (root / "9/1/4_cut_0.jpg").write_bytes(whole[: len(whole) // 2])
    return root


def test_a_tree_becomes_records(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    plan = plan_conversion(tree, strict=False, channel_order="RGB")
    made = generate(plan, out, 2)
    for split, count in GOOD.items():
        data = read_crnn(out, split)  # type: ignore[arg-type]
        assert [data.text(index) for index in range(count)] == [
            ("lube", "frogs", "a1")[index % 3] for index in range(count)
        ]
        assert len(data) == count
    examples = RecordExamples(CrnnExample, RecordFiles([out / "tfrecords/train_1.tfrecords"]))
    for index, example in enumerate(examples):
        path = example.imagepaths.decode()
        assert path.startswith(f"./1/1/{index}_")
        with Image.open(tree / path) as file:
            wanted = np.asarray(file.convert("RGB").resize((100, 32), Image.Resampling.BILINEAR))
        assert example.images == wanted.tobytes()
        assert example.labels_length == len(example.labels)
    assert made.samples - len(made.left_out) == sum(GOOD.values())


def test_every_fault_is_reported_and_nothing_else(tree: Path, tmp_path: Path) -> None:
    made = generate(plan_conversion(tree, strict=False, channel_order="RGB"), tmp_path / "out", 1)
    assert len(made.left_out) == len(FAULTS)
    for reported, (_, expected) in zip(made.left_out, FAULTS):
        assert expected in reported


@pytest.mark.parametrize("fault", FAULTS, ids=[expected for _, expected in FAULTS])
@pytest.mark.parametrize("workers", [1, 2])
def test_strict_stops_at_a_fault(
    tree: Path, tmp_path: Path, fault: tuple[str, str], workers: int
) -> None:
    listed = tree / "annotation_train.txt"
    kept = listed.read_text().splitlines()[: GOOD["train"]]
    listed.write_text("\n".join([*kept, fault[0]]) + "\n")
    plan = plan_conversion(tree, strict=True, channel_order="RGB")
    reason = fault[1].partition(" is not a path")[0].rpartition(":")[2]
    with pytest.raises(UsageError) as caught:
        generate(plan, tmp_path / "out", workers)
    assert reason.strip().partition(": '")[0] in caught.value.message
    assert "--strict" in caught.value.hint


def test_a_last_line_without_newline_and_other_line_ends_count(tree: Path, tmp_path: Path) -> None:
    listed = tree / "annotation_test.txt"
    listed.write_bytes("\r\n".join(listed.read_text().split("\n")[: GOOD["test"]]).encode())
    generate(plan_conversion(tree, strict=False, channel_order="RGB"), tmp_path / "out", 1)
    assert len(read_crnn(tmp_path / "out", "test")) == GOOD["test"]


def test_the_archive_has_the_tree_inside(tree: Path, tmp_path: Path) -> None:
    assert find_root(tree) == tree
    assert find_root(tree.parent) == tree
    inside = tmp_path / "archive/mnt/ramdisk/max/90kDICT32px"
    inside.parent.mkdir(parents=True)
    tree.rename(inside)
    assert find_root(tmp_path / "archive") == inside


@pytest.mark.parametrize(
    ("removed", "message"),
    [
        (["lexicon.txt"], "has no lexicon.txt"),
        ([f"annotation_{split}.txt" for split in GOOD], "has no lexicon.txt with annotation"),
        (["1"], "annotation_train.txt: none of the first 22 lines names a picture"),
    ],
)
def test_folders_that_are_no_such_tree(tree: Path, removed: list[str], message: str) -> None:
    for name in removed:
        path = tree / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    if removed == ["1"]:
        shutil.rmtree(tree / "9")
    with pytest.raises(UsageError, match=message):
        plan_conversion(tree, strict=False, channel_order="RGB")


def test_an_empty_list_is_reported(tree: Path) -> None:
    (tree / "annotation_val.txt").write_text("")
    with pytest.raises(UsageError, match=r"annotation_val\.txt is empty"):
        plan_conversion(tree, strict=False, channel_order="RGB")


def test_the_command_is_the_guides_prepare_step(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, sheet = tmp_path / "out", tmp_path / "sheet.png"
    command = ["zoo", "data", "crnn", "--from", str(tree), "--out", str(out), "--workers", "2"]
    assert run([*command, "--channel-order", "bgr", "--sheet", str(sheet)]) == 0
    reported = capsys.readouterr().out
    assert f"{out}: 19 samples" in reported
    assert f"left out: {len(FAULTS)}, listed in {out / 'left-out.txt'}" in reported
    assert "./9/1/1_missing_0.jpg: no such file" in reported
    with Image.open(tree / "1/1/0_lube_0.jpg") as file:
        wanted = np.asarray(file.convert("RGB").resize((100, 32), Image.Resampling.BILINEAR))
    assert np.array_equal(read_crnn(out, "train")[0]["images"], wanted)
    with Image.open(sheet) as shown:
        assert shown.size == (8 * 206 + 6, 2 * (64 + 20) + 6)
    assert (out / "char_dict/ord_map.json").exists()
    assert run([*command, "--strict", "--channel-order", "bgr"]) == 0  # all is made already
