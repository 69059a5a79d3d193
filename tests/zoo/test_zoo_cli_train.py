"""``ascendify zoo`` as a user's shell runs it."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
from pathlib import Path

import pytest

from ascendify.cli import main
from ascendify.cli.app import run
from support.training_processes import FORKED, TESTS, TOY, TRAIN, fork, python, records, wait_for

installed = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")


@pytest.fixture(autouse=True)
def _toy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)


def test_the_list_needs_no_pytorch() -> None:
    code, out, error = python(
        "-c",
        "import sys; sys.modules['torch'] = None\n"
        "from ascendify.cli.app import run; sys.exit(run(['zoo', 'list']))",
    )
    assert (code, error) == (0, "")
    assert out.splitlines()[0] == (
        "crnn           CRNN: a word in a picture, read with CTC (8.73 M parameters)"
    )
    assert "\n  tiny         a CPU, under a minute\n" in out


def test_the_list_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["zoo", "list", "--output-format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    names = ["crnn", "attention-ocr", "resnet50", "alexnet", "wide-resnet", "bit"]
    assert [network["name"] for network in listed] == names
    assert {*listed[0]} == {"name", "title", "parameters", "presets"}


@pytest.mark.parametrize("command", [["train", "crnn", "--out", "x"], ["evaluate", "x"]])
def test_without_pytorch_two_lines_say_what_to_install(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> object:
        return None if name in ("torch", "accelerate") else there(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    assert run(["zoo", *command]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: the zoo needs torch, accelerate, which Python does not find here",
        "hint: pip install 'ascendify[zoo]'",
    ]


@installed
@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (["cnn"], "unknown network cnn", "did you mean crnn?"),
        ([TOY, "--preset", "wid"], "toy has no preset wid", "did you mean wide?"),
        ([TOY, "train.step=3"], "there is no setting train.step",
         "did you mean train.steps?"),
        ([TOY, "--config", "no.json"], "cannot read no.json: No such file or directory",
         "name a file"),
        ([TOY, "--data", "nowhere"], "--data nowhere is not a folder",
         "name the folder of the data"),
        ([TOY, "--device", "gpu"], "unknown device gpu",
         "it is one of auto, cpu, cuda, npu, emulated-npu"),
        ([TOY, "--device", "npu"],
         "torch_npu is not installed, so there is no NPU for PyTorch",
         "pip install torch-npu on a machine with CANN, or --device emulated-npu"),
        ([TOY, "--device", "cpu", "train.batch=65"],
         "a step takes 65 samples (train.batch=65, 1 rank), and the training set has 64",
         "set train.batch from 1 to 64"),
        ([TOY, "--device", "cpu", "data.test=0"], "the data set has no samples",
         "check the folder of --data"),
        ([TOY, "--device", "cpu", "train.schedule.kind=staircase"],
         "train.schedule.every=0: a staircase needs steps between two stairs",
         "set train.schedule.every to 1 or more"),
        ([TOY, "train.schedule.warmup=50", "train.steps=40"],
         "train.schedule.warmup=50 does not end before train.steps=40",
         "make the warm-up shorter or the run longer"),
        ([TOY, "train.optimizer.nesterov=true", "train.optimizer.momentum=0"],
         "train.optimizer.nesterov=true needs a momentum, and train.optimizer.momentum is 0",
         "set train.optimizer.momentum=0.9, or train.optimizer.nesterov=false"),
        ([TOY, "train.graph=true", "train.precision=fp16", "train.loss_scale.kind=dynamic",
          "train.optimizer.kind=adadelta"],
         "train.graph=true does not work with train.loss_scale.kind=dynamic and "
         "train.optimizer.kind=adadelta, which cannot skip a bad step on the device",
         "set train.graph=false, or another optimizer: sgd, adam, adamw"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_in_two_lines(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    error: str,
    hint: str,
) -> None:
    assert run(["zoo", "train", *arguments, "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err.splitlines() == [f"error: {error}", f"hint: {hint}"]


@installed
@pytest.mark.parametrize(
    "words",
    [
        ["train.schedule.warmup=50", "train.steps=40"],
        ["train.graph=true", "train.loss_scale.kind=static", "train.optimizer.kind=adadelta"],
    ],
)
def test_settings_that_do_not_fit_leave_no_folder(tmp_path: Path, words: list[str]) -> None:
    assert run(["zoo", "train", TOY, "--out", str(tmp_path / "run"), *words]) == 2
    assert not (tmp_path / "run").exists()


@installed
def test_a_gpu_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    reported = []
    for version in (None, "13.0"):
        monkeypatch.setattr(torch.version, "cuda", version)
        train = [
            "zoo",
            "train",
            TOY,
            "--out",
            str(tmp_path / "run"),
            "--device",
            "cuda",
        ]
        assert run(train) == 2
        reported.append(capsys.readouterr().err.splitlines()[0])
    assert reported == [
        f"error: PyTorch {torch.__version__} here is built without CUDA",
        "error: PyTorch finds no CUDA GPU",
    ]


@installed
def test_a_torch_npu_that_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "torch_npu.py").write_text("raise ImportError('libhccl.so: cannot open')\n")
    path = f"{TESTS}:{tmp_path}"
    npu = (*TRAIN, "--out", tmp_path / "run", "--device", "npu")
    # PyTorch itself would import it, as a device backend, were it installed
    assert python(*npu, PYTHONPATH=path) == (
        2,
        "",
        "error: torch_npu cannot be imported: ImportError: libhccl.so: cannot open\n"
        "hint: source the set_env.sh of CANN; ascendify doctor examines more\n",
    )


@installed
def test_train_resume_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "run")
    train = ["zoo", "train", TOY, "--out", folder, "--device", "cpu"]
    assert run([*train, "--preset", "wide", "train.steps=4", "model.dropout=0.1"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in out[:5]] == [
        *("step 1", "step 2", "step 3", "step 4", "step 4"),
    ]
    assert out[-1] == f"4 steps done; the result is in {folder}/result.json"

    assert run(train) == 2
    assert f"error: {folder} has a run already" in capsys.readouterr().err

    assert run([*train, "--resume", "--quiet", "train.steps=8"]) == 0
    assert capsys.readouterr().out == ""
    assert [record["step"] for record in records(tmp_path / "run", "train")] == list(range(1, 9))
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (config["network"], config["source"]) == (TOY, None)
    assert config["config"]["model"]["width"] == 32
    assert config["config"]["train"]["steps"] == 8

    evaluated = {record["step"]: record for record in records(tmp_path / "run", "evaluation")}
    evaluate = ["zoo", "evaluate", folder, "--device", "cpu"]
    json_of = ["--output-format", "json"]
    for checkpoint, step in (("last", 8), ("step-00000004.pt", 4)):
        assert run([*evaluate, "--checkpoint", checkpoint, *json_of]) == 0
        assert json.loads(capsys.readouterr().out) == evaluated[step]
    assert run(evaluate) == 0
    best = max(evaluated.values(), key=lambda record: (record["accuracy"], -record["step"]))
    assert capsys.readouterr().out == (
        f"step {best['step']}: accuracy {best['accuracy']:.4f} of 21\n"
    )


@installed
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["nowhere"], "nowhere is not a run: it has no config.json"),
        (["RUN", "--checkpoint", "step-9.pt"], "step-9.pt: no such checkpoint"),
    ],
)
def test_evaluations_that_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], error: str
) -> None:
    folder = str(tmp_path / "run")
    train = ["zoo", "train", TOY, "--out", folder, "--device", "cpu", "train.steps=1"]
    assert run(train) == 0
    capsys.readouterr()
    named = [folder if word == "RUN" else word for word in arguments]
    assert run(["zoo", "evaluate", *named, "--device", "cpu"]) == 2
    reported, hint = capsys.readouterr().err.splitlines()
    assert reported == f"error: {error}"
    assert ("step-00000001.pt, best.pt" in hint) == ("RUN" in arguments)


@installed
def test_a_run_without_a_checkpoint_cannot_be_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt = ["zoo", "train", TOY, "--out", str(tmp_path), "--device", "cpu"]
    assert run([*spoilt, "data.damaged=3"]) == 2
    assert run(["zoo", "evaluate", str(tmp_path), "--device", "cpu"]) == 2
    assert f"error: {tmp_path} has no checkpoint" in capsys.readouterr().err


@installed
def test_ctrl_c_saves_the_step_it_is_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = ["zoo", "train", TOY, "--out", str(tmp_path / "run"), "--device", "cpu"]
    words = ["train.resident=false", "train.workers=0", "train.evaluate_every=0"]
    from ascendify.zoo.training.order import SampleOrder

    order = SampleOrder(64, 8, 1)
    third = int(order.indices(2)[0])
    before = signal.getsignal(signal.SIGINT)
    assert run([*train, *words, f"data.interrupted={third}"]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr().err.splitlines() == [
        "error: interrupted after step 3 of 12",
        f"hint: {tmp_path / 'run' / 'checkpoints'} has a checkpoint of it; --resume goes on",
    ]
    assert run([*train, "--resume", "data.interrupted=-1"]) == 0
    assert run([*train[:4], str(tmp_path / "whole"), *train[5:], *words]) == 0
    for kind in ("train", "evaluation"):
        assert records(tmp_path / "run", kind) == records(tmp_path / "whole", kind)


@FORKED
@installed
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "ended"]
)
@pytest.mark.parametrize("workers", [0, 2])
def test_a_process_that_is_signalled_saves_and_ends(
    tmp_path: Path, number: signal.Signals, code: int, workers: int
) -> None:
    running = fork(
        *(tmp_path / "reported", *("zoo", "train", TOY, "--out"), tmp_path / "run"),
        *("--device", "cpu", "--quiet", "train.steps=1000000", "train.evaluate_every=0"),
        *("train.resident=false", f"train.workers={workers}"),
    )
    wait_for(tmp_path / "run" / "train.log", "step 20:", running)
    assert running.process.pid is not None
    os.killpg(running.process.pid, number)  # as a terminal does, and schedulers
    found, reported = running.finish()
    step = records(tmp_path / "run", "train")[-1]["step"]
    assert found == code, reported
    assert f"error: interrupted after step {step} of 1000000" in reported.splitlines()
    saved = [path.name for path in (tmp_path / "run" / "checkpoints").iterdir()]
    assert saved == [f"step-{step:08d}.pt"]


@installed
@pytest.mark.parametrize(("command", "code"), [(["list"], 0), (["evaluate", "nowhere"], 2)])
def test_a_rank_on_gloo_does_not_wait_for_pythons_end(
    monkeypatch: pytest.MonkeyPatch, command: list[str], code: int
) -> None:
    """Which aborts now and then, whether the rank has done its work or failed."""
    from ascendify.zoo import device

    left: list[int] = []
    monkeypatch.setattr(device, "_is_gloo", lambda: True)
    monkeypatch.setattr(os, "_exit", left.append)
    main(["zoo", *command])
    assert left == [code]


def test_the_command_line_loads_no_pytorch() -> None:
    code, out, _ = python(
        "-c",
        "import sys; from ascendify.cli.app import run; run(['zoo', '--help'])\n"
        "assert not {'torch', 'accelerate', 'ascendify.zoo'} & set(sys.modules)",
    )
    assert code == 0
    assert "evaluate" in out
