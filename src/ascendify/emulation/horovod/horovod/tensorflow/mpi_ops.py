"""Collectives as operations of the graph, or at once on eager tensors.

In a graph, each call is one ``PyFunc`` under the name that Horovod would give its operation. Calls
of the ranks are matched by that name, as in Horovod, so the other parts of their graphs may differ.
Tensors that belong together, such as the gradients of an optimizer, go into one call.

These operations do not change the seeds of random operations that the user adds later.
"""

import re

import numpy as np
from ascendify_runtime.framework import tf, uncounted_ops
from ascendify_runtime.world import world

from horovod._basics import (
    Adasum,
    Average,
    Max,
    Min,
    ProcessSet,
    Product,
    Sum,
    add_process_set,
    ccl_built,
    cross_rank,
    cross_size,
    cuda_built,
    ddl_built,
    global_process_set,
    gloo_built,
    gloo_enabled,
    init,
    is_homogeneous,
    is_initialized,
    joined_world,
    local_rank,
    local_size,
    mpi_built,
    mpi_enabled,
    mpi_threads_supported,
    nccl_built,
    only_all_ranks,
    rank,
    remove_process_set,
    rocm_built,
    shutdown,
    size,
    start_timeline,
    stop_timeline,
)
from horovod._missing import missing, refuse
from horovod.tensorflow import _threads

_REDUCTIONS = {Average: "sum", Sum: "sum", Min: "min", Max: "max", Product: "prod"}
_GRADIENT = "AscendifyHorovod"
_ATTRIBUTE = "_ascendify_horovod_"

_threads.make_room()

join = missing("join", "every rank must run the same number of steps")
alltoall = missing("alltoall", "it reduces, gathers and broadcasts only")


def _executing_eagerly():
    return tf.executing_eagerly()


def reduce_all(tensors, op, name, prescale_factor=1.0, postscale_factor=1.0, key=None):
    """Reduce a list of tensors in one call; return a list."""
    tensors = _tensors(tensors)

    def run(tag, arrays):
        return reduce_arrays(arrays, op, tag, prescale_factor, postscale_factor)

    alone = prescale_factor == postscale_factor == 1.0
    about = {"op": op, "prescale": prescale_factor, "postscale": postscale_factor}
    shapes = [tensor.shape for tensor in tensors]
    return _collective("Reduce", run, tensors, shapes, name, key, alone, about)


def reduce_arrays(arrays, op, tag, prescale_factor=1.0, postscale_factor=1.0):
    """Reduce numpy arrays, outside the graph."""
    arrays = [_scaled(array, prescale_factor) for array in arrays]
    results = joined_world().allreduce(arrays, _REDUCTIONS[op], tag)
    divisor = size() if op == Average else 1
    return [_finished(one, divisor, postscale_factor) for one in results]


def gather_all(tensors, name, key=None):
    """Concatenate the tensors of all ranks on every rank; their first sizes may differ."""
    tensors = _tensors(tensors)
    for tensor in tensors:
        if tensor.shape.ndims == 0:
            raise ValueError("allgather needs at least one dimension, {} has none".format(tensor))

    def run(tag, arrays):
        lengths = np.array([[len(array) for array in arrays]], np.int64)
        lengths = world().allgather([lengths], tag + " sizes")[0]
        longest = lengths.max(axis=0)
        gathered = world().allgather(
            [_padded(array, length) for array, length in zip(arrays, longest)], tag
        )
        return [_cut(one, lengths[:, n], longest[n]) for n, one in enumerate(gathered)]

    shapes = [_any_first(tensor.shape) for tensor in tensors]
    return _collective("Gather", run, tensors, shapes, name, key)


def broadcast_all(tensors, root_rank, name, key=None):
    """Return the tensors of the root on every rank."""
    if not 0 <= root_rank < size():
        raise ValueError("root_rank is {}; it must be 0 to {}".format(root_rank, size() - 1))
    tensors = _tensors(tensors)

    def run(tag, arrays):
        return world().broadcast(arrays, root_rank, tag)

    shapes = [tensor.shape for tensor in tensors]
    about = {"root": root_rank}
    return _collective("Broadcast", run, tensors, shapes, name, key, about=about)


def _collective(kind, run, tensors, shapes, name, key=None, alone=True, about=None):
    """Add one collective to the graph and return its named results; identity for a single rank."""
    if tf.executing_eagerly():
        return _now(run, tensors, key or name, alone)
    with uncounted_ops(), tf.name_scope(name) as scope:
        if joined_world().size == 1 and alone:
            results = tensors
        else:
            results = _function(kind, run, tensors, key or scope.rstrip("/"), about or {})
            for result, shape in zip(results, shapes):
                result.set_shape(shape)
        if len(results) == 1:
            return [tf.identity(results[0], name=scope)]
        return [tf.identity(result, name="output") for result in results]


def _now(run, tensors, tag, alone):
    """Run a collective on eager tensors, which a tape sees as constants."""
    if joined_world().size == 1 and alone:
        return tensors
    arrays = run(tag, [tensor.numpy() for tensor in tensors])
    return [tf.constant(array, tensor.dtype) for array, tensor in zip(arrays, tensors)]


def _function(kind, run, tensors, tag, about):
    def call(*arrays):
        return run(tag, arrays)

    graph = tf.get_default_graph()
    attributes = {
        _ATTRIBUTE + key: tf.AttrValue(s=str(value).encode("utf-8"))
        for key, value in dict(about, name=tag).items()
    }
    dtypes = [tensor.dtype.base_dtype for tensor in tensors]
    with graph._attr_scope(attributes), graph.gradient_override_map({"PyFunc": _GRADIENT + kind}):
        return tf.numpy_function(call, tensors, dtypes, name="call")


def _tensors(values):
    tensors = [tf.convert_to_tensor(value) for value in values]
    for tensor in tensors:
        if tensor.dtype.base_dtype in (tf.string, tf.bfloat16, tf.variant, tf.resource):
            refuse("collectives of {}".format(tensor.dtype.base_dtype.name), "numpy lacks them")
    return tensors


def _scaled(array, factor):
    if factor == 1.0:
        return array
    if array.dtype.kind == "f":
        precise = np.float32 if array.dtype == np.float16 else array.dtype
        return (array.astype(precise) * _number_of(precise, factor)).astype(array.dtype)
    return np.trunc(array * float(factor)).astype(array.dtype)


def _number_of(dtype, value):
    return np.dtype(dtype).type(value)


def _finished(array, divisor, factor):
    """Finish a reduction: divide a sum for an average, never multiply by a rounded reciprocal."""
    if factor != 1.0:
        return _scaled(array, factor / divisor)
    if divisor == 1:
        return array
    if array.dtype.kind in "fc":
        return array / _number_of(array.dtype, divisor)
    return np.trunc(array / float(divisor)).astype(array.dtype)


def _padded(array, length):
    missing_rows = [(0, length - len(array))] + [(0, 0)] * (array.ndim - 1)
    return np.pad(array, missing_rows, "constant") if length > len(array) else array


def _cut(gathered, lengths, longest):
    pieces = [gathered[n * longest : n * longest + own] for n, own in enumerate(lengths)]
    return np.concatenate(pieces)


def _any_first(shape):
    if shape.ndims is None or size() == 1:
        return shape
    return tf.TensorShape([None] + shape.as_list()[1:])


@tf.RegisterGradient(_GRADIENT + "Reduce")
def _reduce_gradient(op, *gradients):
    """Reduce the gradients with the same reduction, as Horovod does."""
    scales = float(_about(op, "prescale")), float(_about(op, "postscale"))
    return reduce_all(gradients, int(_about(op, "op")), _gradient_name(op), *scales)


@tf.RegisterGradient(_GRADIENT + "Gather")
def _gather_gradient(op, *gradients):
    """Return this rank's rows of the averaged gradients."""
    name = _gradient_name(op)
    averaged = reduce_all(gradients, Average, name)
    rows = [tf.reshape(tf.shape(tensor)[0], [1]) for tensor in op.inputs]
    counts = gather_all(rows, name + "_rows")
    pieces = zip(averaged, counts)
    return [tf.split(one, tf.reshape(rows, [size()]), axis=0)[rank()] for one, rows in pieces]


@tf.RegisterGradient(_GRADIENT + "Broadcast")
def _broadcast_gradient(op, *gradients):
    """Return the averaged gradients on the root, zeros elsewhere."""
    averaged = reduce_all(gradients, Average, _gradient_name(op))
    if rank() != int(_about(op, "root")):
        return [one * 0 for one in averaged]
    return averaged


def _gradient_name(op):
    return "Gradient_" + normalised(_about(op, "name"))


def _about(op, key):
    return op.get_attr(_ATTRIBUTE + key).decode("utf-8")


def normalised(name):
    """Replace characters that names of operations cannot have."""
    return re.sub("[^a-zA-Z0-9_]", "_", name)


def name_of(kind, *tensors):
    """Return the name that Horovod gives an operation on these tensors; eager ones have none."""
    names = [normalised(_own_name(tensor) or "value") for tensor in tensors]
    return "Horovod{}_{}".format(kind, "_".join(names))


def _own_name(tensor):
    try:
        return getattr(tensor, "name", None)
    except AttributeError:
        return None


def allgather(tensor, name=None, ignore_name_scope=False, process_set=global_process_set):
    """Concatenate the tensors of all ranks along the first axis."""
    only_all_ranks(process_set)
    name = name or name_of("Allgather", tensor)
    return gather_all([tensor], name, name if ignore_name_scope else None)[0]


def grouped_allgather(tensors, name=None, ignore_name_scope=False, process_set=global_process_set):
    """Gather several tensors in one call."""
    only_all_ranks(process_set)
    name = name or name_of("GroupedAllgather", tensors[0], tensors[-1])
    return gather_all(tensors, name, name if ignore_name_scope else None)


def broadcast(
    tensor, root_rank, name=None, ignore_name_scope=False, process_set=global_process_set
):
    """Return the tensor of the root."""
    only_all_ranks(process_set)
    name = name or name_of("Broadcast", tensor)
    return broadcast_all([tensor], root_rank, name, name if ignore_name_scope else None)[0]


def broadcast_(variables, root_rank, name=None, process_set=global_process_set):
    """Set variables to their values on the root."""
    only_all_ranks(process_set)
    variables = list(variables)
    if not variables:
        return []
    name = name or name_of("Broadcast", variables[0], variables[-1])
    with uncounted_ops():
        values = broadcast_all(variables, root_rank, name)
        return [variable.assign(value) for variable, value in zip(variables, values)]


def size_op(process_set_id=0, name=None):
    """The number of ranks as a tensor."""
    return _constant(size(), name or "HorovodSize")


def local_size_op(name=None):
    """The number of ranks of this server as a tensor."""
    return _constant(local_size(), name or "HorovodLocalSize")


def rank_op(name=None):
    """The rank as a tensor."""
    return _constant(rank(), name or "HorovodRank")


def local_rank_op(name=None):
    """The rank on this server as a tensor."""
    return _constant(local_rank(), name or "HorovodLocalRank")


def _constant(value, name):
    with uncounted_ops():
        return tf.constant(value, tf.int32, name=name)
