"""Which samples a step sees: all of an epoch, once, however many ranks there are."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from ascendify.errors import UsageError
from ascendify.zoo.training.order import SampleOrder, evaluation_batches


def seen(order: SampleOrder, steps: range) -> list[list[int]]:
    return [order.indices(step).tolist() for step in steps]


def test_an_epoch_sees_every_sample_of_its_whole_batches_once() -> None:
    order = SampleOrder(23, 5, seed=1)
    first, second = seen(order, range(4)), seen(order, range(4, 8))
    for epoch in (first, second):
        numbers = [number for batch in epoch for number in batch]
        assert len(set(numbers)) == len(numbers) == 20
    assert first != second


def test_any_step_can_be_requested_for_first() -> None:
    forward = seen(SampleOrder(23, 5, seed=1), range(12))
    assert [SampleOrder(23, 5, seed=1).indices(step).tolist() for step in range(12)] == forward


def test_seeds_differ() -> None:
    assert seen(SampleOrder(23, 5, seed=1), range(4)) != seen(SampleOrder(23, 5, seed=2), range(4))


@pytest.mark.parametrize(("world", "batch"), [(1, 12), (2, 6), (3, 4), (4, 3)])
def test_ranks_deal_out_what_one_rank_sees(world: int, batch: int) -> None:
    ranks = [SampleOrder(50, batch, seed=3, rank=rank, world=world) for rank in range(world)]
    alone = SampleOrder(50, 12, seed=3)
    for step in range(9):
        together = torch.stack([rank.indices(step) for rank in ranks], dim=1).flatten()
        assert together.tolist() == alone.indices(step).tolist()


@pytest.mark.parametrize(
    ("size", "batch", "world", "message", "hint"),
    [
        (7, 8, 1, "a step takes 8 samples (train.batch=8, 1 rank), and the training set has 7",
         "set train.batch from 1 to 7"),
        (7, 4, 2, "a step takes 8 samples (train.batch=4, 2 ranks), and the training set has 7",
         "set train.batch from 1 to 3"),
        (1, 1, 2, "a step takes 2 samples (train.batch=1, 2 ranks), and the training set has 1",
         "add data"),
    ],
)  # fmt: skip
def test_a_step_that_is_larger_than_the_set(
    size: int, batch: int, world: int, message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        SampleOrder(size, batch, seed=1, world=world)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 31, 32, 33])
@pytest.mark.parametrize("world", [1, 2, 3])
def test_an_evaluation_sees_all_samples_once_in_batches_of_one_size(size: int, world: int) -> None:
    shared = [part for rank in range(world) for part in evaluation_batches(size, 8, rank, world)]
    assert {len(part.indices) for part in shared} == {8}
    numbers = [int(n) for part in shared for n in part.indices[part.valid]]
    assert sorted(numbers) == list(range(size))
    padding = [int(n) for part in shared for n in part.indices[~part.valid]]
    assert set(padding) <= {size - 1}


def test_ranks_take_turns_in_an_evaluation() -> None:
    firsts = [
        [int(part.indices[0]) for part in evaluation_batches(40, 8, rank, 2)] for rank in range(2)
    ]
    assert firsts == [[0, 16, 32], [8, 24]]
