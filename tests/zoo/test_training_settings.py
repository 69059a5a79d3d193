"""Settings of a training, and the errors for wrong ones."""

from __future__ import annotations

import json
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from ascendify.errors import UsageError
from ascendify.zoo import networks, runs, settings
from support.toy import Config, Toy
from support.training_processes import TOY


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("train.steps=10", 10),
        ("train.steps=1_000", 1000),
        ("train.optimizer.lr=3e-4", 3e-4),
        ("train.optimizer.lr=1", 1.0),
        ("train.optimizer.kind=adamw", "adamw"),
        ("train.optimizer.nesterov=true", True),
        ("train.optimizer.nesterov=No", False),
        ("train.optimizer.clip=2", 2.0),
        ("train.optimizer.clip=none", None),
        ("train.schedule.boundaries=10,20", (10, 20)),
        ("train.schedule.boundaries=", ()),
        ("train.schedule.factors=1,0.1,0.01", (1.0, 0.1, 0.01)),
        ("train.resident=auto", "auto"),
        ("train.resident=false", False),
        ("train.precision=bf16", "bf16"),
        ("train.ema=0.99", 0.99),
        ("train.ema=None", None),
        ("model.width=3", 3),
        ("model.activation=tanh", "tanh"),
        ("data.folder=a/b", Path("a/b")),
        ("data.folder=none", None),
    ],
)
def test_words_are_read_by_their_types(word: str, value: object) -> None:
    found = attrgetter(word.partition("=")[0])(settings.override(Config(), [word]))
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("word", "message", "hint"),
    [
        ("steps=10", "there is no setting steps", "there are model, data, train"),
        ("train.step=10", "there is no setting train.step", "did you mean train.steps?"),
        ("train.optimiser.lr=1", "there is no setting train.optimiser",
         "did you mean train.optimizer?"),
        ("trian.steps=1", "there is no setting trian", "did you mean train?"),
        ("train.steps", "train.steps is not NAME=VALUE", "for example train.steps=1000"),
        ("=3", "=3 is not NAME=VALUE", "for example train.steps=1000"),
        ("train.steps.more=1", "train.steps has nothing below it", "set it: train.steps=1"),
        ("train.optimizer=sgd", "train.optimizer is a group of values",
         "set one of them: train.optimizer.kind=..."),
        ("train.steps=ten", "train.steps is ten", "it must be a whole number"),
        ("train.steps=1.5", "train.steps is 1.5", "it must be a whole number"),
        ("train.optimizer.lr=fast", "train.optimizer.lr is fast", "it must be a number"),
        ("train.compile=maybe", "train.compile is maybe", "it must be true or false"),
        ("train.ema=x", "train.ema is x", "it must be a number or none"),
        ("train.precision=fp8", "train.precision is fp8", "it must be fp32 or bf16 or fp16"),
        ("train.resident=some", "train.resident is some", "it must be true or false or auto"),
        ("train.schedule.boundaries=1,b", "train.schedule.boundaries is 1,b",
         "it must be values with commas between them, each a whole number"),
        ("train.steps=0", "train.steps is 0", "it must be 1 or more"),
        ("train.batch=-4", "train.batch is -4", "it must be 1 or more"),
        ("train.ema=1.5", "train.ema is 1.5", "it must be from 0 to 1"),
        ("train.seed=-1", "train.seed is -1", "it must be from 0 to 2**63 - 1"),
        ("train.optimizer.lr=-1", "train.optimizer.lr is -1.0", "it must be 0 or more"),
        ("train.optimizer.lr=nan", "train.optimizer.lr is nan", "it must be a number"),
        ("train.optimizer.lr=inf", "train.optimizer.lr is inf", "it must be a number"),
        ("train.optimizer.momentum=2", "train.optimizer.momentum is 2.0", "it must be from 0 to 1"),
        ("train.optimizer.clip=0", "train.optimizer.clip is 0.0", "it must be more than 0"),
        ("train.loss_scale.value=0", "train.loss_scale.value is 0.0",
         "it must be more than 0, at most 2**127"),
    ],
)  # fmt: skip
def test_words_that_cannot_be(word: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings.override(Config(), [word])
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_the_last_word_counts() -> None:
    config = settings.override(Config(), ["train.steps=10", "train.steps=20"])
    assert config.train.steps == 20


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"train": {"steps": "10"}}, 'FILE: train.steps is "10" | it must be a whole number'),
        ({"train": {"steps": True}}, "FILE: train.steps is true | it must be a whole number"),
        ({"train": {"steps": 1.0}}, "FILE: train.steps is 1.0 | it must be a whole number"),
        ({"train": 3}, "FILE: train is 3 | it must be an object"),
        ({"train": {"precision": "x"}},
         'FILE: train.precision is "x" | it must be fp32 or bf16 or fp16'),
        ({"train": {"schedule": {"boundaries": [1, "b"]}}},
         'FILE: train.schedule.boundaries is [1, "b"] | it must be values with commas between '
         "them, each a whole number"),
        ({"train": {"stepz": 1}},
         "FILE: there is no setting train.stepz | did you mean train.steps?"),
    ],
)  # fmt: skip
def test_files_that_cannot_be(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings.merge(Config(), values, "FILE")
    assert " | ".join(filter(None, (caught.value.message, caught.value.hint))) == message


def test_what_is_written_is_read_back() -> None:
    words = ["train.schedule.boundaries=1,2", "data.folder=x", "train.ema=0.5", "model.layers=3,4"]
    config = settings.override(Config(), words)
    written = json.loads(json.dumps(settings.to_dict(config)))
    assert settings.merge(Config(), written, "FILE") == config


def test_a_file_of_part_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[train]\nsteps = 7\nema = 1\n[train.optimizer]\nlr = 1\n")
    (tmp_path / "a.json").write_text('{"train": {"steps": 7, "ema": 1, "optimizer": {"lr": 1}}}')
    wanted = settings.override(
        Config(), ["train.steps=7", "train.ema=1", "train.optimizer.lr=1", "train.batch=3"]
    )
    for name in ("a.toml", "a.json"):
        requested = runs.TrainingRequest(
            TOY, tmp_path / "run", file=tmp_path / name, overrides=["train.batch=3"]
        )
        assert runs.plan(requested).config == wanted


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "a.json is not JSON: Expecting property name enclosed in double quotes"),
        ("a.json", "[1]", "a.json holds [1], expected an object"),
        ("a.toml", "= 3", "a.toml is not TOML: "),
        ("b.json", None, "b.json: No such file or directory"),
    ],
)
def test_files_that_cannot_be_read(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        settings.read(tmp_path / name)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("crn", "unknown network crn", "did you mean crnn?"),
        ("bert", "unknown network bert",
         "ascendify zoo list shows them: crnn, attention-ocr, resnet50, alexnet, wide-resnet, bit"),
        ("nowhere.to:Be", "there is no module nowhere, where nowhere.to:Be should be",
         "start in the folder that holds it, or set PYTHONPATH"),
        ("support.toy:Model", "support.toy:Model is not a recipe",
         "name a class that derives from ascendify.zoo.recipe.Recipe"),
        ("support.toy:Tay", "support.toy:Tay is not a recipe",
         "name a class that derives from ascendify.zoo.recipe.Recipe"),
    ],
)  # fmt: skip
def test_names_that_are_no_networks(name: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        networks.find(name)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("name", "word", "message"),
    [
        ("crnn", "data.samples=0", "data.samples is 0"),
        ("crnn", "data.seed=-1", "data.seed is -1"),
        ("attention-ocr", "data.test_samples=0", "data.test_samples is 0"),
        ("attention-ocr", "loss.smoothing=2", "loss.smoothing is 2.0"),
        ("resnet50", "model.classes=1", "model.classes is 1"),
        ("resnet50", "data.least_area=0", "data.least_area is 0.0"),
        ("alexnet", "model.channels=8,0,8,8,8", "model.channels is (8, 0, 8, 8, 8)"),
        ("bit", "data.per_class=-1", "data.per_class is -1"),
    ],
)
def test_what_networks_have_of_their_own_has_limits_too(name: str, word: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings.override(networks.preset(networks.find(name), None), [word])
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"network": TOY, "config": {}}, "source is missing"),
        ({"network": 3, "source": None, "config": {}}, "network is 3"),
        ({"network": TOY, "source": 4, "config": {}}, "source is 4"),
        ({"network": TOY, "source": None, "config": 5}, "config is 5"),
    ],
)
def test_files_that_no_training_wrote(tmp_path: Path, document: dict[str, Any], named: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(document))
    with pytest.raises(UsageError) as caught:
        runs.find(tmp_path)
    assert caught.value.message == f"{path} is not what a training wrote: {named}"


def test_presets() -> None:
    assert networks.preset(Toy, None) == Config()
    assert networks.preset(Toy, "wide").model.width == 32
    with pytest.raises(UsageError) as caught:
        networks.preset(Toy, "wild")
    assert (caught.value.message, caught.value.hint) == (
        "toy has no preset wild",
        "did you mean wide?",
    )


@pytest.mark.parametrize("network", networks.NETWORKS, ids=lambda network: network.name)
def test_the_list_tells_what_the_recipes_do(network: networks.Network) -> None:
    recipe = networks.find(network.name)
    presets = recipe.presets()
    assert recipe.name == network.name
    assert list(presets) == list(network.presets)
    model = recipe(next(iter(presets.values()))).model()
    assert sum(p.numel() for p in model.parameters()) == network.parameters
