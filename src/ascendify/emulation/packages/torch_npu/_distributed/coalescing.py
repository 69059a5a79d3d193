"""Combine several sends and receives, or collectives, into one work object."""

import torch
import torch.distributed as dist

from .groups import backend_of

_open = {}


class JoinedWork:
    """The work object of batch_isend_irecv: waiting for it waits for all its parts."""

    def __init__(self, works):
        self._works = [work for work in works if work is not None]

    def wait(self, *timeout):
        for work in self._works:
            work.wait(*timeout)
        return True

    synchronize = wait

    def is_completed(self):
        return all(work.is_completed() for work in self._works)

    def is_success(self):
        return all(work.is_success() for work in self._works)


def keep_for_the_end_of_the_block(backend, work):
    """Store work that was started inside a coalescing block, if one is open."""
    if backend.inner.group_name in _open:
        _open[backend.inner.group_name].append(work)


def install():
    """Wait at the end of a block for the work started in it; gloo has no coalescing."""
    start, end = dist.ProcessGroup._start_coalescing, dist.ProcessGroup._end_coalescing

    def _start_coalescing(self, device):
        backend = backend_of(self)
        if backend is None or torch.device(device).type != "npu":
            return start(self, device)
        _open[backend.inner.group_name] = []
        return None

    def _end_coalescing(self, device):
        backend = backend_of(self)
        if backend is None or torch.device(device).type != "npu":
            return end(self, device)
        return JoinedWork(_open.pop(backend.inner.group_name))

    dist.ProcessGroup._start_coalescing = _start_coalescing
    dist.ProcessGroup._end_coalescing = _end_coalescing
