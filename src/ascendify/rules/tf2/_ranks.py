"""Training on several devices, one process each: which rank is which, and their calls."""

from __future__ import annotations

from ascendify.rules.kit import File, Fix

DISTRIBUTE = "npu_device.distribute"
WRAPPER = "npu_distributed_keras_optimizer_wrapper"
ALL_REDUCE = (f"{DISTRIBUTE}.all_reduce", f"{DISTRIBUTE}.hccl.all_reduce")
BROADCAST = (f"{DISTRIBUTE}.broadcast", f"{DISTRIBUTE}.hccl.broadcast")
SHARD = (
    f"{DISTRIBUTE}.shard_and_rebatch_dataset",
    f"{DISTRIBUTE}.hccl.shard_and_rebatch_dataset",
)
WRAPPERS = frozenset(
    {
        f"{DISTRIBUTE}.{WRAPPER}",
        f"{DISTRIBUTE}.hccl.{WRAPPER}",
        "horovod.tensorflow.DistributedOptimizer",
        "horovod.tensorflow.keras.DistributedOptimizer",
        "horovod.keras.DistributedOptimizer",
    }
)
"""Calls that give an optimizer that reduces gradients over the ranks."""


def is_strategy_run(file: File) -> bool:
    """Whether the project trains on several devices without Horovod."""
    return file.facts.distributed == "tf_strategy"


def function(fix: Fix, name: str) -> str:
    """The spelling of a function of npu_device.distribute."""
    return f"{fix.use('npu_device')}.distribute.{name}"


def size(fix: Fix) -> str:
    """How many ranks train, as an expression."""
    return f"int({fix.use('os')}.getenv('RANK_SIZE', '1'))"
