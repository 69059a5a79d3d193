"""Collectives as operations of the graph, which exchange data between the processes of the job.

Each call is one stateful ``PyFunc`` under a name scope such as ``HcomAllReduce``, with the static
shape kept and the attribute ``_ascendify_collective``. Calls of the ranks are matched by the name
of the scope, so ranks with the same graph match in any order of execution. On one rank collectives
are the identity; the checks of types and arguments stay.
"""

from ascendify_runtime.comm import limits
from ascendify_runtime.comm.groups import LONGEST_NAME, WORLD_GROUP
from ascendify_runtime.framework import tf
from ascendify_runtime.world import world

REDUCTIONS = ("min", "max", "prod", "sum")
_REDUCED = "AscendifyHcomReduced"
"""The gradient of a reduction is the sum of the ranks' gradients."""
_NONE = "AscendifyHcomNoGradient"
"""Never registered: such a gradient is an error, as on the device."""


def allreduce(tensor, reduction, fusion=1, fusion_id=-1, group="hccl_world_group"):
    """Reduce over the ranks of the group; every rank gets the result."""
    if isinstance(tensor, tf.Variable):
        raise ValueError(
            "HcomAllReduce cannot take a variable itself ({}); give it tf.identity of it".format(
                tensor.name
            )
        )
    _check_fusion(fusion, (0, 1, 2))
    return allreduce_fused([tf.convert_to_tensor(tensor)], reduction, group=group)[0]


def allreduce_fused(tensors, reduction, name=None, group=WORLD_GROUP):
    """Reduce a list of tensors in one call; return a list."""
    _check_group(group)
    _check_reduction("HcomAllReduce", reduction)
    tensors = _tensors(tensors, "allreduce", reduction)
    if not tensors:
        return []
    with tf.name_scope(name or "HcomAllReduce") as scope:

        def run(*arrays):
            return world().allreduce(arrays, reduction, scope, group)

        shapes = [tensor.shape for tensor in tensors]
        return _collective("allreduce", run, tensors, shapes, scope, group, _REDUCED)


def allgather(tensor, rank_size, group="hccl_world_group", fusion=0, fusion_id=-1):
    """Return the tensors of all ranks on every rank, concatenated along the first axis."""
    _check_group(group)
    _check_fusion(fusion, (0, 2))
    _check_rank_size(rank_size, group)
    tensor = _tensors([tensor], "allgather")[0]
    if tensor.shape.ndims == 0:
        raise ValueError("HcomAllGather needs a tensor of rank 1 or more, {} is a scalar".format(
            tensor.name))  # fmt: skip
    with tf.name_scope("HcomAllGather") as scope:

        def run(array):
            return world().allgather([array], scope, group)

        shape = _first(tensor.shape, lambda size: size * rank_size)
        return _collective("allgather", run, [tensor], [shape], scope, group)[0]


def broadcast(tensor, root_rank, fusion=2, fusion_id=0, group="hccl_world_group"):
    """Return the root's tensors on every rank; takes and returns a list."""
    if not isinstance(tensor, (list, tuple)):
        raise TypeError(
            "Expected list for 'input' argument to 'HcomBroadcast' Op, not {}.".format(tensor)
        )
    _check_fusion(fusion, (0, 2))
    return broadcast_fused(tensor, root_rank, group=group)


def broadcast_fused(tensors, root, name=None, group=WORLD_GROUP):
    """Broadcast a list of tensors or variables in one call; return a list."""
    _check_group(group)
    _check_rank("root_rank", root, group)
    tensors = _tensors(tensors, "broadcast")
    if not tensors:
        return []
    with tf.name_scope(name or "HcomBroadcast") as scope:

        def run(*arrays):
            return world().broadcast(arrays, root, scope, group)

        shapes = [tensor.shape for tensor in tensors]
        return _collective("broadcast", run, tensors, shapes, scope, group)


def reduce(tensor, reduction, root_rank, fusion=0, fusion_id=-1, group="hccl_world_group"):
    """Reduce onto the root; the result on the other ranks is undefined."""
    _check_group(group)
    _check_fusion(fusion, (0, 2))
    _check_reduction("HcomReduce", reduction)
    _check_rank("root_rank", root_rank, group)
    tensor = _tensors([tensor], "reduce", reduction)[0]
    with tf.name_scope("HcomReduce") as scope:

        def run(array):
            return world().reduce([array], reduction, root_rank, scope, group)

        return _collective("reduce", run, [tensor], [tensor.shape], scope, group)[0]


def reduce_scatter(tensor, reduction, rank_size, group="hccl_world_group", fusion=0, fusion_id=-1):
    """Reduce; every rank gets its share, split along the first axis."""
    _check_group(group)
    _check_fusion(fusion, (0, 2))
    _check_reduction("HcomReduceScatter", reduction)
    _check_rank_size(rank_size, group)
    tensor = _tensors([tensor], "reduce_scatter", reduction)[0]
    shape = tensor.shape.as_list() if tensor.shape.ndims is not None else [None]
    if not shape or (shape[0] is not None and shape[0] % rank_size):
        raise ValueError(
            "HcomReduceScatter needs a first dimension that rank_size {} divides; "
            "the shape is {}".format(rank_size, shape)
        )
    with tf.name_scope("HcomReduceScatter") as scope:

        def run(array):
            return world().reduce_scatter([array], reduction, scope, group)

        shape = _first(tensor.shape, lambda size: size // rank_size)
        return _collective("reduce_scatter", run, [tensor], [shape], scope, group)[0]


def send(tensor, sr_tag, dest_rank, group="hccl_world_group"):
    """Send a tensor to one rank, which must build ``receive`` with the same tag."""
    _check_group(group)
    _check_peer("dest_rank", dest_rank, group)
    tensor = _tensors([tensor], "send")[0]
    with tf.name_scope("HcomSend"):

        def run(array):
            world().send([array], dest_rank, "tag {}".format(sr_tag), group)
            return []

        return _function("send", run, [tensor], [], group)


def receive(shape, data_type, sr_tag, src_rank, group="hccl_world_group"):
    """Receive the tensor that one rank sends with this tag."""
    _check_group(group)
    _check_peer("src_rank", src_rank, group)
    dtype = tf.as_dtype(data_type)
    limits.check_dtype("receive", dtype.name)
    shape = tf.TensorShape(shape)
    if not shape.is_fully_defined():
        raise ValueError("HcomReceive needs a shape that is fully known, not {}".format(shape))
    with tf.name_scope("HcomReceive") as scope:

        def run():
            expected = [(shape.as_list(), dtype.as_numpy_dtype)]
            return world().receive(expected, src_rank, "tag {}".format(sr_tag), group)

        result = _function("receive", run, [], [dtype], group)[0]
        result.set_shape(shape)
        return tf.identity(result, name=scope)


def all_to_all_v(
    send_data,
    send_counts,
    send_displacements,
    recv_counts,
    recv_displacements,
    group="hccl_world_group",
):
    """Send a piece of data from every rank to every rank; counts are in elements, as int64."""
    _check_group(group)
    data = _tensors([send_data], "all_to_all_v")[0]
    counts = _int64("send_counts", send_counts), _int64("send_displacements", send_displacements)
    counts += _int64("recv_counts", recv_counts), _int64("recv_displacements", recv_displacements)
    with tf.name_scope("HcomAllToAllV") as scope:

        def run(array, *numbers):
            return [world().all_to_all_v(array, *numbers, name=scope, group=group)]

        return _exchange("all_to_all_v", run, data, counts, scope, group)


def all_to_all_v_c(
    send_data, send_count_matrix, rank, fusion=0, fusion_id=-1, group="hccl_world_group"
):
    """As all_to_all_v, with one matrix that is the same on every rank."""
    _check_group(group)
    _check_fusion(fusion, (0, 2))
    data = _tensors([send_data], "all_to_all_v_c")[0]
    matrix = _int64("send_count_matrix", send_count_matrix)
    if group == WORLD_GROUP and rank != world().rank:
        raise ValueError("rank is {}, but this process is rank {}".format(rank, world().rank))
    with tf.name_scope("HcomAllToAllVC") as scope:

        def run(array, counts):
            return [world().all_to_all_v_c(array, counts, scope, group)]

        return _exchange("all_to_all_v_c", run, data, [matrix], scope, group)


def gather_all_to_all_v(
    addrinfo,
    addrinfo_count_per_rank,
    recv_counts,
    recv_displacements,
    dtype,
    addr_length,
    group="hccl_world_group",
):
    """Raise an error: it reads at addresses of device memory, which is not emulated."""
    _no_remote_memory("gather_all_to_all_v")


def remote_read(tensorRemote, data_type):
    """Raise an error: it reads the memory of another device, which is not emulated."""
    _no_remote_memory("remote_read")


def remote_ref_read(tensorRemote, cache, offset):
    """Raise an error: it reads the memory of another device, which is not emulated."""
    _no_remote_memory("remote_ref_read")


def remote_write(tensorRemote, tensorLocal, data_type):
    """Raise an error: it writes the memory of another device, which is not emulated."""
    _no_remote_memory("remote_write")


def remote_scatter_write(tensorRemote, tensorLocal, offset):
    """Raise an error: it writes the memory of another device, which is not emulated."""
    _no_remote_memory("remote_scatter_write")


def _no_remote_memory(name):
    raise NotImplementedError(
        "{} moves data between the memories of devices by their addresses (RDMA). A CPU has no "
        "such memory, so this cannot be emulated; try it on the device.".format(name)
    )


def _collective(kind, run, tensors, shapes, scope, group, gradient=_NONE):
    """Return the outputs of one call, named after the scope; on one rank the tensors themselves."""
    if world().size == 1:
        results = tensors
    else:
        dtypes = [tensor.dtype.base_dtype for tensor in tensors]
        results = _function(kind, run, tensors, dtypes, group, gradient)
        for result, shape in zip(results, shapes):
            result.set_shape(shape)
    if len(results) == 1:
        return [tf.identity(results[0], name=scope)]
    return [tf.identity(result, name="output") for result in results]


def _exchange(kind, run, data, counts, scope, group):
    result = _function(kind, run, [data] + list(counts), [data.dtype.base_dtype], group)[0]
    result.set_shape([None])
    return tf.identity(result, name=scope)


def _function(kind, run, tensors, dtypes, group, gradient=_NONE):
    """Return one PyFunc with an attribute that distinguishes it from the user's own."""
    graph = tf.get_default_graph()
    carried = [_carrier(dtype) for dtype in dtypes]
    own = [tensor.dtype.base_dtype for tensor in tensors]
    inputs = [
        tensor if _carrier(dtype) == dtype else tf.bitcast(tensor, _carrier(dtype))
        for tensor, dtype in zip(tensors, own)
    ]

    def call(*arrays):
        given = [array.view(dtype.as_numpy_dtype) if _carrier(dtype) != dtype else array
                 for array, dtype in zip(arrays, own)]  # fmt: skip
        results = run(*given)
        return [result.view(carrier.as_numpy_dtype) if carrier != dtype else result
                for result, carrier, dtype in zip(results, carried, dtypes)]  # fmt: skip

    attributes = {"_ascendify_collective": kind, "_ascendify_group": group}
    attributes = {key: tf.AttrValue(s=text.encode("utf-8")) for key, text in attributes.items()}
    with graph._attr_scope(attributes), graph.gradient_override_map({"PyFunc": gradient}):
        outputs = tf.numpy_function(call, inputs, carried, name="call")
    if not dtypes:
        return outputs
    if not isinstance(outputs, (list, tuple)):
        outputs = [outputs]  # executed eagerly, a list of one becomes its element
    return [
        output if carrier == dtype else tf.bitcast(output, dtype)
        for output, carrier, dtype in zip(outputs, carried, dtypes)
    ]


def _carrier(dtype):
    """Return the type that carries values through Python: integers for bfloat16."""
    return tf.int16 if dtype == tf.bfloat16 else dtype


@tf.RegisterGradient(_REDUCED)
def _reduced_gradient(op, *gradients):
    given = [gradient for gradient in gradients if gradient is not None]
    group = op.get_attr("_ascendify_group").decode("utf-8")
    reduced = iter(allreduce_fused(given, "sum", group=group))
    return [None if gradient is None else next(reduced) for gradient in gradients]


def _tensors(values, kind, reduction=None):
    tensors = [tf.convert_to_tensor(value) for value in values]
    for tensor in tensors:
        dtype = tensor.dtype.base_dtype
        limits.check_dtype(kind, dtype.name, reduction)
        count = tensor.shape.num_elements()
        if count is not None and count * dtype.size > limits.MOST_BYTES:
            raise ValueError("{} has more than 8 GB, the most HCCL takes".format(tensor.name))
    return tensors


def _int64(name, value):
    tensor = tf.convert_to_tensor(value)
    if tensor.dtype.base_dtype != tf.int64:
        raise TypeError("{} must be int64, not {}".format(name, tensor.dtype.base_dtype.name))
    return tensor


def _first(shape, change):
    """Return a shape with its first dimension changed."""
    if shape.ndims is None:
        return shape
    sizes = shape.as_list()
    return tf.TensorShape([None if sizes[0] is None else change(sizes[0])] + sizes[1:])


def _check_reduction(op, reduction):
    if reduction not in REDUCTIONS:
        raise ValueError(
            "Value for attr 'reduction' of \"{}\" is not in the list of allowed values: {}; "
            "in op {}".format(reduction, ", ".join('"{}"'.format(one) for one in REDUCTIONS), op)
        )


def _check_fusion(fusion, allowed):
    if fusion not in allowed:
        raise ValueError(
            "fusion is {!r}; it must be one of {}".format(fusion, ", ".join(map(str, allowed)))
        )


def _check_group(group):
    if not isinstance(group, str) or not 0 < len(group) <= LONGEST_NAME:
        raise ValueError(
            "group is {!r}; it must be a text of 1 to {} characters".format(group, LONGEST_NAME)
        )


def _size(group):
    """Return the number of ranks of a group, or None if it does not exist yet."""
    try:
        return len(world().group(group))
    except ValueError:
        return None


def _check_rank_size(rank_size, group):
    if not isinstance(rank_size, int) or rank_size <= 0:
        raise ValueError("rank_size is {!r}; it must be an int above 0".format(rank_size))
    size = _size(group)
    if size is not None and size != rank_size:
        raise ValueError("rank_size is {}, but group {} has {} ranks".format(
            rank_size, group, size))  # fmt: skip


def _check_rank(name, rank, group):
    size = _size(group)
    if not isinstance(rank, int) or rank < 0 or (size is not None and rank >= size):
        last = "" if size is None else " below {}, the size of group {}".format(size, group)
        raise ValueError("{} is {!r}; it must be an int from 0{}".format(name, rank, last))


def _check_peer(name, rank, group):
    _check_rank(name, rank, group)
    members = world().group(group) if _size(group) is not None else ()
    if rank < len(members) and members[rank] == world().rank:
        raise ValueError("{} is {}, which is this rank itself".format(name, rank))
