"""Weights that a training starts with: files of other tools, parts left out, what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ascendify.errors import UsageError
from ascendify.zoo import networks, weights
from ascendify.zoo.bit.model import Bit, BitModel
from ascendify.zoo.bit.recipe import BitRecipe
from ascendify.zoo.classifiers.settings import TransferSettings
from ascendify.zoo.resnet.model import ResNet, ResNetModel
from ascendify.zoo.resnet.recipe import ResNetRecipe

TINY = ResNetModel(50, width=8, blocks=(1, 1, 1, 1), classes=5)


def resnet(**changes: Any) -> ResNet:
    return ResNet(replace(TINY, **changes))


def recipe(init: Path, *exclude: str, **changes: Any) -> ResNetRecipe:
    config = networks.preset(ResNetRecipe, "tiny")
    model = replace(TINY, **changes)
    transfer = TransferSettings(init=str(init), exclude=exclude)
    return ResNetRecipe(replace(config, model=model, transfer=transfer))


WRAPPINGS: dict[str, Callable[[Any], Any]] = {
    "torchvision": lambda state: state,
    "timm": lambda state: {"state_dict": state, "epoch": 3, "arch": "resnet50"},
    "averaged first": lambda state: {
        "state_dict": {name: value * 0 for name, value in state.items()},
        "state_dict_ema": state,
    },
    "of DistributedDataParallel": lambda state: {f"module.{n}": v for n, v in state.items()},
    "of torch.compile": lambda state: {"model": {f"_orig_mod.{n}": v for n, v in state.items()}},
    "of both": lambda state: {"model": {f"module._orig_mod.{n}": v for n, v in state.items()}},
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_checkpoints_of_other_tools(tmp_path: Path, wrapping: str) -> None:
    trained: Any = resnet()
    path = tmp_path / "trained.pth"
    torch.save(WRAPPINGS[wrapping](trained.state_dict()), path)
    begun = recipe(path)
    model = begun.model()
    begun.warm_start(model)
    for name, value in trained.state_dict().items():
        assert torch.equal(model.state_dict()[name], value), name


def test_safetensors(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    trained: Any = resnet()
    path = tmp_path / "model.safetensors"
    save_file(trained.state_dict(), path)
    begun = recipe(path)
    model = begun.model()
    begun.warm_start(model)
    assert torch.equal(model.state_dict()["fc.weight"], trained.fc.weight)


def test_the_head_starts_anew_for_other_classes(tmp_path: Path) -> None:
    trained: Any = resnet()
    path = tmp_path / "trained.pth"
    torch.save(trained.state_dict(), path)
    begun = recipe(path, "head", classes=3)
    model = begun.model()
    first = model.state_dict()["fc.weight"].clone()
    begun.warm_start(model)
    assert torch.equal(model.state_dict()["fc.weight"], first)
    assert torch.equal(model.state_dict()["layer3.0.conv2.weight"], trained.layer3[0].conv2.weight)


def test_any_part_can_start_anew(tmp_path: Path) -> None:
    trained: Any = resnet()
    path = tmp_path / "trained.pth"
    torch.save(trained.state_dict(), path)
    begun = recipe(path, "head", "layer4")
    model = begun.model()
    first = model.state_dict()["layer4.0.conv1.weight"].clone()
    begun.warm_start(model)
    assert torch.equal(model.state_dict()["layer4.0.conv1.weight"], first)
    assert torch.equal(model.state_dict()["conv1.weight"], trained.conv1.weight)


def test_version_2_of_timm(tmp_path: Path) -> None:
    """Other names, and a head that is a convolution of 1 x 1."""
    trained = resnet(version="v2")
    theirs = {}
    for name, value in trained.state_dict().items():
        stage = re.sub(
            r"^layer(\d)\.(\d+)\.", lambda m: f"stages.{int(m[1]) - 1}.blocks.{m[2]}.", name
        )
        stage = re.sub(r"\.bn(\d)\.", r".norm\1.", stage)
        stage = stage.replace("downsample.", "downsample.conv.").replace("fc.", "head.fc.")
        stage = re.sub(r"^conv1\.", "stem.conv.", stage)
        theirs[stage] = value[..., None, None] if stage == "head.fc.weight" else value
    path = tmp_path / "timm.pth"
    torch.save(theirs, path)
    begun = recipe(path, version="v2")
    model = begun.model()
    begun.warm_start(model)
    for name, value in trained.state_dict().items():
        assert torch.equal(model.state_dict()[name], value), name


def test_bits_arrays_load_by_name(tmp_path: Path) -> None:
    torch.manual_seed(1)
    shape = BitModel(channels=8, blocks=(1, 2, 1, 1), groups=8, classes=4, zero_head=False)
    trained = Bit(shape)
    arrays = {}
    parts = {"1": "a", "2": "b", "3": "c"}
    for name, value in trained.state_dict().items():
        match = re.fullmatch(r"block(\d)\.(\d+)\.(conv|norm|project)(\d?)\.(weight|bias)", name)
        array = value.numpy()
        if match is None:
            theirs = {
                "root.weight": "resnet/root_block/standardized_conv2d/kernel",
                "norm.weight": "resnet/group_norm/gamma",
                "norm.bias": "resnet/group_norm/beta",
                "head.weight": "resnet/head/conv2d/kernel",
                "head.bias": "resnet/head/conv2d/bias",
            }[name]
            array = array[..., None, None] if name == "head.weight" else array
        else:
            unit = f"resnet/block{match[1]}/unit{int(match[2]) + 1:02d}"
            what = {"weight": "gamma", "bias": "beta"}[match[5]]
            theirs = {
                "conv": f"{unit}/{parts.get(match[4])}/standardized_conv2d/kernel",
                "norm": f"{unit}/{parts.get(match[4])}/group_norm/{what}",
                "project": f"{unit}/a/proj/standardized_conv2d/kernel",
            }[match[3]]
        arrays[theirs] = array.transpose(2, 3, 1, 0) if array.ndim == 4 else array
    path = tmp_path / "BiT-M-R50x1.npz"
    np.savez(path, **arrays)
    config = networks.preset(BitRecipe, "tiny")
    begun = BitRecipe(replace(config, model=shape, transfer=TransferSettings(init=str(path))))
    model = begun.model()
    begun.warm_start(model)
    for name, value in trained.state_dict().items():
        assert torch.equal(model.state_dict()[name], value), name


def test_only_the_last_layer_is_trained_where_that_is_set() -> None:
    config = networks.preset(ResNetRecipe, "tiny")
    frozen = ResNetRecipe(replace(config, transfer=TransferSettings(train="head")))
    model: Any = frozen.model()
    assert [n for n, p in model.named_parameters() if p.requires_grad] == ["fc.weight", "fc.bias"]
    assert [p.shape for group in frozen.groups(model) for p in group["params"]] == [
        model.fc.weight.shape,
        model.fc.bias.shape,
    ]


def save(path: Path, content: Any) -> None:
    torch.save(content, path)


MISTAKES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "missing": (lambda path: None, "there is no such file"),
    "empty": (lambda path: path.touch(), "cannot be read"),
    "text": (lambda path: path.write_text("weights"), "cannot be read"),
    "number": (lambda path: save(path, 3), "it holds int, and not weights by name"),
    "nothing": (lambda path: save(path, {"epoch": 3}), "has no weights: it has epoch"),
    "other network": (
        lambda path: save(path, {"features.0.weight": torch.ones(3)}),
        "has no bn1.bias (nor ",
    ),
    "other classes": (
        lambda path: save(path, resnet(classes=9).state_dict()),
        "fc.bias is (9,), and the model's is (5,)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(tmp_path: Path, mistake: str) -> None:
    write, message = MISTAKES[mistake]
    path = tmp_path / "weights.pth"
    write(path)
    begun = recipe(path)
    with pytest.raises(UsageError, match=re.escape(message)) as raised:
        begun.warm_start(begun.model())
    assert str(path) in str(raised.value)
    assert raised.value.hint


def test_a_file_with_code_in_it_is_not_run(tmp_path: Path) -> None:
    class Harmful:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "run",))

    path = tmp_path / "weights.pth"
    torch.save({"model": Harmful()}, path)
    with pytest.raises(UsageError, match="cannot be read"):
        weights.read(path)
    assert not (tmp_path / "run").exists()
