"""Optimizers that average gradients over the ranks.

All dense gradients of a call go into one collective, summed in the order of the ranks and then
divided by their number, so that the average is the same on every rank to the last bit. With one
rank no op is added, except by `npu_allreduce`, which always calls the collectives.
"""

import os

from ascendify_runtime.framework import need_keras_2, tf, uncounted_ops
from ascendify_runtime.world import world

from npu_bridge.estimator.npu import util
from npu_bridge.estimator.npu.npu_common import NPUBasics
from npu_bridge.estimator.npu.npu_hook import broadcast_variables
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import (
    apply_when_finite,
    scale_loss,
    unscale_gradients,
)
from npu_bridge.hccl import hccl_ops

_WORLD = "hccl_world_group"
_ADDS = os.environ.get("ASCENDIFY_ADD_GRADIENTS") == "1"
"""Whether averages are sums, in a control run with a loss that is a sum over the batch."""


def _rank_size():
    return int(util.get_ranksize())


def _job_rank_size():
    """Return the size of the job from the job information, as the older functions do."""
    return int(NPUBasics("").jobinfo.rank_size)


def _divide(tensor, size):
    return tensor if _ADDS else tf.divide(tensor, tf.cast(size, tensor.dtype.base_dtype))


def _gathered(slices, size, average):
    """Concatenate the sparse gradients of all ranks.

    Values and indices depend on each other, so that every rank calls the same collectives in the
    same order, even if it uses only one of the two.
    """
    indices = hccl_ops.allgather(slices.indices, size)
    with tf.control_dependencies([indices]):
        values = hccl_ops.allgather(slices.values, size)
    values = _divide(values, size) if average else values
    return tf.IndexedSlices(values, indices, dense_shape=slices.dense_shape)


def _reduced(gradients, size, average=True, reduction="sum", name="NPUAllreduce"):
    """Return the gradients reduced over all ranks; None entries stay."""
    with uncounted_ops(), tf.name_scope(name):
        dense = [g for g in gradients if g is not None and not isinstance(g, tf.IndexedSlices)]
        sums = iter(hccl_ops.allreduce_fused(dense, reduction, name=name) if dense else ())
        return [_one_reduced(gradient, sums, size, average) for gradient in gradients]


def _one_reduced(gradient, sums, size, average):
    if gradient is None:
        return None
    if isinstance(gradient, tf.IndexedSlices):
        return _gathered(gradient, size, average)
    return _divide(next(sums), size) if average else next(sums)


def allreduce(tensor, average=True):
    """Sum or average a tensor over all ranks."""
    size = _job_rank_size()
    return tensor if size <= 1 else _reduced([tensor], size, average)[0]


def reduce(tensor, root_rank, average=True, fusion=0, fusion_id=-1):
    """Sum or average a tensor onto one rank; the result on the other ranks is undefined."""
    if os.getenv("DEVICE_ID") is None:
        raise ValueError("The environment variable DEVICE_ID is not set")
    size = _job_rank_size()
    if size <= 1:
        return tensor
    if isinstance(tensor, tf.IndexedSlices):
        return _gathered(tensor, size, average)
    with uncounted_ops(), tf.name_scope("NPUReduce"):
        total = hccl_ops.reduce(tensor, "sum", root_rank, fusion, fusion_id)
        return _divide(total, size) if average and world().rank == root_rank else total


def npu_allreduce(values, reduction="mean", fusion=1, fusion_id=-1, group=_WORLD):
    """Reduce tensors over the ranks of a group; return a list for a list or a tuple."""
    many = isinstance(values, (list, tuple))
    average = reduction == "mean"
    operation = "sum" if average else reduction
    size = _rank_size()
    with uncounted_ops(), tf.name_scope("NPUAllreduce"):
        given = [_tensor(value) for value in (values if many else [values])]
        dense = [value for value in given if not isinstance(value, tf.IndexedSlices)]
        if group == _WORLD and size > 1:
            sums = iter(hccl_ops.allreduce_fused(dense, operation, name="NPUAllreduce"))
        else:
            sums = iter([hccl_ops.allreduce(d, operation, fusion, fusion_id, group) for d in dense])
        reduced = [_one_reduced(value, sums, size, average) for value in given]
    return reduced if many else reduced[0]


def _tensor(value):
    return value if isinstance(value, tf.IndexedSlices) else tf.convert_to_tensor(value)


class _Around(tf.train.Optimizer):
    """An optimizer that wraps another one and has its slots and variables."""

    def __init__(self, optimizer, name):
        self._optimizer = optimizer
        super(_Around, self).__init__(use_locking=False, name=name)

    def compute_gradients(self, *args, **kwargs):
        """Compute gradients with the inner optimizer."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, *args, **kwargs):
        """Apply gradients with the inner optimizer."""
        return self._optimizer.apply_gradients(*args, **kwargs)

    def get_slot(self, *args, **kwargs):
        """A slot of the inner optimizer."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """The slots of the inner optimizer."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self, *args, **kwargs):
        """The variables of the inner optimizer."""
        return self._optimizer.variables(*args, **kwargs)


def _averaged(grads_and_vars, name):
    """Average the gradients of (gradient, variable) pairs if there are several ranks."""
    pairs = list(grads_and_vars)
    if _rank_size() <= 1:
        return pairs
    size = _job_rank_size()
    gradients = _reduced([gradient for gradient, _ in pairs], size, name=name)
    return [(gradient, variable) for gradient, (_, variable) in zip(gradients, pairs)]


class NPUDistributedOptimizer(_Around):
    """Averages gradients over the ranks before the inner optimizer applies them.

    With weight update sharding every rank applies its share of the gradients and broadcasts the
    updated variables.
    """

    def __init__(self, optimizer, is_weight_update_sharding=False, name=None):
        name = name or "Distributed%s" % type(optimizer).__name__
        super(NPUDistributedOptimizer, self).__init__(optimizer, name)
        self._is_weight_update_sharding = is_weight_update_sharding

    def compute_gradients(self, *args, **kwargs):
        """Compute gradients averaged over the ranks."""
        pairs = self._optimizer.compute_gradients(*args, **kwargs)
        pairs = _averaged(pairs, "%sAllreduce" % self._name)
        if self._is_weight_update_sharding and _rank_size() > 1:
            util.add_grads_and_vars(pairs, _rank_size())
        return pairs

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Apply all gradients, or the share of this rank."""
        pairs = list(grads_and_vars)
        if not self._is_weight_update_sharding or _rank_size() <= 1:
            return self._optimizer.apply_gradients(pairs, global_step, name)
        pairs = [pair for pair in pairs if pair[0] is not None]
        owners = {id(item.var): item.root_rank_id for item in util.get_all_grad_item()}
        # every rank must average all gradients, also those it does not apply
        gradients = tf.tuple([gradient for gradient, _ in pairs])
        variables = [variable for _, variable in pairs]
        mine = [p for p in zip(gradients, variables) if owners.get(id(p[1])) == world().rank]
        last = self._optimizer.apply_gradients(mine, global_step, name)
        for root in range(_rank_size()):
            with tf.control_dependencies([last]):
                shared = [v for v in variables if owners.get(id(v)) == root]
                last = broadcast_variables(shared, root)
        return last


class NPUOptimizer(_Around):
    """Optimizer with averaging and loss scaling."""

    def __init__(
        self,
        opt,
        loss_scale_manager=None,
        is_distributed=False,
        is_loss_scale=False,
        is_tailing_optimization=False,
        name=None,
    ):
        if is_loss_scale and loss_scale_manager is None:
            raise ValueError("is_loss_scale is True, loss_scale_manager can not be None")
        super(NPUOptimizer, self).__init__(opt, name or "NPUOptimizer%s" % type(opt).__name__)
        self._loss_scale_manager = loss_scale_manager
        self._is_distributed = is_distributed
        self._is_loss_scale = is_loss_scale
        self._is_tailing_optimization = is_tailing_optimization

    def compute_gradients(self, loss, *args, **kwargs):
        """Compute gradients, through the scaled loss and averaged if the options say so."""
        scale = self._loss_scale_manager.get_loss_scale() if self._is_loss_scale else None
        scaled = loss if scale is None else scale_loss(loss, scale)
        pairs = self._optimizer.compute_gradients(scaled, *args, **kwargs)
        if self._is_distributed:
            pairs = _averaged(pairs, "%sAllreduce" % self._name)
        return pairs if scale is None else unscale_gradients(pairs, scale)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Apply the gradients, unless scaled ones overflowed."""
        pairs = list(grads_and_vars)

        def apply():
            return self._optimizer.apply_gradients(pairs, global_step, name)

        if not self._is_loss_scale:
            return apply()
        return apply_when_finite(apply, pairs, self._loss_scale_manager, self._is_distributed)


def _average_in_place(optimizer, size):
    """Wrap the methods that compute gradients, to average them over the ranks."""
    name = "%sAllreduce" % type(optimizer).__name__

    def pairs_averaged(compute):
        def wrapper(*args, **kwargs):
            pairs = list(compute(*args, **kwargs))
            gradients = _reduced([gradient for gradient, _ in pairs], size, name=name)
            return [(gradient, variable) for gradient, (_, variable) in zip(gradients, pairs)]

        return wrapper

    def list_averaged(compute):
        def wrapper(*args, **kwargs):
            return _reduced(compute(*args, **kwargs), size, name=name)

        return wrapper

    methods = {
        "compute_gradients": pairs_averaged,
        "_compute_gradients": pairs_averaged,
        "get_gradients": list_averaged,
    }
    if not any(hasattr(optimizer, method) for method in methods):
        need_keras_2("Keras optimizer that computes gradients")
    for method, averaged in methods.items():
        if hasattr(optimizer, method):
            setattr(optimizer, method, averaged(getattr(optimizer, method)))


def npu_distributed_optimizer_wrapper(optimizer):
    """Make an optimizer average gradients over the ranks; return the same object.

    The number of ranks is read once, here.
    """
    if isinstance(optimizer, str):
        optimizer = tf.keras.optimizers.get(optimizer)
    size = _rank_size()
    if size > 1:
        _average_in_place(optimizer, size)
    return optimizer


class KerasDistributeOptimizer:
    """A Keras optimizer whose gradients are averaged over the ranks.

    The wrapped optimizer is changed in place and returned, so that Keras sees a class it knows:
    configuration, slots and checkpoints are those of the wrapped one.
    """

    def __new__(cls, optimizer, name="NpuKerasOptimizer", **kwargs):
        """Return the wrapped optimizer."""
        return npu_distributed_optimizer_wrapper(optimizer)
