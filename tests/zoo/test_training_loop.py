"""A run: what it writes, how it goes on, when it stops. One rank, in this process."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch.nn import functional

from ascendify.errors import UsageError
from ascendify.zoo import runs, settings, trained_model
from ascendify.zoo.runs import TrainingRun
from ascendify.zoo.training import checkpoints
from ascendify.zoo.training.evaluation import evaluate_run
from ascendify.zoo.training.interruption import Interruption
from ascendify.zoo.training.loop import train
from ascendify.zoo.training.stopping import PlateauStopping
from support.toy import Config, Toy
from support.training_processes import TOY, records


def run_of(folder: Path, *words: str) -> TrainingRun:
    return TrainingRun(TOY, folder, settings.override(Config(), words))


def trained_run(folder: Path, *words: str, device: str = "cpu") -> TrainingRun:
    run = run_of(folder, *words)
    train(run, device)
    return run


def state(run: TrainingRun, step: int) -> dict[str, Any]:
    return checkpoints.load(run.checkpoints / f"step-{step:08d}.pt")


def same(one: Any, other: Any) -> bool:
    """Whether two states are the same, bit for bit."""
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


RESUMED = {
    "as it is": (),
    "dropout": ("model.dropout=0.5",),
    "average": ("train.ema=0.9", "model.dropout=0.5"),
    "adam": ("train.optimizer.kind=adam", "train.optimizer.clip=0.1"),
    "adadelta": ("train.optimizer.kind=adadelta",),
    "cosine": ("train.schedule.kind=cosine", "train.schedule.warmup=3"),
    "read in turn": ("train.resident=false", "train.workers=2", "model.dropout=0.5"),
    "bf16": ("train.precision=bf16",),
    "dynamic scale": (
        *("train.precision=bf16", "train.loss_scale.kind=dynamic", "train.loss_scale.grow_every=4"),
        *("train.loss_scale.value=1e38", "train.loss_scale.shrink_every=2"),
    ),
    "channels last": ("train.channels_last=true",),
    "plateau": ("train.plateau=99",),
}


@pytest.mark.parametrize("words", RESUMED.values(), ids=RESUMED)
def test_a_run_that_goes_on_is_the_run_that_was_never_interrupted(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    whole = trained_run(tmp_path / "whole", "train.save_every=1", "train.keep=99", *words)
    shutil.copytree(whole.folder, tmp_path / "halves")
    halves = TrainingRun(whole.network, tmp_path / "halves", whole.config)
    for step in range(6, 13):  # as if it had ended after the fifth
        (halves.checkpoints / f"step-{step:08d}.pt").unlink()
    train(halves, "cpu")
    assert same(state(halves, 12), state(whole, 12))
    for kind in ("train", "evaluation"):
        assert records(halves.folder, kind) == records(whole.folder, kind)


def test_states_that_differ_are_reported_apart(tmp_path: Path) -> None:
    one = trained_run(tmp_path / "one", "train.steps=2")
    other = trained_run(tmp_path / "other", "train.steps=2", "train.seed=2")
    assert not same(state(one, 2)["model"], state(other, 2)["model"])


def test_n_steps_and_n_more_are_two_n(tmp_path: Path) -> None:
    whole = trained_run(tmp_path / "whole")
    trained_run(tmp_path / "parts", "train.steps=4")
    requested = runs.TrainingRequest(
        TOY, tmp_path / "parts", overrides=["train.steps=12"], resume=True
    )
    parts = runs.plan(requested)
    train(parts, "cpu")
    assert same({**state(parts, 12), "config": None}, {**state(whole, 12), "config": None})
    assert records(parts.folder, "train") == records(whole.folder, "train")


def test_a_run_learns_and_writes_down_what_it_came_to(tmp_path: Path) -> None:
    lines: list[str] = []
    run = run_of(
        tmp_path / "run", "train.steps=200", "train.log_every=50", "train.evaluate_every=0"
    )
    train(run, "cpu", print_line=lines.append)
    assert [line.partition(":")[0] for line in lines[:4]] == [
        *("step 50", "step 100", "step 150", "step 200"),
    ]
    assert (run.folder / "train.log").read_text().splitlines() == lines
    losses = [record["loss"] for record in records(run.folder, "train")]
    assert losses[-1] < 0.2
    result = json.loads(run.result.read_text())
    [evaluation] = records(run.folder, "evaluation")
    assert result["TrainAccuracy"] == evaluation["accuracy"] > 0.8
    assert result["ActualLoss"] == losses[-1]
    assert result["Metrics"] == {name: evaluation[name] for name in ("samples", "accuracy", "loss")}
    reported = {name: result[name] for name in ("Network", "RankSize", "BatchSize", "DeviceType")}
    assert reported == {"Network": "toy", "RankSize": 1, "BatchSize": 8, "DeviceType": "cpu"}
    assert result["CaseName"] == "toy_bs8_1p_acc"
    assert result["TrainingTime"] == pytest.approx(8 * 1000 / result["ActualFPS"])
    assert result["E2ETrainingTime"] > 0
    assert list((run.folder / "tensorboard").iterdir())


@pytest.mark.parametrize(("graph", "reported"), [("true", 1), ("false", 0)])
def test_the_log_says_where_steps_are_not_captured(
    tmp_path: Path, graph: str, reported: int
) -> None:
    lines: list[str] = []
    words = ("train.steps=1", "train.optimizer.kind=adadelta", f"train.graph={graph}")
    train(run_of(tmp_path / "run", *words), "cpu", print_line=lines.append)
    said = "train.graph is not used: it is for one GPU, and this is 1 x cpu"
    assert lines.count(said) == reported


def test_a_quiet_run_says_nothing_and_writes_the_same(tmp_path: Path) -> None:
    said: list[str] = []
    run = run_of(tmp_path / "run", "train.steps=2")
    train(run, "cpu", print_line=said.append, quiet=True)
    assert said == []
    assert "step 2" in (run.folder / "train.log").read_text()


@pytest.mark.parametrize("batch", [1, 4, 8, 21, 64])
@pytest.mark.parametrize("ema", ["none", "0.5"])
def test_an_evaluation_counts_every_sample_once(tmp_path: Path, batch: int, ema: str) -> None:
    run = trained_run(
        tmp_path / "run", "train.steps=3", f"train.evaluate_batch={batch}", f"train.ema={ema}"
    )
    recipe = Toy(run.config)
    kept = state(run, 3)
    model = recipe.model().eval()
    model.load_state_dict(kept["model"] if ema == "none" else kept["ema"]["model"])
    data = recipe.data("test", None)
    values = torch.stack([torch.from_numpy(data[i]["values"]) for i in range(len(data))])
    labels = torch.tensor([data[i]["label"] for i in range(len(data))])
    with torch.no_grad():
        logits = model(values)
    [reported] = records(run.folder, "evaluation")
    assert reported["samples"] == 21
    assert reported["accuracy"] == float((logits.argmax(1) == labels).double().mean())
    assert reported["loss"] == pytest.approx(float(functional.cross_entropy(logits, labels)))
    again = evaluate_run(run, "cpu", "last")
    assert again is not None
    assert (again.step, again.values) == (
        3,
        {k: reported[k] for k in ("samples", "accuracy", "loss")},
    )


def test_the_average_is_evaluated_and_not_the_weights(tmp_path: Path) -> None:
    words = ("train.steps=4", "train.optimizer.lr=0.5")
    plain = trained_run(tmp_path / "plain", *words)
    averaged = trained_run(tmp_path / "averaged", *words, "train.ema=0.999")
    assert same(state(plain, 4)["model"], state(averaged, 4)["model"])
    assert records(plain.folder, "evaluation") != records(averaged.folder, "evaluation")
    found = trained_model.load(averaged)
    assert same(found.model.state_dict(), state(averaged, 4)["ema"]["model"])
    assert found.extras == {"names": ["below", "above"]}


@pytest.mark.parametrize("resident", ["true", "false"])
@pytest.mark.parametrize("log_every", [1, 5, 100])
def test_a_loss_that_is_no_number_ends_the_run_and_is_never_saved(
    tmp_path: Path, resident: str, log_every: int
) -> None:
    run = run_of(
        tmp_path / "run",
        *("data.spoilt=5", f"train.log_every={log_every}", f"train.resident={resident}"),
        *("train.save_every=1", "train.evaluate_every=0"),
    )
    from ascendify.zoo.training.order import SampleOrder

    order = SampleOrder(64, 8, run.config.train.seed)
    step = next(step for step in range(12) if 5 in order.indices(step)) + 1
    with pytest.raises(UsageError) as caught:
        train(run, "cpu")
    assert caught.value.message == f"the loss of step {step} is NaN or infinite"
    assert "train.optimizer.lr" in caught.value.hint
    newest = checkpoints.latest(run.checkpoints)
    saved = 0 if newest is None else checkpoints.load(newest)["step"]
    assert saved == step - 1


def test_a_loss_of_fp16_may_be_bad_while_the_scale_can_fall(tmp_path: Path) -> None:
    words = ("train.loss_scale.kind=dynamic", "train.loss_scale.shrink_every=1")
    run = trained_run(tmp_path / "run", *words, "train.loss_scale.value=1e38", "train.steps=12")
    assert float(state(run, 12)["scale"]["scale"]) < 1e38
    assert all(record["loss"] < 10 for record in records(run.folder, "train"))


def test_training_stops_when_evaluations_get_no_better(tmp_path: Path) -> None:
    run = trained_run(
        tmp_path / "run",
        *("train.steps=40", "train.evaluate_every=2", "train.patience=3", "train.optimizer.lr=0"),
    )
    assert [record["step"] for record in records(run.folder, "evaluation")] == [2, 4, 6, 8]
    assert checkpoints.load(trained_model.find(run, "best"))["step"] == 2
    assert checkpoints.load(trained_model.find(run, "last"))["step"] == 8
    assert json.loads(run.result.read_text())["Steps"] == 8
    train(run, "cpu")  # goes on, and is complete
    assert [record["step"] for record in records(run.folder, "evaluation")] == [2, 4, 6, 8]


def test_training_stops_where_the_guides_rule_says(tmp_path: Path) -> None:
    words = ("train.steps=400", "train.evaluate_every=0", "train.optimizer.lr=0")
    run = trained_run(tmp_path / "run", *words, "train.plateau=6")
    losses = [record["loss"] for record in records(run.folder, "train")]
    rule = PlateauStopping(6)
    stops = []
    for loss in losses:
        rule.update(loss)
        stops.append(rule.stop)
    assert stops == [False] * (len(losses) - 1) + [True]
    assert json.loads(run.result.read_text())["Steps"] == len(losses) < 400
    assert [record["step"] for record in records(run.folder, "evaluation")] == [len(losses)]
    train(run, "cpu")  # goes on, and is complete
    assert len(records(run.folder, "train")) == len(losses)


def test_a_run_that_stops_between_two_lines_tells_its_last_step(tmp_path: Path) -> None:
    run = trained_run(
        tmp_path / "run",
        *("train.steps=40", "train.evaluate_every=1", "train.log_every=30"),
        *("train.patience=1", "train.optimizer.lr=0"),
    )
    [reported] = records(run.folder, "train")
    result = json.loads(run.result.read_text())
    assert (result["Steps"], result["ActualLoss"]) == (reported["step"], reported["loss"])
    assert result["ActualFPS"] > 0


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_complete_run_stays_as_it_is(tmp_path: Path) -> None:
    run = trained_run(tmp_path / "run", "train.steps=2")
    before = content(tmp_path)
    said: list[str] = []
    train(run, "cpu", print_line=said.append)
    assert said == [f"{run.folder} is complete after 2 steps"]
    assert content(tmp_path) == before


def test_a_run_that_cannot_go_on_stays_as_it_is(tmp_path: Path) -> None:
    trained_run(tmp_path, "train.steps=2")
    before = content(tmp_path)
    words = ["train.steps=4", "train.batch=65"]
    run = runs.plan(runs.TrainingRequest(TOY, tmp_path, overrides=words, resume=True))
    with pytest.raises(UsageError, match="a step takes 65 samples"):
        train(run, "cpu")
    assert content(tmp_path) == before


def test_a_record_cut_short_is_forgotten(tmp_path: Path) -> None:
    run = trained_run(tmp_path / "run", "train.steps=2")
    with (run.folder / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "train", "st')
    requested = runs.TrainingRequest(TOY, run.folder, overrides=["train.steps=3"], resume=True)
    train(runs.plan(requested), "cpu")
    assert [record["step"] for record in records(run.folder, "train")] == [1, 2, 3]


def test_an_average_that_begins_later_begins_with_the_weights(tmp_path: Path) -> None:
    trained_run(tmp_path, "train.steps=2")
    words = ["train.steps=3", "train.ema=0.999", "train.optimizer.lr=0"]
    run = runs.plan(runs.TrainingRequest(TOY, tmp_path, overrides=words, resume=True))
    train(run, "cpu")
    assert same(state(run, 3)["ema"]["model"], state(run, 2)["model"])


def test_a_second_signal_ends_at_once_unless_it_is_the_same_wish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        assert interruption.signal == signal.SIGINT
        assert interruption.error("a", "b").exit_code == 130
        monkeypatch.setattr("ascendify.zoo.training.interruption._SAME_SECONDS", -1.0)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_too_little_memory_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loss(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has")

    monkeypatch.setattr(Toy, "loss", loss)
    with pytest.raises(UsageError) as caught:
        train(run_of(tmp_path / "run"), "cpu")
    assert (caught.value.message, caught.value.hint) == (
        "cpu has too little memory: CUDA out of memory",
        "set a lower train.batch, train.precision=bf16 or train.resident=false",
    )


def test_a_damaged_sample_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="sample 7 is damaged"):
        train(run_of(tmp_path / "run", "data.damaged=7"), "cpu")


@pytest.mark.parametrize(
    ("requested", "message", "hint"),
    [
        ({}, "OUT has a run already", "--resume goes on with it; or name another --out"),
        ({"resume": True, "preset": "wide"},
         "the model of OUT is trained already, and cannot be changed",
         "leave out what changes model., or name another --out"),
        ({"resume": True, "overrides": ["model.width=3"]},
         "the model of OUT is trained already, and cannot be changed",
         "leave out what changes model., or name another --out"),
        ({"resume": True, "overrides": ["train.optimizer.kind=adam"]},
         "OUT has the moments of sgd, with which adam cannot go on",
         "leave out what changes train.optimizer.kind, or name another --out"),
        ({"resume": True, "network": "crnn"}, f"OUT is a run of {TOY}, not of crnn",
         "name that network, or another --out"),
    ],
)  # fmt: skip
def test_what_a_folder_with_a_run_refuses(
    tmp_path: Path, requested: dict[str, Any], message: str, hint: str
) -> None:
    trained_run(tmp_path, "train.steps=1")
    with pytest.raises(UsageError) as caught:
        runs.plan(runs.TrainingRequest(**{"network": TOY, "folder": tmp_path, **requested}))
    assert (caught.value.message.replace(str(tmp_path), "OUT"), caught.value.hint) == (
        message,
        hint,
    )


def test_a_run_that_never_came_to_a_checkpoint_can_be_begun_again(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        train(run_of(tmp_path, "train.batch=65"), "cpu")
    run = runs.plan(runs.TrainingRequest(TOY, tmp_path, overrides=["train.steps=1"]))
    train(run, "cpu")
    assert [record["step"] for record in records(tmp_path, "train")] == [1]


def test_one_command_begins_a_run_and_goes_on_with_it(tmp_path: Path) -> None:
    requested = runs.TrainingRequest(
        TOY, tmp_path, "wide", overrides=["train.steps=2"], resume=True
    )
    first = runs.plan(requested)
    train(first, "cpu")
    second = runs.plan(requested)
    assert (second.config, second.config.model.width) == (first.config, 32)


def test_the_file_of_a_run_begins_another(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", "train.steps=3", "model.width=5")
    first.save()
    requested = runs.TrainingRequest(TOY, tmp_path / "second", file=first.folder / "config.json")
    assert runs.plan(requested).config == first.config
    with pytest.raises(UsageError, match=f"is of a run of {TOY}, not of crnn"):
        runs.plan(
            runs.TrainingRequest("crnn", tmp_path / "third", file=first.folder / "config.json")
        )
