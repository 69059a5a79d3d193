"""Let what a sample contributes to a training depend on nothing but the sample and the weights.

Several devices that divide the batch of one then compute what one computes, so that their numbers
can be compared: samples are read in order, random numbers are the same for every sample, step and
device, nothing is dropped, and batch normalization takes 0 and 1 for the statistics of its batch.
"""

import functools

from ascendify_startup import import_hooks

_BOUND_TO = ("tensorflow.python.ops.nn", "tensorflow.nn", "tensorflow.compat.v1.nn")
"""Modules that offer ``moments``, besides the one that defines it."""
_SHARED = "_ascendify_shared_rows"
_INITIALIZER = "Initializer"
"""The name scope in which TensorFlow computes the first value of a variable."""


def begin():
    """Change TensorFlow when it is imported."""
    import_hooks.after("tensorflow", _patch)
    import_hooks.after("tensorflow_estimator", _read_arrays_in_order)


def _patch():
    _read_in_order()
    _draw_once()
    _vary_variables()
    _keep_all()
    _normalise_alone()


def _read_in_order():
    from tensorflow.python.data.experimental.ops import shuffle_ops
    from tensorflow.python.data.ops import dataset_ops
    from tensorflow.python.ops import data_flow_ops, random_ops

    for name in ("DatasetV1", "DatasetV2"):
        dataset = getattr(dataset_ops, name, None)
        if dataset is not None and "shuffle" in vars(dataset):
            dataset.shuffle = _in_order(dataset.shuffle)

    def repeat(dataset, buffer_size, count=None, seed=None):
        return dataset.repeat(count)

    # what ``shuffle_and_repeat`` makes
    shuffle_ops._ShuffleAndRepeatDataset = repeat
    random_ops.gen_random_ops.random_shuffle = _unshuffled
    data_flow_ops.RandomShuffleQueue = _queue_in_order(data_flow_ops.FIFOQueue)


def _in_order(original):
    @functools.wraps(original)
    def shuffle(self, *args, **kwargs):
        return self

    return shuffle


def _unshuffled(value, seed=0, seed2=0, name=None):
    from tensorflow.python.ops import array_ops

    return array_ops.identity(value, name=name)


def _queue_in_order(queue):
    def make(capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, **named):
        return queue(capacity, dtypes, shapes=shapes, names=names, **named)

    return make


def _read_arrays_in_order():
    from tensorflow_estimator.python.estimator.inputs.queues import feeding_functions

    original = feeding_functions._enqueue_data

    @functools.wraps(original)
    def enqueue(data, capacity, shuffle=False, **named):
        return original(data, capacity, shuffle=False, **named)

    feeding_functions._enqueue_data = enqueue


def _draw_once():
    """Replace operators that go on drawing by those that give the same numbers every time."""
    from tensorflow.python.ops import gen_random_ops, gen_stateless_random_ops

    for name in ("random_uniform", "random_uniform_int", "random_standard_normal"):
        stateless = name.replace("standard_", "")
        draw = getattr(gen_stateless_random_ops, "stateless_%s" % stateless)
        setattr(gen_random_ops, name, _the_same(draw))
    draw = gen_stateless_random_ops.stateless_truncated_normal
    gen_random_ops.truncated_normal = _the_same(draw)


def _the_same(draw):
    """Return an operator that draws by its own number alone, and one row for all rows.

    The rows may be the samples of a batch. Those of a variable get numbers of their own later.
    """

    def drawn(shape, *limits, **named):
        from tensorflow.python.framework import ops
        from tensorflow.python.ops import array_ops

        named.pop("seed", None)
        seed = [0, named.pop("seed2", 0)]
        shape = ops.convert_to_tensor(shape)
        every = draw(shape, seed, *limits, **named)
        if _INITIALIZER in ops.get_default_graph().get_name_scope():
            return every
        named.pop("name", None)  # taken by the other operator
        row = array_ops.concat([array_ops.ones_like(shape[:1]), shape[1:]], 0)
        shared = array_ops.broadcast_to(draw(row, seed, *limits, **named), shape)
        _rows(shared.graph)[shared.op.name] = every
        return shared

    return drawn


def _rows(graph):
    """The tensors with one row for all rows, by operation, with the tensor that has all."""
    if not hasattr(graph, _SHARED):
        setattr(graph, _SHARED, {})
    return getattr(graph, _SHARED)


def _vary_variables():
    """Let variables begin with numbers of their own in every row, as ``tf.Variable(x)`` asks."""
    from tensorflow.python.ops import variables

    original = variables.default_variable_creator

    @functools.wraps(original)
    def create(next_creator=None, **named):
        named["initial_value"] = _with_all_rows(named.get("initial_value"))
        return original(next_creator, **named)

    variables.default_variable_creator = create


def _with_all_rows(value):
    """Return a tensor computed from all rows of what was drawn; other values stay."""
    graph = getattr(value, "graph", None)
    every = _rows(graph) if graph is not None and hasattr(value, "op") else {}
    pending = [value.op] if every else []
    seen = set(pending)
    while pending:
        operation = pending.pop()
        for index, tensor in enumerate(operation.inputs):
            if tensor.op.name in every:
                operation._update_input(index, every[tensor.op.name])
            elif tensor.op not in seen:
                seen.add(tensor.op)
                pending.append(tensor.op)
    return every.get(value.op.name, value) if every else value


def _keep_all():
    """Drop nothing: ``tf.nn.dropout``, layers of Keras and recurrent cells all come here."""
    from tensorflow.python.ops import nn_ops

    def dropout(x, *args, **kwargs):
        from tensorflow.python.framework import ops

        return ops.convert_to_tensor(x)

    for name in ("dropout_v2", "_dropout"):
        if hasattr(nn_ops, name):
            setattr(nn_ops, name, functools.wraps(getattr(nn_ops, name))(dropout))


def _normalise_alone():
    """Normalise by the constants with which moving averages begin."""
    import importlib

    from tensorflow.python.ops import gen_nn_ops, nn_impl

    gen_nn_ops.fused_batch_norm_v3 = _with_constants(gen_nn_ops.fused_batch_norm_v3)
    original = nn_impl.moments
    nn_impl.moments = _constant_moments(original)
    for name in _BOUND_TO:
        module = importlib.import_module(name)
        if module.moments is original:
            module.moments = nn_impl.moments


def _with_constants(original):
    @functools.wraps(original)
    def normalise(x, scale, offset, mean, variance, is_training=True, **named):
        from tensorflow.python.ops import array_ops

        if is_training:
            named.pop("exponential_avg_factor", None)
            mean, variance = array_ops.zeros_like(scale), array_ops.ones_like(scale)
        result = original(x, scale, offset, mean, variance, is_training=False, **named)
        return result._replace(batch_mean=mean, batch_variance=variance) if is_training else result

    return normalise


def _constant_moments(original):
    @functools.wraps(original)
    def moments(x, axes, *args, **kwargs):
        from tensorflow.python.ops import array_ops

        mean, variance = original(x, axes, *args, **kwargs)
        if not _over_batch(axes):
            return mean, variance
        return array_ops.zeros_like(mean), array_ops.ones_like(variance)

    return moments


def _over_batch(axes):
    """Whether statistics are computed over the first dimension, which is that of the batch."""
    return 0 in (axes if isinstance(axes, (list, tuple, range)) else [axes])
