"""What was captured, read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ascendify.verify.captured import Capture, Point, Series, from_output, mean, read, read_all


def test_records_become_series() -> None:
    capture = read(
        [
            {"source": "process", "rank": 1, "executable": "python", "time": 3.0},
            {"source": "step", "series": "global_step", "step": 1, "value": 7},
            {"source": "loss", "series": "Mean", "step": 7, "value": 0.5, "dtype": "float32"},
            {"source": "step", "series": "global_step", "step": 2, "value": None},
            {"source": "loss", "series": "Mean", "step": 8, "value": 0.25, "dtype": "float16"},
            {"source": "checkpoint", "path": "/a/model-7"},
            {"source": "checkpoint", "path": "/a/model-8"},
            {"source": "weights", "path": "/a/x.npz"},
            {"source": "note", "text": "weights not read"},
        ]
    )
    assert (capture.rank, capture.steps, capture.global_step) == (1, 2, 7)
    assert [one.points for one in capture.series] == [(Point(7, 0.5), Point(8, 0.25))]
    assert capture.series[0].dtype == "float16"
    assert capture.checkpoints[-1] == Path("/a/model-8")
    assert (capture.weights, capture.notes) == (Path("/a/x.npz"), ("weights not read",))


def test_every_process_of_a_side(tmp_path: Path) -> None:
    def write(name: str, *lines: dict[str, Any], cut_off: str = "") -> None:
        text = "".join(json.dumps(line) + "\n" for line in lines) + cut_off
        (tmp_path / name).write_text(text)

    write("capture-0.jsonl.rank1", {"source": "process", "rank": 1, "time": 1.0})
    write("capture-0.jsonl.process9", {"source": "process", "rank": 0, "time": 5.0})
    write("capture-0.jsonl", {"source": "process", "rank": 0, "time": 2.0}, cut_off='{"sou')
    (tmp_path / "capture-0.jsonl.npz").write_bytes(b"no text")
    found = [(capture.rank, capture.began) for capture in read_all(tmp_path)]
    assert found == [(0, 2.0), (0, 5.0), (1, 1.0)]


def test_the_mean_over_ranks_keeps_numbers_of_one_step_apart() -> None:
    # a summary of the training and one of an evaluation may have one name
    ranks = [
        Capture(rank, series=(Series("loss", "summary", (Point(4, a), Point(4, b))),))
        for rank, a, b in ((0, 1.0, 8.0), (1, 3.0, 6.0))
    ]
    assert mean(ranks).series[0].points == (Point(4, 2.0), Point(4, 7.0))


@pytest.mark.parametrize(
    ("pattern", "names", "points"),
    [
        pytest.param(
            r"step (?P<step>\d+) loss (?P<value>\S+)",
            ["loss"],
            [Point(10, 0.5), Point(20, 0.25)],
            id="steps",
        ),
        pytest.param(r"loss (?P<value>\S+)", ["loss"], [Point(1, 0.5), Point(2, 0.25)], id="order"),
        pytest.param(
            r"(?P<series>loss|acc) (?P<value>[\d.]+)",
            ["loss", "acc"],
            [Point(1, 0.5), Point(2, 0.25)],
            id="names",
        ),
        pytest.param(r"nothing (?P<value>\S+)", [], [], id="no-match"),
        pytest.param(r"(?P<value>step) ", [], [], id="no-number"),
    ],
)
def test_numbers_in_the_output(
    tmp_path: Path, pattern: str, names: list[str], points: list[Point]
) -> None:
    log = tmp_path / "log"
    log.write_text("step 10 loss 0.5, acc 0.1\nelse\nstep 20 loss 0.25, acc 0.2\n")
    found = from_output(log, pattern)
    assert [one.name for one in found] == names
    assert list(found[0].points) == points if found else points == []
