"""Load batches to the device: from a data set that is there as a whole, or read by processes.

Both are given the numbers of the samples for each batch, so that neither has a state to restore.
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
from ascendify.zoo.recipe import Batch, Data, varies

Advance = Callable[[int, int], None]
"""Called with the number of samples read, and of all samples."""

_BLOCK = 256
"""Samples that are copied to the device at once when a data set is made resident."""
_PATIENCE_SECONDS = 3.0
"""Processes are started for reading that takes longer than this."""
_SHARE_OF_MEMORY = 0.4
"""Share of the free memory that a data set may take."""


class BatchSource(ABC):
    """Samples of a split, in batches."""

    @abstractmethod
    def batches(self, wanted: Iterable[Tensor]) -> Iterator[Batch]:
        """Yield a batch on the device for each vector of sample numbers."""


def open_source(
    data: Data,
    device: TrainingDevice,
    resident: Union[bool, Literal["auto"]],
    workers: int,
    *,
    seen: int,
    advance: Advance | None = None,
) -> BatchSource:
    """Open samples for reading in batches.

    Args:
        data: The samples.
        device: The device for the batches.
        resident: Whether to copy all samples to the device now; auto: if they fit, and are used
            more than once.
        workers: Processes that read samples which are not resident.
        seen: How many samples will be read in all.
        advance: Called with the progress of reading.
    """
    if len(data) == 0:
        raise UsageError("the data set has no samples", "check the folder of --data")
    if varies(data):
        if resident is True:
            raise UsageError(
                "train.resident=true would show the same cuts of the photos in every epoch",
                "leave train.resident out, or write pictures of one size",
            )
        resident = False
    if resident == "auto":
        size = sum(tensor.nbytes for tensor in collate([data[0]]).values()) * len(data)
        resident = seen > len(data) and size <= device.free_bytes() * _SHARE_OF_MEMORY
    if resident:
        return ResidentSource(data, device, advance)
    return StreamedSource(data, device, workers)


def collate(samples: Sequence[Any]) -> Batch:
    """Stack samples into one batch."""
    return {
        name: torch.from_numpy(np.stack([np.asarray(sample[name]) for sample in samples]))
        for name in samples[0]
    }


class ResidentSource(BatchSource):
    """Samples that are on the device; batches are selected there."""

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
        """Select each batch on the device."""
        for indices in wanted:
            here = indices.to(self._device, non_blocking=True)
            yield {name: tensor.index_select(0, here) for name, tensor in self.tensors.items()}


class StreamedSource(BatchSource):
    """Samples that are read when they are needed, some batches ahead."""

    def __init__(self, data: Data, device: TrainingDevice, workers: int) -> None:
        self._reader = _Reader(data)
        self._device = device.torch
        self._workers = min(workers, own_cores())

    def batches(self, wanted: Iterable[Tensor]) -> Iterator[Batch]:
        """Read each batch, and copy the next one to the device meanwhile."""
        loader = DataLoader(
            self._reader,
            batch_sampler=(indices.tolist() for indices in wanted),
            num_workers=self._workers,
            collate_fn=_identity,
            pin_memory=self._device.type == "cuda",
            worker_init_fn=_start_worker,
            # otherwise the loader would draw from the generator that training uses
            generator=torch.Generator(),
            prefetch_factor=4 if self._workers else None,
        )
        return _prefetch(map(_raise_errors, loader), self._device)


class _Reader(Dataset[Any]):
    """Reads whole batches; returns a UsageError as data, so that no traceback is printed."""

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
    """Ignore Ctrl-C in a reading process: the rank that started it handles the signal.

    The rank stops its reading processes, if necessary with a signal; so no other is ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    torch.set_num_threads(1)


def _prefetch(batches: Iterator[Batch], device: torch.device) -> Iterator[Batch]:
    """Copy batches to the device; on a GPU the next one is copied during the current step."""
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
