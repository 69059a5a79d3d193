"""Every rank updates its share of the variables, which then go to all ranks."""

import tensorflow as tf

from npu_device.distribute.hccl import broadcast
from npu_device.npu_device import global_npu_ctx


class GroupingVars:
    """A division of variables among the ranks, so that each has about the same number of bytes."""

    def __init__(self, variables, rank_size):
        self._owners = []
        sizes = [0] * rank_size
        for variable in sorted(variables, key=_bytes, reverse=True):
            rank = sizes.index(min(sizes))
            sizes[rank] += _bytes(variable)
            self._owners.append((variable, rank))

    def get_gid_by_var(self, var):
        """Return the rank that updates a variable; -1 if it is unknown."""
        return next((rank for known, rank in self._owners if known is var), -1)


def _bytes(variable):
    # Keras 3 has variables whose type is a name
    return (variable.shape.num_elements() or 0) * tf.as_dtype(variable.dtype).size


def grouping_gradients_apply(apply_func, grads_and_vars, *args, **kwargs):
    """Apply the gradients of this rank's variables, then broadcast the variables of each rank."""
    handle = global_npu_ctx()
    if handle is None or not handle.is_cluster_worker():
        return apply_func(grads_and_vars, *args, **kwargs)
    pairs = tuple(grads_and_vars)
    variables = [variable for _, variable in pairs]
    groups = GroupingVars(variables, handle.workers_num)
    own = [pair for pair in pairs if groups.get_gid_by_var(pair[1]) == handle.worker_id]
    applied = apply_func(own, *args, **kwargs)
    with tf.control_dependencies([] if tf.executing_eagerly() else [tf.group(applied)]):
        _broadcast_groups(groups, variables, handle.workers_num)
    return applied


def grouping_broadcast(variables):
    """Broadcast each variable from the rank that updates it."""
    handle = global_npu_ctx()
    if handle is not None and handle.is_cluster_worker():
        groups = GroupingVars(variables, handle.workers_num)
        _broadcast_groups(groups, variables, handle.workers_num)


def _broadcast_groups(groups, variables, ranks):
    for rank in range(ranks):
        broadcast([one for one in variables if groups.get_gid_by_var(one) == rank], rank)
