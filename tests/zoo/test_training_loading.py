"""Batches are the same wherever samples lie, and reading them draws no number."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from ascendify.errors import UsageError
from ascendify.zoo.device import TrainingDevice, open_device
from ascendify.zoo.training import loading
from ascendify.zoo.training.loading import (
    BatchSource,
    ResidentSource,
    StreamedSource,
    collate,
    open_source,
)
from ascendify.zoo.training.order import SampleOrder
from support.toy import Samples, Vectors


@pytest.fixture(scope="module")
def device() -> TrainingDevice:
    return open_device("cpu")


def sources(data: Vectors, device: TrainingDevice) -> list[BatchSource]:
    return [
        ResidentSource(data, device),
        StreamedSource(data, device, 0),
        StreamedSource(data, device, 2),
    ]


@pytest.mark.parametrize("size", [30, 600])
def test_batches_are_the_samples_that_are_wanted(device: TrainingDevice, size: int) -> None:
    data = Vectors(size, "train", Samples())
    order = SampleOrder(len(data), 7, seed=1)
    wanted = [order.indices(step) for step in range(9)]
    for source in sources(data, device):
        batches = list(source.batches(wanted))
        assert len(batches) == 9
        for batch, indices in zip(batches, wanted):
            expected = collate([data[index] for index in indices.tolist()])
            assert {name: t.dtype for name, t in batch.items()} == {
                "values": torch.float32,
                "label": torch.int64,
            }
            assert all(torch.equal(batch[name], expected[name]) for name in expected)


def test_a_set_is_read_by_processes_where_that_takes_long(
    device: TrainingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_PATIENCE_SECONDS", 0.0)
    data = Vectors(700, "train", Samples())
    reported: list[tuple[int, int]] = []
    source = ResidentSource(data, device, lambda done, size: reported.append((done, size)))
    assert reported == [(512, 700), (700, 700)]
    expected = collate([data[index] for index in range(700)])
    assert all(torch.equal(source.tensors[name], expected[name]) for name in expected)


def test_reading_draws_no_number(device: TrainingDevice) -> None:
    data = Vectors(30, "train", Samples())
    before = torch.get_rng_state()
    for source in sources(data, device):
        list(source.batches([torch.arange(5)]))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_sample_that_cannot_be_read_is_reported_as_it_is(
    device: TrainingDevice, workers: int
) -> None:
    source = StreamedSource(Vectors(30, "train", Samples(damaged=7)), device, workers)
    with pytest.raises(UsageError) as caught:
        list(source.batches([torch.arange(5), torch.arange(5, 10)]))
    assert (caught.value.message, caught.value.hint) == ("sample 7 is damaged", "copy it again")


@pytest.mark.parametrize(
    ("resident", "seen", "kind"),
    [
        (True, 1, ResidentSource),
        (False, 1000, StreamedSource),
        ("auto", 1000, ResidentSource),
        ("auto", 30, StreamedSource),
    ],
)
def test_where_samples_go(
    device: TrainingDevice, resident: bool, seen: int, kind: type[BatchSource]
) -> None:
    data = Vectors(30, "train", Samples())
    assert type(open_source(data, device, resident, 0, seen=seen)) is kind


def test_a_set_that_does_not_fit_is_read_when_it_is_wanted(
    device: TrainingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrainingDevice, "free_bytes", lambda self: 2000)
    data = Vectors(30, "train", Samples())
    assert type(open_source(data, device, "auto", 0, seen=1000)) is StreamedSource


def test_a_set_without_samples(device: TrainingDevice) -> None:
    with pytest.raises(UsageError, match="the data set has no samples"):
        open_source(Vectors(0, "train", Samples()), device, "auto", 0, seen=1)


def test_arrays_that_cannot_be_written_to_become_batches() -> None:
    picture = np.frombuffer(b"\x01\x02\x03", dtype=np.uint8)
    batch = collate([{"image": picture, "length": 3}, {"image": picture, "length": 2}])
    assert batch["image"].tolist() == [[1, 2, 3], [1, 2, 3]]
    assert batch["length"].tolist() == [3, 2]
    batch["image"].add_(1)
    assert picture.tolist() == [1, 2, 3]
