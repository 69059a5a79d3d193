"""Figures of a whole run: which logs belong to it, ranks together, batch size, case file."""

from __future__ import annotations

import csv
import io
import json
import platform
from pathlib import Path

import pytest

from ascendify.launch.summary import Summary, summarise
from ascendify.launch.summary.case import missing, to_case
from ascendify.launch.summary.csv_ import to_csv
from ascendify.launch.summary.folder import rank_of
from ascendify.launch.summary.json_ import to_json

FILES = [
    pytest.param(["rank-0.log", "rank-1.log", "rank-10.log"], [0, 1, 10], id="ours"),
    pytest.param(["rank-0.log", "measure-0.jsonl", "measure-1.jsonl"], [0, 1], id="measured"),
    pytest.param(["rank-0.log", "0/train_0.log", "other.log"], [0], id="ours-before-others"),
    pytest.param(["0/train_0.log", "7/train_7.log"], [0, 7], id="guides-by-device"),
    pytest.param(["train_0.log", "train_1.log", "notes.log"], [0, 1], id="guides-flat"),
    pytest.param(["8p/0/model/alexnet.log", "8p/3/model/alexnet.log"], [0, 3], id="folders"),
    pytest.param(["device_2/run.log", "worker-5.log"], [2, 5], id="other-words"),
    pytest.param(["train.log", "eval.log"], [0], id="no-rank-is-rank-0"),
]


@pytest.mark.parametrize(("files", "ranks"), FILES)
def test_which_logs_and_which_ranks(files: list[str], ranks: list[int], tmp_path: Path) -> None:
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    assert [one.rank for one in summarise(tmp_path).ranks] == ranks


@pytest.mark.parametrize(
    ("path", "rank"),
    [
        ("rank-12.log", 12),
        ("rank_3.log", 3),
        ("output/4/train_4.log", 4),
        ("output/4/train.log", 4),
        ("train_2022.log", 2022),
        ("resnet50/train.log", 0),
        ("1p/train.log", 0),
    ],
)
def test_the_rank_in_a_path(path: str, rank: int) -> None:
    assert rank_of(path) == rank


def steps(*seconds: float, loss: float = 0.5) -> str:
    return "".join(
        f"global step {number}: loss = {loss} ({time} sec/step)\n"
        for number, time in enumerate(seconds, start=1)
    )


def ranks(folder: Path, *logs: str) -> Path:
    for number, text in enumerate(logs):
        (folder / f"rank-{number}.log").write_text(text)
    return folder


def test_skew_is_the_slowest_rank_to_the_median(tmp_path: Path) -> None:
    slow, usual = steps(9.0, 0.3, 0.3), steps(9.0, 0.2, 0.2)
    summary = summarise(ranks(tmp_path, usual, usual, slow))
    assert summary.skew == pytest.approx(1.5)
    assert (summary.slowest, summary.step_seconds) == (2, 0.2)


def test_one_rank_has_no_skew(tmp_path: Path) -> None:
    assert summarise(ranks(tmp_path, steps(0.1, 0.1))).skew is None


@pytest.mark.parametrize(
    ("logs", "throughput"),
    [
        pytest.param([steps(9, 0.5, 0.5)], None, id="no-batch-size"),
        pytest.param(["batch_size: 64\n" + steps(9, 0.5, 0.5)], 128.0, id="batch-and-time"),
        pytest.param(["--batch-size=64\n" + steps(9, 0.5)] * 2, 256.0, id="sum-of-the-ranks"),
        pytest.param(["bs=64\n" + steps(9, 0.5), "", "", ""], 512.0, id="only-rank-0-prints"),
        pytest.param(
            ["Epoch_Train: 1 cost= 1, lr= 1, FPS: 300, step_per_sec: 1\n"] * 8,
            300.0,
            id="reported-of-the-whole-job",
        ),
        pytest.param(["Iter #1: 300.0 img/sec per GPU\n"] * 8, 2400.0, id="reported-of-each-rank"),
    ],
)
def test_throughput_of_the_job(logs: list[str], throughput: float | None, tmp_path: Path) -> None:
    assert summarise(ranks(tmp_path, *logs)).throughput == throughput


@pytest.mark.parametrize(
    "line",
    [
        "batch_size: 64",
        "Namespace(batch_size=64, lr=0.1)",
        "{'batch_size': 64, 'dtype': 'fp16'}",
        '"train_batch_size": 64',
        "  Instantaneous batch size per device = 64",
        "python train.py --per_device_train_batch_size 64",
        "namespace:work 0,time_ts:1, key:global_batch_size,value:64,num_train_epochs:1",
        "Batch size: 64",
    ],
)
def test_batch_size_in_a_log(line: str, tmp_path: Path) -> None:
    summary = summarise(ranks(tmp_path, f"{line}\n"))
    assert (summary.batch_size, summary.batch_size_from) == (64, "log")


def plan(*command: str, size: int = 1) -> str:
    return json.dumps({"command": list(command), "servers": [{"devices": size}]})


def test_batch_size_and_ranks_of_the_recorded_command(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(plan("python", "t.py", "--batch_size", "16", size=8))
    summary = summarise(ranks(tmp_path, steps(9, 0.5)))
    assert (summary.batch_size, summary.batch_size_from) == (16, "command line")
    assert (summary.size, summary.throughput) == (8, 256.0)


@pytest.mark.parametrize("text", ["", "[]", '{"command": 3}', "{", "\x00"])
def test_a_record_that_cannot_be_read_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(text)
    assert summarise(ranks(tmp_path, steps(0.5))).size == 1


def test_options_count_more_than_what_was_found(tmp_path: Path) -> None:
    summary = summarise(ranks(tmp_path, "batch_size: 64\n" + steps(0.5)), batch=10, ranks=4)
    assert (summary.batch_size, summary.batch_size_from) == (10, "--batch-size")
    assert (summary.size, summary.throughput) == (4, 80.0)


@pytest.mark.parametrize(
    ("text", "wall"),
    [
        pytest.param("2022-06-15 20:12:00 a\n2022-06-15 20:13:30 b\n", 90.0, id="date-and-time"),
        pytest.param("[INFO] GE(1):2022-06-15-23:59:59.1 a\n2022-06-16T00:00:09 b\n", 10.0, id="T"),
        pytest.param(
            "I1231 23:59:50.0 1 a.py:1] x\nI0101 00:00:10.0 1 a.py:1] y\n", 20.0, id="absl"
        ),
        pytest.param("2022-99-99 20:12:00 a\n2022-06-15 20:13:30 b\n", None, id="no-dates"),
        pytest.param("2022-06-15 20:12:00 a\n", None, id="one-time"),
        pytest.param(steps(9, 0.5, 0.5, 0.5, 0.5), 2.0, id="steps-times-their-time"),
        pytest.param(
            "2022-06-15 20:12:00 a\n2022-06-15 20:12:01 b\n" + steps(*[0.5] * 101),
            50.0,
            id="times-only-at-the-start",
        ),
    ],
)
def test_wall_time(text: str, wall: float | None, tmp_path: Path) -> None:
    assert summarise(ranks(tmp_path, text)).wall_seconds == wall


@pytest.fixture
def crnn(tmp_path: Path) -> Summary:
    text = (
        "batch_size: 64\n2022-06-15 20:12:00 start\n"
        "Epoch_Train: 1 cost= 9.5, lr= 0.1, FPS: 10.0, step_per_sec: 9.0\n"
        "Epoch_Train: 2 cost= 2.5, lr= 0.1, FPS: 3048.0, step_per_sec: 0.168\n"
        "Epoch_Train: 3 cost= 3.5 seq distance= 0.9 train accuracy= 0.8123456\n"
        "2022-06-15 20:13:40 end\n"
    )
    return summarise(ranks(tmp_path, *[text] * 8), network="CRNN_for_TensorFlow")


def test_the_guides_case_file(crnn: Summary) -> None:
    assert to_case(crnn) == (
        "Network = CRNN_for_TensorFlow\n"
        "RankSize = 8\n"
        "BatchSize = 64\n"
        f"DeviceType = {platform.machine()}\n"
        "CaseName = CRNN_for_TensorFlow_bs64_8p_acc\n"
        "ActualFPS = 3048.00\n"
        "TrainingTime = 167.98\n"
        "TrainAccuracy = 0.812\n"
        "ActualLoss = 3.5\n"
        "E2ETrainingTime = 100\n"
    )
    assert missing(crnn) == []


def test_a_case_file_leaves_empty_what_is_not_known(tmp_path: Path) -> None:
    summary = summarise(ranks(tmp_path, ""))
    assert "ActualFPS = \n" in to_case(summary)
    assert missing(summary) == [
        "BatchSize", "ActualFPS", "TrainingTime", "TrainAccuracy", "ActualLoss", "E2ETrainingTime",
    ]  # fmt: skip


def test_the_table_for_spreadsheets_has_a_row_a_rank(crnn: Summary) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(crnn))))
    assert [row["rank"] for row in rows] == list("01234567")
    assert (rows[0]["loss"], rows[0]["best_loss"], rows[0]["batch_size"]) == ("3.5", "2.5", "64")


def test_json_holds_the_figures_and_the_curve(crnn: Summary) -> None:
    reported = json.loads(to_json(crnn))
    assert (reported["network"], reported["rank_size"], reported["throughput"]) == (
        crnn.network,
        8,
        3048.0,
    )
    assert reported["loss"]["final"] == 3.5
    assert reported["ranks"][0]["loss"]["curve"] == [[1, 9.5], [2, 2.5], [3, 3.5]]


def test_json_has_no_nan(tmp_path: Path) -> None:
    text = "global step 1: loss = nan (0.5 sec/step)\n"
    reported = json.loads(to_json(summarise(ranks(tmp_path, text))), parse_constant=pytest.fail)
    assert (reported["loss"]["final"], reported["loss"]["not_finite"]) == (None, 1)
