"""Training on several devices, one process each: who is which rank, and the calls between them."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import File, Fix
from ascendify.source.flow import backward
from ascendify.source.nodes import conditions_around

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
RANK = re.compile(r"rank|master|chief|is_main|worker_id|RANK_ID|DEVICE_ID", re.I)
"""Words by which people tell one rank from the others."""


def is_strategy_run(file: File) -> bool:
    """Whether the project trains on several devices without Horovod."""
    return file.facts.distributed == "tf_strategy"


def function(fix: Fix, name: str) -> str:
    """The spelling of a function of npu_device.distribute."""
    return f"{fix.use('npu_device')}.distribute.{name}"


def rank(fix: Fix) -> str:
    """Which of the ranks this process is, as an expression; 0 where there is one."""
    return f"int({fix.use('os')}.getenv('RANK_ID', '0'))"


def size(fix: Fix) -> str:
    """How many ranks train, as an expression."""
    return f"int({fix.use('os')}.getenv('RANK_SIZE', '1'))"


def is_for_one_rank(file: File, node: ast.AST) -> bool:
    """Whether a node stands in a branch that only some ranks take."""
    return any(tells_ranks(file, test) for test in conditions_around(node))


def tells_ranks(file: File, node: ast.expr) -> bool:
    """Whether an expression, or what is assigned to the variable it is, depends on the rank."""
    if RANK.search(file.text(node)):
        return True
    return isinstance(node, ast.Name) and any(
        binding.value is not None and RANK.search(file.text(binding.value)) is not None
        for binding in backward.bindings(node)
    )
