"""Stand-in for Horovod with stand-alone Keras."""

import keras

from horovod import _keras as _common
from horovod._missing import missing
from horovod.keras import callbacks
from horovod.tensorflow import (
    Adasum,
    Average,
    Compression,
    ProcessSet,
    Sum,
    add_process_set,
    ccl_built,
    check_optimizer,
    cross_rank,
    cross_size,
    cuda_built,
    ddl_built,
    global_process_set,
    gloo_built,
    gloo_enabled,
    init,
    is_initialized,
    local_rank,
    local_size,
    mpi_built,
    mpi_enabled,
    mpi_threads_supported,
    nccl_built,
    rank,
    remove_process_set,
    rocm_built,
    shutdown,
    size,
    start_timeline,
    stop_timeline,
)

PartialDistributedOptimizer = missing(
    "PartialDistributedOptimizer", "it reduces all gradients of an optimizer"
)
reducescatter = missing("reducescatter", "it reduces, gathers and broadcasts only")


def DistributedOptimizer(
    optimizer,
    name=None,
    device_dense="",
    device_sparse="",
    compression=Compression.none,
    sparse_as_dense=False,
    gradient_predivide_factor=1.0,
    op=Average,
    num_groups=0,
    groups=None,
):
    """Return an optimizer that reduces gradients over all ranks before it applies them."""
    check_optimizer(op, gradient_predivide_factor, 1, num_groups, groups)
    options = device_dense, device_sparse, compression, sparse_as_dense, op
    return _common.distributed(optimizer, name, *options, gradient_predivide_factor)


def broadcast_global_variables(root_rank):
    """Set all global variables to their values on the root, immediately."""
    return _common.broadcast_global_variables(keras.backend, root_rank)


def allreduce(
    value,
    name=None,
    average=True,
    prescale_factor=1.0,
    postscale_factor=1.0,
    op=None,
    compression=Compression.none,
):
    """Reduce a value over all ranks, immediately."""
    return _common.allreduce(
        keras.backend,
        value,
        name,
        average=average,
        prescale_factor=prescale_factor,
        postscale_factor=postscale_factor,
        op=op,
        compression=compression,
    )


def allgather(value, name=None):
    """Concatenate the values of all ranks, immediately."""
    return _common.allgather(keras.backend, value, name)


def broadcast(value, root_rank, name=None):
    """Return the value of the root, immediately."""
    return _common.broadcast(keras.backend, value, root_rank, name)


def load_model(
    filepath,
    custom_optimizers=None,
    custom_objects=None,
    compression=Compression.none,
    legacy_opts=False,
):
    """Load a model whose optimizer then reduces gradients over all ranks."""

    def wrap(optimizer):
        return DistributedOptimizer(optimizer, compression=compression)

    return _common.load_model(keras, wrap, filepath, custom_optimizers, custom_objects, legacy_opts)
