"""``ascendify zoo export``: a file that says what the network says, and how to use it."""

from __future__ import annotations

import copy
import fnmatch
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")
import onnx
import onnxruntime  # type: ignore[import-untyped]
import torch
from torch import nn

from ascendify.cli.app import run as ascendify
from ascendify.errors import UsageError
from ascendify.zoo import export as exporting
from ascendify.zoo import networks, settings, trained_model
from ascendify.zoo.attention_ocr.model import normalise as attention_normalised
from ascendify.zoo.crnn.model import normalise as crnn_normalised
from ascendify.zoo.export import OPSET, export
from ascendify.zoo.runs import TrainingRun
from ascendify.zoo.text.decoding import ctc_greedy
from ascendify.zoo.training.loop import train
from support.toy import Config, Toy

pytestmark = pytest.mark.xdist_group("export")  # all export the same networks
NORMALISED = {"crnn": crnn_normalised, "attention-ocr": attention_normalised}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, TrainingRun]:
    """Networks that have seen two batches; their averages are what is exported."""
    found = {}
    for name in NORMALISED:
        config = networks.preset(networks.find(name), "tiny")
        words = (
            *("train.steps=2", "train.schedule.warmup=0", "train.ema=0.5"),
            *("train.save_every=1", "data.samples=64", "data.test_samples=4"),
        )
        found[name] = TrainingRun(
            name, tmp_path_factory.mktemp(name), settings.override(config, words)
        )
        train(found[name], "cpu", quiet=True)
    return found


@pytest.fixture(scope="module")
def written() -> dict[tuple[object, ...], onnx.ModelProto]:
    """What torch has written so far, which takes seconds each time."""
    return {}


@pytest.fixture
def _written_once(
    written: dict[tuple[object, ...], onnx.ModelProto], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For tests of everything else: a model that was traced is not traced again."""
    traced = exporting._trace

    def once(
        found: trained_model.TrainedModel, inputs: tuple[torch.Tensor, ...], opset: int
    ) -> Any:
        newer = max(opset, exporting._TRACED)
        key = (found.recipe.name, found.step, type(found.model), inputs[0].shape, newer)
        if key not in written:
            written[key] = traced(found, inputs, opset)
        return copy.deepcopy(written[key])

    monkeypatch.setattr(exporting, "_trace", once)


once = pytest.mark.usefixtures("_written_once")


def reported(path: Path, images: torch.Tensor) -> torch.Tensor:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return torch.from_numpy(session.run(["logits"], {"images": images.numpy()})[0])


def metadata(path: Path) -> dict[str, str]:
    return {each.key: each.value for each in onnx.load(path).metadata_props}


@once
@pytest.mark.parametrize("opset", [OPSET, 15, 18, 20])
@pytest.mark.parametrize("name", NORMALISED)
def test_a_file_says_what_the_network_says(
    runs: Mapping[str, TrainingRun], tmp_path: Path, name: str, opset: int
) -> None:
    path = tmp_path / "model.onnx"
    found = export(runs[name], path, batch=3, checkpoint="last", opset=opset)
    onnx.checker.check_model(path, full_check=True)
    [version] = onnx.load(path).opset_import
    assert (version.domain, version.version) == ("", opset)

    model = trained_model.load(runs[name], "last").model
    images = torch.rand(found.inputs["images"], generator=torch.Generator().manual_seed(5))
    with torch.no_grad():
        expected = model(images)
    assert torch.allclose(reported(path, images), expected, rtol=1e-4, atol=1e-5)
    assert list(expected.shape) == found.outputs["logits"]
    assert 0 <= found.difference.relative < 1e-4
    assert found.size == path.stat().st_size
    assert list(tmp_path.iterdir()) == [path]


@once
@pytest.mark.parametrize("name", NORMALISED)
def test_a_file_alone_is_enough_to_prepare_a_picture(
    runs: Mapping[str, TrainingRun], tmp_path: Path, name: str
) -> None:
    path = tmp_path / "model.onnx"
    found = export(runs[name], path, batch=3)
    notes = metadata(path)
    assert notes == dict(found.metadata)
    assert (notes["network"], notes["step"]) == (name, "2")
    assert json.loads(notes["characters"]) == [*"0123456789", ""]
    assert "class 10" in notes["decoding"]
    assert {"images", "logits"} < set(notes)

    _, _, height, width = found.inputs["images"]
    pixels = np.random.default_rng(0).integers(0, 256, (3, height, width, 3), np.uint8)
    rule = json.loads(notes["normalisation"])
    mine = pixels.transpose(0, 3, 1, 2).astype(np.float32) * rule["times"] + rule["plus"]
    assert np.allclose(mine, NORMALISED[name](torch.from_numpy(pixels)).numpy(), atol=1e-6)


@once
def test_the_rule_for_reading_crnn_is_how_it_is_read(
    runs: Mapping[str, TrainingRun], tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    export(runs["crnn"], path, batch=3)
    logits = reported(path, torch.randn(3, 3, 32, 64, generator=torch.Generator().manual_seed(1)))
    characters = json.loads(metadata(path)["characters"])
    best = logits.argmax(2).T.tolist()
    mine = [
        "".join(characters[k] for k, before in zip(steps, [None, *steps]) if k != before)
        for steps in best
    ]
    theirs = ["".join(characters[k] for k in text) for text in ctc_greedy(logits, 10).texts()]
    assert mine == theirs


@once
def test_nothing_of_this_machine_is_in_a_file(
    runs: Mapping[str, TrainingRun], tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    export(runs["attention-ocr"], path, batch=3)
    content = path.read_bytes()
    for mark in (str(Path(exporting.__file__).parents[2]), str(Path(torch.__file__).parent), ".py"):
        assert mark.encode() not in content


@once
@pytest.mark.parametrize(("checkpoint", "step"), [("last", "2"), ("step-00000001.pt", "1")])
def test_the_checkpoint_that_was_named(
    runs: Mapping[str, TrainingRun], tmp_path: Path, checkpoint: str, step: str
) -> None:
    path = tmp_path / "new" / "model.onnx"
    export(runs["crnn"], path, checkpoint=checkpoint)
    assert metadata(path)["step"] == step


# --- what cannot be


def _not_a_number(runs: Mapping[str, TrainingRun], monkeypatch: pytest.MonkeyPatch) -> None:
    def off(found: Any, inputs: Any, opset: int) -> Any:
        model = traced(found, inputs, opset)
        for each in model.graph.initializer:
            if each.name == "output.weight" or each.dims[-1:] == [11]:
                values = onnx.numpy_helper.to_array(each)
                each.raw_data = (values * np.float32("nan")).tobytes()
        return model

    traced = exporting._trace
    monkeypatch.setattr(exporting, "_trace", off)


def _a_little_off(runs: Mapping[str, TrainingRun], monkeypatch: pytest.MonkeyPatch) -> None:
    load = trained_model.load

    class Off(nn.Module):
        """Another model when it is traced than when it is run."""

        def __init__(self, model: nn.Module) -> None:
            super().__init__()
            self.model = model

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(images)
            return logits * 1.01 if torch.compiler.is_exporting() else logits

    def off(*words: Any) -> trained_model.TrainedModel:
        found = load(*words)
        return trained_model.TrainedModel(
            found.recipe, Off(found.model).eval(), found.step, found.extras
        )

    monkeypatch.setattr(trained_model, "load", off)


@once
@pytest.mark.parametrize(
    ("spoil", "found"),
    [(_not_a_number, "nan from the trained one"), (_a_little_off, "(0.01 of its largest output")],
)
def test_a_file_that_would_say_otherwise_is_not_written(
    runs: Mapping[str, TrainingRun],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Any,
    found: str,
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"as it was")
    spoil(runs, monkeypatch)
    with pytest.raises(UsageError) as caught:
        export(runs["crnn"], path)
    assert found in caught.value.message
    assert path.read_bytes() == b"as it was"
    assert list(tmp_path.iterdir()) == [path]


@once
def test_a_file_is_replaced_by_a_whole_one(runs: Mapping[str, TrainingRun], tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"as it was")
    export(runs["crnn"], path)
    onnx.checker.check_model(path)


@once
def test_a_full_disk_leaves_the_file_as_it_was(
    runs: Mapping[str, TrainingRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"as it was")

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError) as caught:
        export(runs["crnn"], path)
    assert caught.value.message == f"{path} cannot be written: No space left on device"
    assert path.read_bytes() == b"as it was"
    assert list(tmp_path.iterdir()) == [path]


class Unexported(Toy):
    """Has no example inputs."""


class Turned(Toy):
    """Has a step of which ONNX has no operator."""

    def example_inputs(self, samples: int) -> tuple[torch.Tensor, ...]:
        return (torch.zeros(samples, 6),)

    def model(self) -> nn.Module:
        return nn.Sequential(super().model(), _Turning())


class _Turning(nn.Module):
    def forward(self, values: torch.Tensor) -> torch.Tensor:
        turned: torch.Tensor = torch.linalg.eigvals(torch.eye(2)).real.sum() * values
        return turned


@pytest.mark.parametrize(
    ("network", "message", "hint"),
    [
        ("Unexported", "toy has no export", "give its recipe a method example_inputs"),
        ("Turned", "toy cannot be written with opset 13: ", "try --opset 18"),
    ],
)
def test_networks_that_cannot_be(tmp_path: Path, network: str, message: str, hint: str) -> None:
    run = TrainingRun(
        f"{__name__}:{network}", tmp_path, settings.override(Config(), ["train.steps=1"])
    )
    train(run, "cpu", quiet=True)
    with pytest.raises(UsageError) as caught:
        export(run, tmp_path / "model.onnx")
    assert caught.value.message.startswith(message)
    assert caught.value.hint == hint


# --- the command


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["--checkpoint", "none.pt"], "*none.pt: no such checkpoint", "there are *"),
        (["--checkpoint", "OTHER/checkpoints/step-00000002.pt"],
         "OTHER/checkpoints/step-00000002.pt is of another model: *", "take one of this run"),
        (["--out", "OUT/file/model.onnx"], "OUT/file/model.onnx cannot be written: *",
         "name another file with --out"),
        (["--out", "OUT"], "OUT is a folder", "name a file, such as model.onnx"),
        (["--opset", "99"], f"onnx {onnx.__version__} has no opset 99",
         f"its newest is {onnx.defs.onnx_opset_version()}"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_in_two_lines(
    runs: Mapping[str, TrainingRun],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    error: str,
    hint: str,
) -> None:
    (tmp_path / "file").touch()
    places = {"OUT": str(tmp_path), "OTHER": str(runs["attention-ocr"].folder)}

    def placed(text: str) -> str:
        for name, place in places.items():
            text = text.replace(name, place)
        return text

    out = ["--out", str(tmp_path / "model.onnx")]
    assert ascendify(["zoo", "export", str(runs["crnn"].folder), *out, *map(placed, words)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert fnmatch.fnmatchcase(first, placed(f"error: {error}")), first
    assert fnmatch.fnmatchcase(second, f"hint: {hint}"), second
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_reported(
    runs: Mapping[str, TrainingRun], tmp_path: Path
) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="cannot be written: Permission denied"):
        export(runs["crnn"], tmp_path / "model.onnx")


def test_without_onnx_two_lines_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> object:
        return None if name.startswith("onnx") else there(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    assert ascendify(["zoo", "export", str(tmp_path), "--out", "x.onnx"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: the zoo needs onnx, onnxscript, onnxruntime, which Python does not find here",
        "hint: pip install 'ascendify[export]'",
    ]


@once
@pytest.mark.parametrize("name", NORMALISED)
def test_the_command_says_what_comes_next(
    runs: Mapping[str, TrainingRun], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "a model.onnx"
    words = ("zoo", "export", runs[name].folder, "--out", path, "--batch", "3")
    assert ascendify([str(word) for word in words]) == 0
    shapes = {"crnn": ("3,3,32,64", "16,3,11"), "attention-ocr": ("3,3,24,48", "3,4,11")}[name]
    lines = capsys.readouterr().out.splitlines()
    size = path.stat().st_size / 1e6
    assert lines[:3] == [
        f"{path}: {size:.1f} MB, ONNX opset {OPSET}",
        f"input   images:{shapes[0]}",
        f"output  logits:{shapes[1]}",
    ]
    assert lines[3].startswith("check   onnxruntime and PyTorch are ")
    assert lines[4] == f"in its metadata_props: {', '.join(metadata(path))}"
    assert lines[-1] == (
        f"  atc --framework=5 --model='{path}' --output='{path.with_suffix('')}' "
        f'--input_shape="images:{shapes[0]}" --soc_version=SOC'
    )


def test_a_process_says_that_and_nothing_else(
    runs: Mapping[str, TrainingRun], tmp_path: Path
) -> None:
    """Nothing of what torch, onnxscript and onnxruntime say while they are loaded and used."""
    words = ("zoo", "export", runs["attention-ocr"].folder, "--out", tmp_path / "model.onnx")
    ended = subprocess.run(
        [sys.executable, "-m", "ascendify", *map(str, words)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    first, *_, last = ended.stdout.splitlines()
    assert first.startswith(f"{tmp_path / 'model.onnx'}: ")
    assert last.startswith("  atc ")


@once
def test_the_command_for_machines(
    runs: Mapping[str, TrainingRun], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.onnx"
    export_it = ["zoo", "export", str(runs["crnn"].folder), "--out", str(path)]
    assert ascendify([*export_it, "--output-format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["file"], document["size"]) == (str(path), path.stat().st_size)
    assert (document["inputs"], document["outputs"]) == (
        {"images": [1, 3, 32, 64]},
        {"logits": [16, 1, 11]},
    )
    assert document["metadata"] == metadata(path)
    assert document["relative_difference"] < 1e-4
