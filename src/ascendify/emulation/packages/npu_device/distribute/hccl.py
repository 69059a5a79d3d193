"""Collectives for training: gradients, variables, datasets, optimizers."""

import os

import tensorflow as tf
from absl import logging
from ascendify_runtime import collective_use

from npu_device.distribute import hccl_ops
from npu_device.npu_device import global_npu_ctx
from npu_device.utils.scope import npu_gradients_scope, npu_optimizer_scope

_ADDS = os.environ.get("ASCENDIFY_ADD_GRADIENTS") == "1"
"""Whether averages are sums, in a control run with a loss that is a sum over the batch."""
_MULTIPLIED = (tf.float16, tf.float32, tf.float64)
"""Types whose mean is the sum times 1/n; other types are divided."""
_BASE_CLASSES_WITHOUT_GRADIENTS = ("Optimizer", "_BaseOptimizer", "BaseOptimizer")


def shard_and_rebatch_dataset(dataset, global_bs):
    """Return this rank's share of a dataset, and its share of the batch size."""
    handle = global_npu_ctx()
    if handle is None or handle.workers_num <= 1:
        return dataset, global_bs
    if global_bs % handle.workers_num != 0:
        raise ValueError("Batch size must be divisible by num npus: {}".format(handle.workers_num))
    return dataset.shard(handle.workers_num, handle.worker_id), global_bs // handle.workers_num


def all_reduce(values, reduction="mean", fusion=1, fusion_id=-1, group="hccl_world_group"):
    """Reduce a tensor, or a list of them, over the ranks; None stays None."""
    handle = global_npu_ctx()
    if handle is None or not handle.is_cluster_worker():
        logging.info("Skip all reduce as current process is not npu cluster worker")
        return values
    several = isinstance(values, (list, tuple))
    listed = list(values) if several else [values]
    given = [value for value in listed if value is not None]
    reduced = iter(_all_reduce(given, reduction, fusion, group, handle.workers_num))
    results = [None if value is None else next(reduced) for value in listed]
    return results if several else results[0]


def _all_reduce(values, reduction, fusion, group, ranks):
    hccl_ops._session_ops._check_fusion(fusion, (0, 1, 2))
    collective_use.tell_observers(values, reduction)
    mean = reduction == "mean"
    totals = hccl_ops.reduce_together(values, "sum" if mean else reduction, group) if values else []
    if not mean or _ADDS:
        return totals
    return [
        total * tf.cast(1.0 / ranks, total.dtype)
        if total.dtype in _MULTIPLIED
        else tf.divide(total, tf.cast(ranks, total.dtype))
        for total in totals
    ]


def broadcast(values, root_rank=0, fusion=2, fusion_id=0, group="hccl_world_group"):
    """Assign the root's values to a variable, or to a list of them, on every rank."""
    handle = global_npu_ctx()
    if handle is None or not handle.is_cluster_worker():
        logging.info("Skip broadcast as current process is not npu cluster worker")
        return
    variables = list(values) if isinstance(values, (list, tuple)) else [values]
    if not variables:
        return
    collective_use.note_broadcast()
    received = hccl_ops.broadcast(
        [tf.convert_to_tensor(one) for one in variables], root_rank, fusion, fusion_id, group
    )
    for variable, value in zip(variables, received):
        variable.assign(value)


def npu_distributed_keras_optimizer_wrapper(
    optimizer, reduce_reduction="mean", fusion=1, fusion_id=-1, group="hccl_world_group"
):
    """Let an optimizer reduce gradients over the ranks before it applies them; return it."""
    optimizer = tf.keras.optimizers.get(optimizer)
    apply_gradients = optimizer.apply_gradients

    def reduce_and_apply(grads_and_vars, *args, **kwargs):
        gradients, variables = zip(*grads_and_vars)
        with npu_optimizer_scope():
            reduced = all_reduce(gradients, reduce_reduction, fusion, fusion_id, group)
            return apply_gradients(zip(reduced, variables), *args, **kwargs)

    if not _is_of_a_newer_keras(optimizer):
        _mark_gradients(optimizer)
    optimizer.apply_gradients = reduce_and_apply
    return optimizer


def _mark_gradients(optimizer):
    """Set an attribute on the operators of the gradients.

    The second name is a slip of the adapter: `get_gradients` itself stays as it is.
    """
    get_gradients, compute_gradients = optimizer.get_gradients, optimizer._compute_gradients

    def marked(method):
        def call(*args, **kwargs):
            with npu_gradients_scope():
                return method(*args, **kwargs)

        return call

    optimizer._compute_gradients = marked(compute_gradients)
    optimizer.get_gradient = marked(get_gradients)


def _is_of_a_newer_keras(optimizer):
    """Whether it is of a kind that the adapter's TensorFlow 2.6 does not have."""
    names = [base.__name__ for base in type(optimizer).__mro__]
    return "OptimizerV2" not in names and any(
        name in _BASE_CLASSES_WITHOUT_GRADIENTS for name in names
    )


def npu_callbacks_append(callbacks_list=()):
    """Return a list of callbacks with the broadcast callback; anything but a list is dropped."""
    from npu_device.distribute.npu_callbacks import NPUBroadcastGlobalVariablesCallback

    callbacks_list = callbacks_list if isinstance(callbacks_list, list) else []
    callbacks_list.append(NPUBroadcastGlobalVariablesCallback(0))
    return callbacks_list
