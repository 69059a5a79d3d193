"""Collectives as operators, executed eagerly or inside a `tf.function`.

They are those of `npu_bridge`, with gradients as tapes compute them.
"""

import tensorflow as tf
from ascendify_runtime import collective_use
from npu_bridge.hccl import hccl_ops as _session_ops
from npu_bridge.hccl.hccl_ops import (
    receive,
    remote_read,
    remote_ref_read,
    remote_scatter_write,
    remote_write,
    send,
)


def allreduce(tensor, reduction, fusion=1, fusion_id=-1, group="hccl_world_group"):
    """Reduce over the ranks of the group; every rank gets the result."""
    _session_ops._check_fusion(fusion, (0, 1, 2))
    return reduce_together([tensor], reduction, group)[0]


def reduce_together(tensors, reduction, group="hccl_world_group"):
    """Reduce several tensors in one call; the gradient of a sum is the sum of the gradients."""
    collective_use.note_reduction()
    tensors = [tf.convert_to_tensor(tensor) for tensor in tensors]

    @tf.custom_gradient
    def reduced(*values):
        results = _session_ops.allreduce_fused(list(values), reduction, group=group)

        def gradients(*given):
            return _session_ops.allreduce_fused(list(given), "sum", group=group)

        return results, gradients

    results = reduced(*tensors)
    return list(results) if isinstance(results, (list, tuple)) else [results]


def allgather(tensor, rank_size, group="hccl_world_group"):
    """Return the tensors of all ranks on every rank, concatenated along the first axis."""
    return _session_ops.allgather(tensor, rank_size, group)


def broadcast(tensor, root_rank, fusion=2, fusion_id=0, group="hccl_world_group"):
    """Return the root's tensors on every rank; takes and returns a list."""
    collective_use.note_broadcast()
    return _session_ops.broadcast(tensor, root_rank, fusion, fusion_id, group)


def reduce(tensor, reduction, root_rank, fusion=0, fusion_id=-1, group="hccl_world_group"):
    """Reduce onto the root; the result on the other ranks is undefined."""
    return _session_ops.reduce(tensor, reduction, root_rank, fusion, fusion_id, group)


def reduce_scatter(tensor, reduction, rank_size, group="hccl_world_group"):
    """Reduce; every rank gets its share, split along the first axis."""
    return _session_ops.reduce_scatter(tensor, reduction, rank_size, group)
