"""Random numbers of a ``DTensor``, drawn on the CPU: each shard from a seed of its own.

The state of an accelerator's generator has 16 bytes: a seed and an offset. PyTorch gives each shard
an offset of its own, so that equal shards hold equal numbers and others do not. The generators of
the emulated NPU and of the pretended GPU are those of the CPU, whose state has no such offset. So
the class that keeps the offsets is replaced by one that seeds them, and both devices draw the same.
"""

import contextlib
import hashlib
import itertools

from ascendify_startup import import_hooks

_MODULES = ("torch.distributed.tensor._random", "torch.distributed._tensor.random")
"""The module of the class, in newer and in older releases."""
_MADE = itertools.count(1)


def begin(default):
    """Replace the class when a program imports it.

    Args:
        default: Returns the default generator of the device.
    """
    for name in _MODULES:
        import_hooks.after(name, lambda name=name: _replace(name, default))


def _replace(name, default):
    import sys

    module = sys.modules[name]
    module.OffsetBasedRNGTracker = _tracker(module.OffsetBasedRNGTracker, default)


def _tracker(stock, default):
    """Return the class that takes the place of PyTorch's."""
    # the class before ours, of which the base class keeps only the device
    prepare = stock.__mro__[1].__init__

    class OffsetBasedRNGTracker(stock):
        """Seeds the generator of the device for each operation that draws."""

        def __init__(self, device=None, run_state_sync=True, **named):
            prepare(self, _device_of(next(iter(named.values()), device)))
            self._begin(default().initial_seed())
            if run_state_sync:
                self._seed = _of_rank_0(self._seed)

        def _begin(self, seed):
            self._seed = self._last_seen = seed
            self._drawn = 0

        def _manual_seed(self, parallel_seed):
            self._begin(parallel_seed)
            self._last_seen = default().initial_seed()

        @contextlib.contextmanager
        def _distribute_region(self, spec, generator=None):
            if not self.distribute_region_enabled:
                yield
                return
            drawing = default()
            if generator is None:
                if drawing.initial_seed() != self._last_seen:  # the program has seeded it again
                    self._begin(drawing.initial_seed())
                self._drawn += 1
                parts = (self._seed, self._drawn)
            else:
                parts = (_draw_from(generator),)
            before = drawing.get_state()
            drawing.manual_seed(_mixed(*parts, _number_of_shard(spec)))
            try:
                yield
            finally:
                drawing.set_state(before)

    OffsetBasedRNGTracker.__module__ = stock.__module__
    return OffsetBasedRNGTracker


def _device_of(given):
    """Return what the base class of the release takes: a device, or only its type."""
    import torch

    if given is None or isinstance(given, str):  # torch before 2.6
        return given or "cuda"
    kind = given.device_type
    module = getattr(torch, kind)
    return torch.device(kind, module.current_device())


def _of_rank_0(seed):
    """Return the seed of rank 0, through the store of the job."""
    from torch.distributed import distributed_c10d

    store = distributed_c10d._get_default_store()
    key = "ascendify_dtensor_seed_%d" % next(_MADE)
    if distributed_c10d.get_rank() == 0:
        store.set(key, str(seed))
    return int(store.get(key))


def _draw_from(generator):
    """Draw a number from a generator of the program, which then goes on from there."""
    import torch

    copy = torch._C.Generator("cpu")
    copy.set_state(generator.get_state())
    number = int(torch.randint(1 << 62, (), generator=copy, device="cpu"))
    generator.set_state(copy.get_state())
    return number


def _mixed(*parts):
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def _number_of_shard(spec):
    """Return the same number for ranks with the same shard of a tensor, another for others."""
    number = 0
    coordinate = spec.mesh.get_coordinate() or ()
    for axis, (place, placement) in enumerate(zip(coordinate, spec.placements)):
        if placement.is_shard():
            number = number * spec.mesh.size(axis) + int(place)
    return number
