"""AutoAugment: its operations agree with Pillow's to the pixel, its policies with the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from ascendify.zoo.augmentation import geometry, tensors
from ascendify.zoo.augmentation.operations import (
    DRAWS,
    FACTORS,
    GEOMETRIC,
    PLAIN,
    Operation,
    apply,
    compile_policy,
    values,
)
from ascendify.zoo.augmentation.policies import POLICIES

CPU = torch.device("cpu")
OPERATIONS = {*GEOMETRIC, *FACTORS, *PLAIN, "Posterize", "Solarize"}


def pictures(count: int, side: int) -> Any:
    """Noise, pale pictures, pictures of one colour, gradients."""
    rng = np.random.default_rng(side)
    found = rng.integers(0, 256, (count, side, side, 3)).astype(np.uint8)
    found[1::4] = found[1::4] // 5 + 90
    found[2::4] = 77
    found[3::4] = np.linspace(0, 255, side).astype(np.uint8)[None, :, None, None]
    return found


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("convention", ["paper", "upstream"])
@pytest.mark.parametrize("side", [8, 33])
def test_tensors_and_pillow_agree(policy: Any, convention: Any, side: int) -> None:
    table = compile_policy(policy, side, convention)
    operations = sorted(
        {each for step in table.steps for row in step.rows for each in row}, key=str
    )
    before = pictures(len(operations), side)
    after = tensors.apply_to_batch(
        torch.from_numpy(before), tensors.as_tensors(operations, side, CPU), fill=9
    )
    for operation, picture, found in zip(operations, before, after.numpy()):
        expected = np.asarray(apply(Image.fromarray(picture), operation, fill=9))
        np.testing.assert_array_equal(found, expected, str(operation))


def test_every_operation_is_in_a_policy() -> None:
    used = {step.operation for pairs in POLICIES.values() for pair in pairs for step in pair}
    assert used == OPERATIONS
    assert {len(pairs) for pairs in POLICIES.values()} == {25}
    steps = [step for pairs in POLICIES.values() for pair in pairs for step in pair]
    assert all(0 <= step.probability <= 1 for step in steps)
    assert all((step.magnitude is None) == (step.operation in PLAIN) for step in steps)


@pytest.mark.parametrize(
    ("operation", "magnitude", "paper", "upstream"),
    [
        # upstream draws from a part of a range from negative to positive: the sign is fixed
        ("ShearX", 9, {0.3, -0.3}, (0.24, 0.3)),
        ("ShearY", 0, {0.0}, (-0.3, -0.24)),
        ("TranslateX", 9, {14.0, -14.0}, (11, 14)),
        ("Rotate", 3, {10.0, -10.0}, (-12, -6)),
        ("Brightness", 9, {1.9, 0.1}, (1.72, 1.9)),
        ("Color", 0, {1.0}, (0.1, 0.28)),
        ("Contrast", 5, {1.5, 0.5}, (1.0, 1.18)),
        # the other way round in the two
        ("Posterize", 9, {4.0}, (7, 7)),
        ("Posterize", 0, {8.0}, (4, 4)),
        ("Solarize", 0, {255.0}, (0, 25.6)),
        ("Solarize", 9, {0.0}, (230.4, 256)),
        ("Invert", None, {0.0}, (0, 0)),
    ],
)
def test_what_a_magnitude_stands_for(
    operation: str, magnitude: int | None, paper: set[float], upstream: tuple[float, float]
) -> None:
    found = values(operation, magnitude, 32, "paper")
    assert {round(each, 6) for each in found} == paper
    drawn = values(operation, magnitude, 32, "upstream")
    low, high = upstream
    assert all(low - 1e-9 <= each <= high + 1e-9 for each in drawn)
    assert len(set(drawn)) in (1, len(drawn)) or operation.startswith("Translate")
    assert len(drawn) in (1, DRAWS)


def test_a_policy_is_drawn_by_the_generator_alone() -> None:
    batch = torch.from_numpy(pictures(64, 16))
    changed = tensors.AutoAugment(compile_policy("cifar10", 16), 16)
    torch.manual_seed(5)
    first = changed(batch)
    torch.manual_seed(5)
    assert torch.equal(first, changed(batch))
    assert not torch.equal(first, changed(batch))
    assert first.shape == batch.shape
    assert first.dtype == torch.uint8


def test_a_policy_changes_as_many_pictures_as_its_probabilities_say() -> None:
    """Of a policy whose first step always inverts and whose second never does anything."""
    table = compile_policy("cifar10", 8)
    invert = type(table.first)(((Operation("Invert"),),) * 25, (1.0,) * 25)
    never = type(table.first)(((Operation("Solarize", 0),),) * 25, (0.0,) * 25)
    batch = torch.from_numpy(pictures(16, 8))
    changed = tensors.AutoAugment(type(table)(invert, never), 8)(batch)
    assert torch.equal(changed, 255 - batch)


def test_crops_contain_a_part_of_the_padded_picture() -> None:
    torch.manual_seed(1)
    batch = torch.from_numpy(pictures(40, 12))
    cropped = geometry.crop_padded(batch, 3)
    padded = torch.nn.functional.pad(batch, (0, 0, 3, 3, 3, 3))
    places = set()
    for before, after in zip(padded, cropped):
        fits = [
            (top, left)
            for top in range(7)
            for left in range(7)
            if torch.equal(before[top : top + 12, left : left + 12], after)
        ]
        assert fits
        places.update(fits)
    assert {top for top, _ in places} == set(range(7))


def test_mirrors_half_of_the_pictures() -> None:
    torch.manual_seed(1)
    batch = torch.from_numpy(pictures(400, 4))
    batch[..., 0, :] = torch.arange(400, dtype=torch.uint8)[:, None, None]  # none is symmetric
    mirrored = geometry.mirror(batch)
    turned = (mirrored == batch.flip(2)).flatten(1).all(1)
    kept = (mirrored == batch).flatten(1).all(1)
    assert (turned | kept).all()
    assert 150 < int(turned.sum()) < 250


@pytest.mark.parametrize("size", [1, 4, 7])
def test_cutout_hides_a_square_that_may_be_partly_outside(size: int) -> None:
    torch.manual_seed(2)
    cut = geometry.cut_out(torch.ones(300, 3, 10, 10), size)
    hidden = (cut == 0).sum((2, 3))
    assert (hidden == hidden[:, :1]).all(), "the same place in all channels"
    assert int(hidden.max()) == size * size
    if size > 1:
        assert int(hidden.min()) < size * size
    for picture in cut[:20, 0] == 0:
        rows, columns = picture.any(1), picture.any(0)
        assert int(picture.sum()) == int(rows.sum()) * int(columns.sum()), "a rectangle"
