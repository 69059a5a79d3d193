"""Several ranks are one run: real processes, as the launchers start them."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from ascendify.zoo import settings
from ascendify.zoo.runs import TrainingRun
from ascendify.zoo.training import checkpoints
from ascendify.zoo.training.evaluation import evaluate_run
from ascendify.zoo.training.loop import train
from ascendify.zoo.training.order import SampleOrder
from support.toy import Config
from support.training_processes import (
    FORKED,
    TOY,
    TRAIN,
    finish,
    python,
    ranks,
    records,
    start,
    wait_for,
)

LAUNCHERS = {
    "ascendify launch": ("-m", "ascendify", "launch", "-n", "2", "--"),
    "ascendify launch with torchrun": (
        *("-m", "ascendify", "launch", "-e", "torchrun", "-n", "2", "--"),
    ),
    "torchrun": ("-m", "torch.distributed.run", "--nproc-per-node", "2"),
}
WORDS = ("data.test=21", "train.ema=0.9", "train.optimizer.clip=0.5", "train.evaluate_batch=4")


def command(launcher: str, folder: Path, *words: str) -> list[str]:
    """How a launcher starts two ranks that train the toy."""
    began = list(LAUNCHERS[launcher])
    if began[-1] == "--":
        # a busy machine needs more time to end kindly than the usual
        given = ("--log-dir", str(folder.parent / "logs"), "--grace", "60")
        began[-1:] = [*given, "--", sys.executable]
    return [*began, *TRAIN, "--out", str(folder), "--device", "cpu", *words]


def alone(folder: Path, *words: str) -> TrainingRun:
    run = TrainingRun(TOY, folder, settings.override(Config(), words))
    train(run, "cpu")
    return run


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_two_ranks_train_what_one_does_with_batches_twice_as_large(
    tmp_path: Path, launcher: str
) -> None:
    one = alone(tmp_path / "one", "train.batch=8", *WORDS)
    code, out, error = python(*command(launcher, tmp_path / "two", "train.batch=4", *WORDS))
    assert code == 0, error
    lines = (tmp_path / "two" / "train.log").read_text().splitlines()
    assert out.splitlines() == lines, "only the first rank tells"
    for kind in ("train", "evaluation"):
        found, expected = records(tmp_path / "two", kind), records(one.folder, kind)
        assert [pytest.approx(record, rel=1e-4) for record in expected] == found
    two = checkpoints.load(tmp_path / "two" / "checkpoints" / "step-00000012.pt")
    for name, weights in checkpoints.load(one.checkpoints / "step-00000012.pt")["model"].items():
        torch.testing.assert_close(two["model"][name], weights)
    result = json.loads((tmp_path / "two" / "result.json").read_text())
    assert (result["RankSize"], result["CaseName"]) == (2, "toy_bs4_2p_acc")


def two(folder: Path, *words: str) -> list[tuple[int, str]]:
    """How two ranks that train the toy end, and what they print."""
    train = ("zoo", "train", TOY, "--out", str(folder), "--device", "cpu")
    return ranks(folder.parent / "logs", *train, *words)


@FORKED
def test_two_ranks_go_on_where_they_were(tmp_path: Path) -> None:
    words = ("train.batch=4", "model.dropout=0.5", "train.ema=0.9")
    for folder, given in (
        ("whole", words),
        ("parts", (*words, "train.steps=4")),
        ("parts", ("--resume", "train.steps=12")),
    ):
        reported = two(tmp_path / folder, *given)
        assert [code for code, _ in reported] == [0, 0], reported
    for kind in ("train", "evaluation"):
        assert records(tmp_path / "parts", kind) == records(tmp_path / "whole", kind)


@FORKED
def test_two_ranks_evaluate_what_one_does(tmp_path: Path) -> None:
    run = alone(tmp_path / "run", "train.steps=3", "train.evaluate_batch=4")
    evaluate = ("zoo", "evaluate", str(run.folder), "--device", "cpu", "--output-format", "json")
    (code, out), other = ranks(tmp_path / "logs", *evaluate)
    assert code == 0, out
    assert other == (0, ""), "only the first rank tells"
    [expected] = records(run.folder, "evaluation")
    found = json.loads(out)
    assert found == pytest.approx(expected)
    assert found["samples"] == 21


@FORKED
@pytest.mark.parametrize("ema", ["none", "0.5"])
def test_what_two_ranks_evaluate_is_what_they_save(tmp_path: Path, ema: str) -> None:
    """Each rank's BatchNorm has seen its own samples; the first one's statistics are kept."""
    words = ("model.norm=true", "train.batch=4", "train.steps=3", "train.evaluate_batch=4")
    reported = two(tmp_path / "run", *words, f"train.ema={ema}")
    assert [code for code, _ in reported] == [0, 0], reported
    run = TrainingRun(TOY, tmp_path / "run", settings.override(Config(), words))
    found = evaluate_run(run, "cpu", "last")
    assert found is not None
    [logged] = records(run.folder, "evaluation")
    assert {"step": 3, **found.values} == pytest.approx(logged)
    kept = checkpoints.load(run.checkpoints / "step-00000003.pt")
    for state in filter(None, (kept["model"], kept["ema"] and kept["ema"]["model"])):
        assert state["1.num_batches_tracked"] == 3
        assert state["1.running_mean"].abs().min() > 0


def test_an_error_in_one_rank_ends_all(tmp_path: Path) -> None:
    order = SampleOrder(64, 4, 1, rank=1, world=2)
    damaged = int(order.indices(2)[0])  # one that only the second rank reads
    words = ("train.batch=4", "train.resident=false", f"data.damaged={damaged}")
    code, _, error = python(*command("ascendify launch", tmp_path / "run", *words))
    assert code == 3
    assert f"error: sample {damaged} is damaged" in (tmp_path / "logs" / "rank-1.log").read_text()
    assert "rank 1" in error


@FORKED
def test_a_rank_that_loses_another_says_so(tmp_path: Path) -> None:
    damaged = int(SampleOrder(64, 4, 1, rank=1, world=2).indices(2)[0])
    words = ("train.batch=4", "train.resident=false", f"data.damaged={damaged}")
    (code, reported), (other, cause) = two(tmp_path / "run", *words)
    assert (code, other) == (2, 2)
    assert f"error: sample {damaged} is damaged" in cause
    assert "error: rank 0 has lost another rank: " in reported
    assert "hint: the output of the rank that exited first says why" in reported


@FORKED
def test_a_loss_that_is_no_number_is_reported_by_the_first_rank(tmp_path: Path) -> None:
    order = SampleOrder(64, 4, 1, rank=1, world=2)
    spoilt = int(order.indices(2)[0])
    words = ("train.batch=4", f"data.spoilt={spoilt}", "train.log_every=5")
    (code, reported), (other, _) = two(tmp_path / "run", *words)
    assert (code, other) == (2, 2)
    assert "error: the loss of step 3 is NaN or infinite" in reported


@pytest.mark.parametrize("launcher", ["ascendify launch", "torchrun"])
def test_an_interrupted_job_has_a_checkpoint(tmp_path: Path, launcher: str) -> None:
    folder = tmp_path / "run"
    endless = ("train.batch=4", "train.steps=1000000", "train.evaluate_every=0")
    process = start(*command(launcher, folder, *endless))
    wait_for(folder / "train.log", "step 20:", process)
    process.send_signal(signal.SIGINT)
    code, _, _ = finish(process)
    assert code != 0
    newest = checkpoints.latest(folder / "checkpoints")
    assert newest is not None
    step = checkpoints.load(newest)["step"]
    assert step >= 20
    logged = [record["step"] for record in records(folder, "train")]
    assert logged == list(range(1, step + 1))


def test_the_emulated_npu_trains_what_the_cpu_does(tmp_path: Path) -> None:
    words = ("model.dropout=0.5", "train.ema=0.9", "train.optimizer.kind=adam")
    one = alone(tmp_path / "cpu", *words)
    npu = ("--out", tmp_path / "npu", "--device", "emulated-npu")
    code, _, error = python(*TRAIN, *npu, *words)
    assert code == 0, error
    assert "emulated-npu" in (tmp_path / "npu" / "result.json").read_text()
    for kind in ("train", "evaluation"):
        expected = records(one.folder, kind)
        assert [pytest.approx(r, rel=1e-5) for r in expected] == records(tmp_path / "npu", kind)


def test_two_emulated_npus_train_what_one_cpu_does(tmp_path: Path) -> None:
    one = alone(tmp_path / "cpu", "train.batch=8")
    code, _, error = python(
        *("-m", "ascendify", "launch", "--emulate", "-n", "2", "--log-dir", tmp_path / "logs"),
        *(
            "--",
            sys.executable,
            *TRAIN,
            "--out",
            tmp_path / "npu",
            "--device",
            "npu",
            "train.batch=4",
        ),
    )
    assert code == 0, error
    expected = records(one.folder, "train")
    assert [pytest.approx(r, rel=1e-4) for r in expected] == records(tmp_path / "npu", "train")
