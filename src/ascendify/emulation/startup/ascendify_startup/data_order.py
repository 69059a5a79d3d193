"""Make datasets give the same elements in the same order in every run.

A program may let threads decide the order ("sloppy" reading). TensorFlow 2 keeps it itself if
``TF_DETERMINISTIC_OPS`` is set; in TensorFlow 1.15 that variable affects only kernels. And where
several threads apply the function of ``map()``, it is chance which of them draws which random
number.
"""

import functools

from ascendify_startup import import_hooks

_LOOSE = "make_sloppy"
"""The dataset optimisation that the option ``experimental_deterministic = False`` switches on."""


def begin():
    """Keep the order and the random numbers of every dataset that is made from now on."""
    import_hooks.after("tensorflow", _patch)


def _patch():
    from tensorflow.python.data.ops import dataset_ops, readers

    interleave = getattr(readers, "ParallelInterleaveDataset", None)
    if interleave is not None:
        _read_in_turn(interleave)
    options = getattr(dataset_ops, "Options", None)
    if hasattr(options, "_static_optimizations"):
        _rewrite_nothing_loose(options)
    for name in ("DatasetV1", "DatasetV2"):
        dataset = getattr(dataset_ops, name, None)
        if dataset is not None and "shard" in vars(dataset):
            dataset.shard = _leave_whole(dataset.shard)
        if dataset is not None and "map" in vars(dataset):
            _map_in_turn(dataset)


def _leave_whole(original):
    """One shard of one is the dataset itself.

    TensorFlow 1.15 optimises a pipeline with such a shard in another way, in which a second pass
    comes in another order.
    """

    @functools.wraps(original)
    def shard(self, num_shards, index, *args, **kwargs):
        if isinstance(num_shards, int) and (num_shards, index) == (1, 0):
            return self
        return original(self, num_shards, index, *args, **kwargs)

    return shard


def _read_in_turn(dataset):
    """Read files one after the other, even if the next one is ready earlier."""
    original = dataset.__init__

    def initialise(self, source, function, cycle_length, block_length, sloppy, *rest, **named):
        original(self, source, function, cycle_length, block_length, False, *rest, **named)

    dataset.__init__ = initialise


def _rewrite_nothing_loose(options):
    original = options._static_optimizations

    def optimisations(self):
        return [name for name in original(self) if name != _LOOSE]

    options._static_optimizations = optimisations


def _map_in_turn(cls):
    """Apply functions to one element after the other; they may draw random numbers."""
    original = cls.__dict__["map"]

    @functools.wraps(original)
    def map_in_turn(self, map_func, num_parallel_calls=None, deterministic=None, **named):
        return original(self, map_func, **named)

    cls.map = map_in_turn
