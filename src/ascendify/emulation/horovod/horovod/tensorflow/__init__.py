"""Stand-in for ``horovod.tensorflow``: collectives, broadcasts, optimizers and tapes."""

from ascendify_runtime.framework import leave_unconverted, tf, uncounted_ops

from horovod._basics import choose_reduction, only_all_ranks
from horovod._missing import missing, refuse
from horovod.tensorflow.compression import Compression
from horovod.tensorflow.mpi_ops import (
    Adasum,
    Average,
    Max,
    Min,
    ProcessSet,
    Product,
    Sum,
    _executing_eagerly,
    add_process_set,
    allgather,
    alltoall,
    broadcast,
    broadcast_,
    ccl_built,
    cross_rank,
    cross_size,
    cuda_built,
    ddl_built,
    gather_all,
    global_process_set,
    gloo_built,
    gloo_enabled,
    grouped_allgather,
    init,
    is_homogeneous,
    is_initialized,
    join,
    local_rank,
    local_rank_op,
    local_size,
    local_size_op,
    mpi_built,
    mpi_enabled,
    mpi_threads_supported,
    name_of,
    nccl_built,
    rank,
    rank_op,
    reduce_all,
    remove_process_set,
    rocm_built,
    shutdown,
    size,
    size_op,
    start_timeline,
    stop_timeline,
)

leave_unconverted("horovod")

_OBJECTS = "it sends arrays only; broadcast numbers with hvd.broadcast"

PartialDistributedGradientTape = missing(
    "PartialDistributedGradientTape", "it reduces all gradients of a tape"
)
SyncBatchNormalization = missing("SyncBatchNormalization", "it has no layers")
allgather_object = missing("allgather_object", _OBJECTS)
broadcast_object = missing("broadcast_object", _OBJECTS)
broadcast_object_fn = missing("broadcast_object_fn", _OBJECTS)
reducescatter = missing("reducescatter", "it reduces, gathers and broadcasts only")
grouped_reducescatter = missing("grouped_reducescatter", "it reduces, gathers and broadcasts only")


def allreduce(
    tensor,
    average=None,
    device_dense="",
    device_sparse="",
    compression=Compression.none,
    op=None,
    prescale_factor=1.0,
    postscale_factor=1.0,
    name=None,
    process_set=global_process_set,
    ignore_name_scope=False,
):
    """Reduce a tensor over all ranks; sparse gradients (IndexedSlices) are gathered."""
    only_all_ranks(process_set)
    op = choose_reduction(op, average)
    scales = prescale_factor, postscale_factor
    if isinstance(tensor, tf.IndexedSlices):
        _check_slices(op, scales)
        return _gathered([tensor], op, name_of("Allgather", tensor.values), device_sparse)[0]
    with uncounted_ops():
        tensor = tensor if hasattr(tensor, "dtype") else tf.convert_to_tensor(tensor)
    name = name or name_of("Allreduce", tensor)
    key = name if ignore_name_scope else None
    return _reduced([tensor], op, name, device_dense, compression, scales, key)[0]


def grouped_allreduce(
    tensors,
    average=None,
    device_dense="",
    device_sparse="",
    compression=Compression.none,
    op=None,
    prescale_factor=1.0,
    postscale_factor=1.0,
    process_set=global_process_set,
    ignore_name_scope=False,
    name=None,
):
    """Reduce several tensors over all ranks in one call."""
    only_all_ranks(process_set)
    if not tensors:
        return tensors
    name = name or name_of("GroupedAllreduce", tensors[0], tensors[-1])
    return _all_reduced(
        tensors,
        choose_reduction(op, average),
        name,
        (device_dense, device_sparse),
        compression,
        (prescale_factor, postscale_factor),
        name if ignore_name_scope else None,
    )


def _all_reduced(tensors, op, name, devices, compression, scales=(1.0, 1.0), key=None):
    """Reduce dense tensors in one call and gather IndexedSlices in another; None entries stay."""
    given = list(tensors)
    slices = [one for one in given if isinstance(one, tf.IndexedSlices)]
    dense = [one for one in given if one is not None and not isinstance(one, tf.IndexedSlices)]
    if slices:
        _check_slices(op, scales)
    dense = iter(_reduced(dense, op, name, devices[0], compression, scales, key))
    slices = iter(_gathered(slices, op, name + "_slices", devices[1], key and key + "_slices"))
    return [
        None if one is None else next(slices if isinstance(one, tf.IndexedSlices) else dense)
        for one in given
    ]


def _reduced(tensors, op, name, device, compression, scales, key=None):
    if not tensors:
        return []
    with uncounted_ops(), tf.device(device):
        compressed, contexts = zip(*[compression.compress(tensor) for tensor in tensors])
        sums = reduce_all(compressed, op, name, scales[0], scales[1], key)
        return [compression.decompress(one, context) for one, context in zip(sums, contexts)]


def _gathered(slices, op, name, device, key=None):
    """Concatenate the IndexedSlices of all ranks, which represents their sum."""
    if not slices:
        return []
    with uncounted_ops(), tf.device(device):
        parts = [one.values for one in slices] + [one.indices for one in slices]
        parts = gather_all(parts, name, key)
        values, indices = parts[: len(slices)], parts[len(slices) :]
        if op == Average:
            values = [tf.divide(one, tf.cast(size(), one.dtype)) for one in values]
        return [
            tf.IndexedSlices(value, index, dense_shape=one.dense_shape)
            for one, value, index in zip(slices, values, indices)
        ]


def _check_slices(op, scales):
    if op not in (Sum, Average):
        raise NotImplementedError("Only Sum and Average ops are supported with tf.IndexedSlices")
    if scales != (1.0, 1.0):
        raise NotImplementedError("Pre/postscale_factor are not supported with tf.IndexedSlices")


def broadcast_variables(variables, root_rank, process_set=global_process_set, inplace=False):
    """Return an operation that sets variables to their values on the root."""
    with uncounted_ops():
        return tf.group(*broadcast_(variables, root_rank, process_set=process_set))


def broadcast_global_variables(root_rank):
    """Return an operation that sets all global variables to their values on the root."""
    if _executing_eagerly():
        raise RuntimeError(
            "hvd.broadcast_global_variables() does not support eager execution. "
            "Please use `hvd.broadcast_variables(<model/optimizer variables>)` instead."
        )
    return broadcast_variables(tf.global_variables(), root_rank)


class BroadcastGlobalVariablesHook(tf.train.SessionRunHook):
    """Session hook that broadcasts the global variables of one rank."""

    def __init__(self, root_rank, device=""):
        super(BroadcastGlobalVariablesHook, self).__init__()
        self.root_rank = root_rank
        self.bcast_op = None
        self.device = device

    def begin(self):
        """Add the operation before the graph is finalised."""
        if not self.bcast_op or self.bcast_op.graph != tf.get_default_graph():
            with tf.device(self.device):
                self.bcast_op = broadcast_global_variables(self.root_rank)

    def after_create_session(self, session, coord):
        """Broadcast, after variables were initialised or restored."""
        session.run(self.bcast_op)


def reducer(
    name,
    device_dense="",
    device_sparse="",
    compression=Compression.none,
    sparse_as_dense=False,
    op=Average,
    gradient_predivide_factor=1.0,
):
    """Return a function that reduces all gradients of an optimizer in one call."""
    op = choose_reduction(op, None)
    scales = (1.0 / gradient_predivide_factor, gradient_predivide_factor)
    scales = scales if op == Average else (1.0, 1.0)

    def reduced(gradients):
        gradients = list(gradients)
        if size() == 1:
            return gradients
        with uncounted_ops(), tf.name_scope(name + "_Allreduce"):
            if sparse_as_dense:
                gradients = [
                    tf.convert_to_tensor(one) if isinstance(one, tf.IndexedSlices) else one
                    for one in gradients
                ]
            devices = device_dense, device_sparse
            return _all_reduced(gradients, op, "HorovodAllreduce", devices, compression, scales)

    return reduced


class _DistributedOptimizer(tf.train.Optimizer):
    """An optimizer around another one, whose gradients it reduces over all ranks."""

    def __init__(self, optimizer, name, use_locking, reduce_gradients):
        super(_DistributedOptimizer, self).__init__(name=name, use_locking=use_locking)
        self._optimizer = optimizer
        self._allreduce_grads = reduce_gradients

    def compute_gradients(self, *args, **kwargs):
        """Gradients reduced over all ranks."""
        gradients, variables = zip(*self._optimizer.compute_gradients(*args, **kwargs))
        return list(zip(self._allreduce_grads(gradients), variables))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Apply the gradients with the inner optimizer."""
        return self._optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def get_slot(self, *args, **kwargs):
        """A slot of the inner optimizer."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """The slots of the inner optimizer."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self, *args, **kwargs):
        """The variables of the inner optimizer."""
        return self._optimizer.variables(*args, **kwargs)

    def register_local_var(self, var):
        """Refuse."""
        refuse("variables of one rank", "it reduces all gradients of an optimizer")


def check_optimizer(
    op=Average,
    gradient_predivide_factor=1.0,
    backward_passes_per_step=1,
    num_groups=0,
    groups=None,
    process_set=global_process_set,
):
    """Refuse options that this optimizer does not support; ``groups`` does not change results."""
    only_all_ranks(process_set)
    if op == Adasum:
        refuse("Adasum", "it sums and averages only")
    if op not in (Average, Sum):
        raise ValueError("op currently only supports Average and Sum")
    if gradient_predivide_factor != 1.0 and op != Average:
        raise ValueError("gradient_predivide_factor not supported with op != Average")
    if backward_passes_per_step > 1:
        refuse("backward_passes_per_step above 1", "it reduces the gradients at every step")
    groups = groups if groups is not None else (num_groups or None)
    if groups is not None and not isinstance(groups, list) and groups <= 0:
        raise ValueError(
            "groups should be a non-negative integer or a list of list of tf.Variable."
        )


class _DistributedGradientTape(object):
    """A tape around another one, whose gradients it reduces over all ranks."""

    def __init__(self, tape, reduce_gradients):
        self._tape_of_one_rank = tape
        self._allreduce_grads = reduce_gradients

    def __getattr__(self, name):
        return getattr(self._tape_of_one_rank, name)

    def __enter__(self):
        self._tape_of_one_rank.__enter__()
        return self

    def __exit__(self, *error):
        return self._tape_of_one_rank.__exit__(*error)

    def gradient(self, target, sources, output_gradients=None):
        """Gradients reduced over all ranks."""
        gradients = self._tape_of_one_rank.gradient(target, sources, output_gradients)
        if not isinstance(gradients, (list, tuple)):
            return self._allreduce_grads([gradients])[0]
        return self._allreduce_grads(gradients)


def DistributedGradientTape(
    gradtape,
    device_dense="",
    device_sparse="",
    compression=Compression.none,
    sparse_as_dense=False,
    op=Average,
    gradient_predivide_factor=1.0,
    num_groups=0,
    groups=None,
    process_set=global_process_set,
    scale_local_gradients=True,
):
    """Return a tape that reduces gradients over all ranks."""
    check_optimizer(op, gradient_predivide_factor, 1, num_groups, groups, process_set)
    options = (device_dense, device_sparse, compression, sparse_as_dense, op)
    reduce_gradients = reducer("DistributedGradientTape", *options, gradient_predivide_factor)
    return _DistributedGradientTape(gradtape, reduce_gradients)


def DistributedOptimizer(
    optimizer,
    name=None,
    use_locking=False,
    device_dense="",
    device_sparse="",
    compression=Compression.none,
    sparse_as_dense=False,
    backward_passes_per_step=1,
    op=Average,
    gradient_predivide_factor=1.0,
    average_aggregated_gradients=False,
    num_groups=0,
    groups=None,
    process_set=global_process_set,
    scale_local_gradients=True,
):
    """Return an optimizer that reduces gradients over all ranks before it applies them."""
    check_optimizer(
        op, gradient_predivide_factor, backward_passes_per_step, num_groups, groups, process_set
    )
    options = (device_dense, device_sparse, compression, sparse_as_dense, op)
    options += (gradient_predivide_factor,)
    if isinstance(optimizer, tf.train.Optimizer):
        name = name or "Distributed{}".format(type(optimizer).__name__)
        return _DistributedOptimizer(optimizer, name, use_locking, reducer(name, *options))
    from horovod._keras import distributed

    return distributed(optimizer, name, *options)
