"""Networks that classify: their sizes, their formulas, their first weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from ascendify.errors import UsageError
from ascendify.zoo.alexnet.model import AlexNet, AlexNetModel
from ascendify.zoo.bit.model import (
    Bit,
    BitModel,
    StandardisedConv2d,
    hyper_rule,
    own_name,
    standardise,
)
from ascendify.zoo.resnet.model import ResNet, ResNetModel, truncated_normal
from ascendify.zoo.wide_resnet.model import WideResNet, WideResNetModel


def parameters(model: nn.Module) -> int:
    return sum(each.numel() for each in model.parameters())


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        # the numbers that torchvision and the papers print
        (lambda: ResNet(ResNetModel(18, classes=1000)), 11_689_512),
        (lambda: ResNet(ResNetModel(34, classes=1000)), 21_797_672),
        (lambda: ResNet(ResNetModel(50, classes=1000)), 25_557_032),
        (lambda: ResNet(ResNetModel(101, classes=1000)), 44_549_160),
        (lambda: ResNet(ResNetModel(152, classes=1000)), 60_192_808),
        (lambda: ResNet(ResNetModel(200, classes=1000)), 64_673_832),
        (lambda: ResNet(ResNetModel(50, "v2", classes=1000)), 25_549_352),
        (lambda: ResNet(ResNetModel(50, stem="cifar", classes=10)), 23_520_842),
        (lambda: WideResNet(WideResNetModel(28, 10)), 36_479_194),
        (lambda: WideResNet(WideResNetModel(40, 2)), 2_243_546),
        (lambda: AlexNet(AlexNetModel(classes=1000)), 61_266_088),
        (lambda: Bit(BitModel(50, classes=5)), 23_510_597),
        (lambda: Bit(BitModel(101, 3, classes=1000)), 387_934_888),
    ],
)
def test_number_of_parameters(model: Any, expected: int) -> None:
    with torch.device("meta"):
        assert parameters(model()) == expected


SMALL: dict[str, Callable[[], Any]] = {
    "resnet": lambda: ResNet(ResNetModel(50, width=8, blocks=(1, 2, 1, 1), classes=7)),
    "resnet v2": lambda: ResNet(ResNetModel(50, "v2", width=8, blocks=(1, 2, 1, 1), classes=7)),
    "resnet basic": lambda: ResNet(ResNetModel(18, width=8, classes=7)),
    "resnet basic v2": lambda: ResNet(ResNetModel(18, "v2", width=8, classes=7)),
    "wide": lambda: WideResNet(WideResNetModel(10, 1, classes=7, dropout=0.3)),
    "alexnet": lambda: AlexNet(
        AlexNetModel(classes=7, side=64, channels=(4, 4, 4, 4, 4), hidden=16, relu_logits=False)
    ),
    "bit": lambda: Bit(BitModel(channels=8, blocks=(1, 2, 1, 1), groups=8, classes=7)),
}


@pytest.mark.parametrize("name", SMALL)
def test_every_weight_gets_a_gradient(name: str) -> None:
    torch.manual_seed(0)
    model = SMALL[name]()
    if name == "bit":
        nn.init.normal_(model.head.weight)
    loss: Any = functional.cross_entropy(model(torch.randn(4, 3, 64, 64)), torch.arange(4))
    loss.backward()
    without = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert without == []


@pytest.mark.parametrize(("side", "same"), [(112, True), (113, True), (112, False)])
def test_the_first_pool_pads_as_tensorflow_or_as_torchvision(side: int, same: bool) -> None:
    """SAME puts the odd pixel of padding behind; torchvision pads both ends."""
    model = ResNet(ResNetModel(18, width=8, same_pooling=same))
    x = torch.randn(1, 8, side, side)
    total = max((-(-side // 2) - 1) * 2 + 3 - side, 0)
    start = total // 2 if same else 1
    padded = torch.full((1, 8, side + 4, side + 4), -math.inf)
    padded[..., start : start + side, start : start + side] = x
    expected = functional.max_pool2d(padded, 3, 2)[..., : -(-side // 2), : -(-side // 2)]
    assert torch.equal(model._pool(x), expected)


def test_version_1_5_has_the_stride_in_the_middle_convolution() -> None:
    model: Any = ResNet(ResNetModel(50))
    block = model.layer2[0]
    assert (block.conv1.stride, block.conv2.stride) == ((1, 1), (2, 2))


@pytest.mark.parametrize("deviation", [0.02, 0.5])
def test_truncated_normal_has_its_deviation(deviation: float) -> None:
    torch.manual_seed(3)
    weight = torch.empty(200_000)
    truncated_normal(weight, deviation)
    assert weight.std().item() == pytest.approx(deviation, rel=0.01)
    assert weight.abs().max().item() <= 2 * deviation / 0.8796


def test_resnet_starts_as_tensorflows() -> None:
    """Convolutions by the number of inputs, not doubled as He's; the last layer as Glorot's."""
    torch.manual_seed(3)
    model: Any = ResNet(ResNetModel(50, classes=100))
    weight = model.layer4[0].conv2.weight
    assert weight.std().item() == pytest.approx(1 / math.sqrt(512 * 9), rel=0.01)
    limit = math.sqrt(6 / (2048 + 100))
    assert model.fc.weight.abs().max().item() == pytest.approx(limit, rel=0.01)
    assert not model.fc.bias.any()


@pytest.mark.parametrize("depth", [4, 9, 29])
def test_wide_resnets_have_certain_depths_only(depth: int) -> None:
    with pytest.raises(UsageError, match=f"model.depth is {depth}"):
        WideResNet(WideResNetModel(depth))


def test_alexnet_refuses_pictures_that_vanish() -> None:
    with pytest.raises(UsageError, match=r"model\.side is 40"):
        AlexNet(AlexNetModel(side=40))


def test_alexnet_has_a_relu_behind_the_logits() -> None:
    torch.manual_seed(0)
    small: Any = {"side": 64, "channels": (4, 4, 4, 4, 4), "hidden": 16, "keep": 1.0}
    guide, plain = AlexNet(AlexNetModel(**small)), AlexNet(AlexNetModel(**small, relu_logits=False))
    plain.load_state_dict(guide.state_dict())
    x = torch.randn(2, 3, 64, 64)
    assert torch.equal(guide(x), plain(x).relu())
    assert (plain(x) < 0).any()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("he", math.sqrt(6 / 4096)), ("xavier", math.sqrt(6 / 8192)), ("custom", math.sqrt(1 / 4096))],
)
def test_alexnets_first_weights(kind: Any, expected: float) -> None:
    weight = AlexNet(AlexNetModel(init=kind)).fc2.weight
    assert weight.abs().max().item() == pytest.approx(expected, rel=0.001)
    assert weight.mean().item() == pytest.approx(0, abs=expected / 100)


def test_standardised_filters_have_mean_0_and_variance_1() -> None:
    torch.manual_seed(0)
    weight = torch.randn(6, 5, 3, 3, dtype=torch.float64) * 4 + 1
    found = standardise(weight)
    assert found.mean((1, 2, 3)).abs().max() < 1e-12
    torch.testing.assert_close(found.var((1, 2, 3), correction=0), torch.ones(6).double())
    layer = StandardisedConv2d(5, 6, 3, padding=1, bias=False).double()
    layer.weight.data = weight
    x = torch.randn(2, 5, 7, 7, dtype=torch.float64)
    torch.testing.assert_close(layer(x), functional.conv2d(x, found, padding=1))
    assert torch.autograd.gradcheck(standardise, weight.requires_grad_())


def test_bits_pool_pads_with_zeros() -> None:
    """There is no ReLU before it, so zeros may be greater than what is there."""
    model: Any = Bit(BitModel(channels=8, blocks=(1,), groups=8, classes=2))
    seen: list[torch.Tensor] = []
    model.block1.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    with torch.no_grad():
        model.root.weight.zero_()
        model(torch.randn(1, 3, 32, 32))
        model.root.weight.copy_(torch.randn_like(model.root.weight))
        x = torch.randn(1, 3, 32, 32)
        model(x)
        padded = functional.pad(model.root(x), (1, 1, 1, 1))
    torch.testing.assert_close(seen[1], functional.max_pool2d(padded, 3, 2))
    assert not torch.equal(seen[1], functional.max_pool2d(model.root(x), 3, 2, 1))


def test_a_new_head_of_bit_knows_nothing() -> None:
    model = Bit(BitModel(channels=8, blocks=(1,), groups=8, classes=4))
    assert torch.equal(model(torch.randn(3, 3, 32, 32)), torch.zeros(3, 4))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("resnet/root_block/standardized_conv2d/kernel", "root.weight"),
        ("resnet/block2/unit03/a/standardized_conv2d/kernel", "block2.2.conv1.weight"),
        ("resnet/block1/unit01/a/proj/standardized_conv2d/kernel", "block1.0.project.weight"),
        ("resnet/block4/unit01/c/group_norm/gamma", "block4.0.norm3.weight"),
        ("resnet/block4/unit01/b/group_norm/beta", "block4.0.norm2.bias"),
        ("resnet/group_norm/beta", "norm.bias"),
        ("resnet/head/conv2d/kernel", "head.weight"),
        ("resnet/something/else", None),
    ],
)
def test_names_of_bits_arrays(theirs: str, ours: str | None) -> None:
    assert own_name(theirs) == ours


@pytest.mark.parametrize(
    ("pixels", "samples", "expected"),
    [
        (32 * 32, 3670, (160, 128, 500, 100, (200, 300, 400), 0.0)),
        (500 * 400, 50_000, (512, 480, 10_000, 500, (3000, 6000, 9000), 0.1)),
        (96 * 96, 1_281_167, (512, 480, 20_000, 500, (6000, 12_000, 18_000), 0.1)),
    ],
)
def test_bits_rule(pixels: int, samples: int, expected: tuple[Any, ...]) -> None:
    found = hyper_rule(pixels, samples)
    names = ("resize", "side", "steps", "warmup", "boundaries", "mixup")
    assert tuple(getattr(found, name) for name in names) == expected
