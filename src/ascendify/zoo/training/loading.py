"""Batches on the device: from a set that lies there as a whole, or read ahead by processes.

Both are told which samples to bring, batch by batch, so that neither has a state to go on from.
"""

from __future__ import annotations

import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, Literal, Union

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from ascendify.errors import UsageError
from ascendify.zoo.cores import own_cores
from ascendify.zoo.device import TrainingDevice
from ascendify.zoo.recipe import Batch, Data

Advance = Callable[[int, int], None]
"""Told samples read, and samples in all."""

_BLOCK = 256
"""Samples that are put on the device at once while a set is made resident."""
_PATIENCE_SECONDS = 3.0
"""Reading that takes longer than that is worth starting processes for."""
_SHARE_OF_MEMORY = 0.4
"""What a set may take of the memory that is free."""


class BatchSource(ABC):
    """Samples of a split, in batches."""

    @abstractmethod
    def batches(self, wanted: Iterable[Tensor]) -> Iterator[Batch]:
        """A batch on the device for each vector of sample numbers."""


def open_source(
    data: Data,
    device: TrainingDevice,
    resident: Union[bool, Literal["auto"]],
    workers: int,
    *,
    seen: int,
    advance: Advance | None = None,
) -> BatchSource:
    """Make samples ready to be used.

    Args:
        data: The samples.
        device: Where batches go.
        resident: Whether they are put on the device now; auto: where they fit, and are wanted more
            than once.
        workers: Processes that read those which are not resident.
        seen: How many samples will be wanted in all.
        advance: Told how reading goes.
    """
    if len(data) == 0:
        raise UsageError("the data set has no samples", "look what --data names")
    if resident == "auto":
        size = sum(tensor.nbytes for tensor in collate([data[0]]).values()) * len(data)
        resident = seen > len(data) and size <= device.free_bytes() * _SHARE_OF_MEMORY
    if resident:
        return ResidentSource(data, device, advance)
    return StreamedSource(data, device, workers)


def collate(samples: Sequence[Any]) -> Batch:
    """Samples as one batch, in memory of its own."""
    return {
        name: torch.from_numpy(np.stack([np.asarray(sample[name]) for sample in samples]))
        for name in samples[0]
    }


class ResidentSource(BatchSource):
    """Samples that lie on the device; a batch is picked there."""

    def __init__(self, data: Data, device: TrainingDevice, advance: Advance | None = None) -> None:
        self._device = device.torch
        size = len(data)
        began = time.monotonic()
        first = collate([data[index] for index in range(min(_BLOCK, size))])
        rest = (time.monotonic() - began) * (size / _BLOCK - 1)
        self.tensors = {
            name: torch.empty((size, *block.shape[1:]), dtype=block.dtype, device=self._device)
            for name, block in first.items()
        }
        self._put(0, first)
        reader = StreamedSource(data, device, own_cores() if rest > _PATIENCE_SECONDS else 0)
        starts = range(_BLOCK, size, _BLOCK)
        blocks = reader.batches(torch.arange(n, min(n + _BLOCK, size)) for n in starts)
        for start, block in zip(starts, blocks):
            self._put(start, block)
            if advance is not None:
                advance(min(start + _BLOCK, size), size)

    def _put(self, start: int, block: Batch) -> None:
        for name, tensor in block.items():
            self.tensors[name][start : start + len(tensor)].copy_(tensor)

    def batches(self, wanted: Iterable[Tensor]) -> Iterator[Batch]:
        """Pick them."""
        for indices in wanted:
            here = indices.to(self._device, non_blocking=True)
            yield {name: tensor.index_select(0, here) for name, tensor in self.tensors.items()}


class StreamedSource(BatchSource):
    """Samples that are read when their turn comes, some batches ahead."""

    def __init__(self, data: Data, device: TrainingDevice, workers: int) -> None:
        self._reader = _Reader(data)
        self._device = device.torch
        self._workers = min(workers, own_cores())

    def batches(self, wanted: Iterable[Tensor]) -> Iterator[Batch]:
        """Read them, and have the next one on its way to the device."""
        loader = DataLoader(
            self._reader,
            batch_sampler=(indices.tolist() for indices in wanted),
            num_workers=self._workers,
            collate_fn=_identity,
            pin_memory=self._device.type == "cuda",
            worker_init_fn=_start_worker,
            # or starting to read would change the numbers that training draws
            generator=torch.Generator(),
            prefetch_factor=4 if self._workers else None,
        )
        return _prefetch(map(_raise_errors, loader), self._device)


class _Reader(Dataset[Any]):
    """Reads whole batches, and hands the user's mistakes on as they are: data, not a traceback."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def __getitems__(self, indices: list[int]) -> Batch | UsageError:
        try:
            return collate([self._data[index] for index in indices])
        except UsageError as error:
            return error


def _identity(batch: Any) -> Any:
    return batch


def _raise_errors(batch: Batch | UsageError) -> Batch:
    if isinstance(batch, UsageError):
        raise batch
    return batch


def _start_worker(number: int) -> None:
    """What a terminal or a scheduler tells the whole job is for the process that started this one.

    That one ends this, with a signal of its own if need be; so none but Ctrl-C is ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    torch.set_num_threads(1)


def _prefetch(batches: Iterator[Batch], device: torch.device) -> Iterator[Batch]:
    """Batches on the device; on a GPU each is copied while the one before is worked on."""
    if device.type != "cuda":
        for batch in batches:
            yield {name: tensor.to(device) for name, tensor in batch.items()}
        return
    copies: Any = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]

    def send(batch: Batch) -> Batch:
        with torch.cuda.stream(copies):
            return {name: tensor.to(device, non_blocking=True) for name, tensor in batch.items()}

    upcoming = next(map(send, batches), None)
    while upcoming is not None:
        torch.cuda.current_stream(device).wait_stream(copies)
        batch = upcoming
        for tensor in batch.values():
            tensor.record_stream(torch.cuda.current_stream(device))
        upcoming = next(map(send, batches), None)
        yield batch
