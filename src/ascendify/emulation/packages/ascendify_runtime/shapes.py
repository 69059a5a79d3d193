"""Find shapes that are open when the graph is compiled, and fed shapes that change between runs."""

from ascendify_runtime import findings
from ascendify_runtime.framework import tf

_DATA_DEPENDENT = frozenset(
    (
        "Where",
        "Unique",
        "UniqueV2",
        "UniqueWithCounts",
        "UniqueWithCountsV2",
        "ListDiff",
        "DynamicPartition",
        "NonMaxSuppression",
        "NonMaxSuppressionV2",
        "NonMaxSuppressionV3",
        "NonMaxSuppressionV4",
        "NonMaxSuppressionV5",
        "NonMaxSuppressionWithOverlaps",
    )
)
"""Operators whose number of results always depends on the data."""
_HOST_TYPES = (tf.string, tf.variant, tf.resource)
_SIZES = frozenset(("Shape", "ShapeN", "Size", "Rank"))
_PYTHON_CALLS = frozenset(("PyFunc", "PyFuncStateless", "EagerPyFunc"))
_ALWAYS_PARTIAL = frozenset(("BatchDataset", "PaddedBatchDataset"))
"""Batch operators of old graphs, which cannot drop the remainder."""
_MAY_DROP = frozenset(
    (
        "BatchDatasetV2",
        "ParallelBatchDataset",
        "PaddedBatchDatasetV2",
        "MapAndBatchDataset",
        "ExperimentalMapAndBatchDataset",
    )
)
"""Batch operators whose last input says whether they drop the remainder."""
_MASK = (
    "Keep all elements and give the unwanted ones no weight, or compute it on the host: in the "
    "input pipeline, or after the run."
)
_FEED = "Give the placeholder its complete shape and feed full batches."
_STATIC = "Make the size a constant: take it from the static shape or from your configuration."
_ITERATOR = (
    "Batch with drop_remainder=True, and give every element a fixed shape in the input pipeline "
    "(set_shape, padded_shapes without None)."
)
_FUNCTION = "Call set_shape with the complete shape on its result."
_REMAINDER = (
    "Write drop_remainder=True; where every sample counts, pad the last batch to the full size."
)
_PARTIAL = "Leave the last, smaller batch of an epoch out, or pad it to the full size."
_ARGUMENT = "Batch with drop_remainder=True, and leave None out of input_signature and set_shape."
_WHOLE_BATCHES = (
    "Batch with drop_remainder=True; give fit() a multiple of the batch size if it takes arrays."
)
_SAME_ARGUMENT = "Pass one shape: pad or crop to a fixed size."
_SAME = "Feed one shape: pad or crop to a fixed size, or build one placeholder for each size."


def check(run, mixed):
    """Record where open dimensions enter the device graph."""
    for tensor in run.fed:
        _check_fed(run, tensor)
    tainted = {id(tensor) for tensor in run.fed if _is_open(tensor)}
    sizes = set()
    for operator in run.operators:
        opened = [tensor for tensor in _results(operator) if _is_open(tensor)]
        inherits = any(id(item) in tainted or id(item) in sizes for item in operator.inputs)
        if inherits:
            _follow(operator, tainted, sizes)
        if not opened:
            continue
        tainted.update(id(tensor) for tensor in opened)
        if operator.type.startswith("IteratorGetNext"):
            _check_iterator(run, operator, opened)
        elif run.refusal(operator) is not None and not mixed:
            continue  # the operator itself is refused, so its shape does not matter
        elif not inherits or operator.type in _DATA_DEPENDENT:
            _check_operator(run, operator, opened)


def _results(operator):
    """Return the outputs with data; some outputs of batch normalization only its gradient reads."""
    if operator.type.startswith("FusedBatchNorm"):
        return operator.outputs[:3]
    return operator.outputs


def _follow(operator, tainted, sizes):
    """Mark values computed from an open size as open, even if their own shape is known."""
    takes_open = any(id(item) in tainted for item in operator.inputs)
    counts = operator.type in _SIZES and takes_open
    carries = any(id(item) in sizes for item in operator.inputs)
    if counts or carries:
        sizes.update(id(item) for item in operator.outputs if item.dtype.base_dtype.is_integer)


def _check_fed(run, tensor):
    if not _is_open(tensor) or not run.device_consumers(tensor):
        return
    if run.of_function:
        _check_argument(run, tensor)
        return
    origin = run.origin(tensor.op)
    if origin.by_keras or origin.by_stand_in:
        return
    found = "the placeholder {!r} has {}".format(tensor.op.name, _shape_text(tensor))
    findings.record_once_a_line("EMU-SHAPE-1", findings.MANUAL, found, _FEED, origin.place)


def _check_argument(run, tensor):
    if run.is_body or tensor.dtype.base_dtype in _HOST_TYPES:
        return
    found = "the argument {!r} of a tf.function has {}".format(tensor.op.name, _shape_text(tensor))
    findings.record_once_a_line(
        "EMU-BATCH-1" if _only_batch_is_open(tensor) else "EMU-SHAPE-1",
        _function_status(run),
        found,
        _ARGUMENT,
        findings.user_place(),
    )


def check_retrace(run, known):
    """Record a new trace of a function that differs from a known one in shapes only."""
    pairs = list(zip(known.fed, run.fed))
    if len(known.fed) != len(run.fed) or any(old.dtype != new.dtype for old, new in pairs):
        return
    changed = [(old, new) for old, new in pairs if _dims(old) != _dims(new)]
    if not changed or any(_is_open(new) for _, new in changed):
        return
    old, new = changed[0]
    before, after = _dims(old), _dims(new)
    smaller = (
        before is not None
        and len(before) == len(after) > 0
        and before[1:] == after[1:]
        and after[0] < before[0]
    )
    found = "a tf.function is traced again because {!r} has the shape {} after {}".format(
        new.op.name, after, before
    )
    findings.record_once_a_line(
        "EMU-BATCH-1" if smaller else "EMU-SHAPE-2",
        _function_status(run),
        found,
        _PARTIAL if smaller else _SAME_ARGUMENT,
        findings.user_place(),
    )


def have_same_arguments(run, other):
    """Whether two traces of a function take tensors of the same types and shapes."""
    return [(one.dtype, _dims(one)) for one in run.fed] == [
        (one.dtype, _dims(one)) for one in other.fed
    ]


def _dims(tensor):
    return None if tensor.shape.rank is None else tensor.shape.as_list()


def _function_status(run):
    """Changing shapes only cost time in TensorFlow 2; in the training step they cost too much."""
    return findings.MANUAL if run.trains else findings.INFO


def _check_operator(run, operator, opened):
    if not run.on_device(operator) or run.kept_on_host(operator):
        return
    if all(item.dtype.base_dtype in _HOST_TYPES for item in opened):
        return
    if _counts_loop_steps(run, operator):
        return
    origin = run.origin(operator)
    if origin.for_gradients or origin.by_stand_in:
        return
    todo = _STATIC
    if operator.type in _DATA_DEPENDENT:
        todo = _MASK
    elif operator.type in _PYTHON_CALLS:
        todo = _FUNCTION
    found = "{} ({!r}) gives a tensor with {}".format(
        operator.type, operator.name, _shape_text(opened[0])
    )
    findings.record_once_a_line("EMU-SHAPE-1", findings.MANUAL, found, todo, origin.place)


def _counts_loop_steps(run, operator):
    """Whether it counts the elements of a TensorArray, whose length TensorFlow does not infer."""
    takers = [item for tensor in operator.outputs for item in run.device_consumers(tensor)]
    return bool(takers) and all(item.type.startswith("TensorArray") for item in takers)


def _check_iterator(run, operator, opened):
    taken = [
        tensor
        for tensor in opened
        if run.device_consumers(tensor) and tensor.dtype.base_dtype not in _HOST_TYPES
    ]
    if not taken:
        return
    origin = run.origin(operator)
    if run.of_function and all(map(_only_batch_is_open, taken)):
        found = "the data has a smaller last batch, so the iterator yields tensors with {}".format(
            _shape_text(taken[0])
        )
        findings.record_once_a_line(
            "EMU-BATCH-1", _function_status(run), found, _WHOLE_BATCHES, origin.place
        )
        return
    batches = _open_batches(operator) if all(map(_only_batch_is_open, taken)) else []
    if not batches:
        found = "the dataset iterator {!r} yields tensors with {}".format(
            operator.name, _shape_text(taken[0])
        )
        findings.record_once_a_line("EMU-SHAPE-1", findings.MANUAL, found, _ITERATOR, origin.place)
    for batch in batches:
        found = "the dataset keeps a smaller last batch, so it yields tensors with {}".format(
            _shape_text(taken[0])
        )
        place = run.origin(batch).place or origin.place
        findings.record_once_a_line("EMU-BATCH-1", findings.MANUAL, found, _REMAINDER, place)


def _open_batches(getter):
    """Return the batch operators without drop_remainder that may feed an iterator."""
    iterator = getter.inputs[0].op
    makers = [item for item in getter.inputs[0].consumers() if item.type == "MakeIterator"]
    if not makers:
        # An iterator from a string handle, or a dataset inside a function: any of them may feed it.
        makers = [item for item in iterator.graph.get_operations() if item.type == "MakeIterator"]
    pending = [maker.inputs[0].op for maker in makers]
    if not pending:
        pending = [item for item in iterator.graph.get_operations() if _is_batch(item)]
    found = {}
    seen = set()
    while pending:
        operator = pending.pop()
        if id(operator) in seen:
            continue
        seen.add(id(operator))
        if _is_batch(operator):
            if _keeps_remainder(operator):
                found[id(operator)] = operator
            continue
        pending += [item.op for item in operator.inputs if item.dtype.base_dtype == tf.variant]
    return list(found.values())


def _is_batch(operator):
    return operator.type in _MAY_DROP or operator.type in _ALWAYS_PARTIAL


def _keeps_remainder(operator):
    return operator.type in _ALWAYS_PARTIAL or not tf.get_static_value(operator.inputs[-1])


class Feeds:
    """The shapes fed to one run of a session so far."""

    def __init__(self):
        self._shapes = {}
        self._told = set()

    def check(self, items):
        """Record changes of a fed shape, once for each placeholder."""
        for tensor, shape in items:
            key = id(tensor)
            known = self._shapes.get(key)
            if known is None:
                self._shapes[key] = shape
            elif known != shape and key not in self._told:
                self._told.add(key)
                _record_change(tensor, known, shape)


def _record_change(tensor, known, shape):
    name = tensor.op.name
    smaller = known[1:] == shape[1:] and len(known) == len(shape) > 0 and shape[0] < known[0]
    if smaller:
        found = "{!r} is fed {} samples after {}".format(name, shape[0], known[0])
        place = findings.user_place()
        findings.record_once_a_line("EMU-BATCH-1", findings.MANUAL, found, _PARTIAL, place)
        return
    found = "{!r} is fed the shape {} after {}".format(name, list(shape), list(known))
    place = findings.user_place(tensor.op)
    findings.record("EMU-SHAPE-2", findings.MANUAL, found, _SAME, place)


def _is_open(tensor):
    return not tensor.shape.is_fully_defined()


def _only_batch_is_open(tensor):
    dims = tensor.shape
    return dims.ndims is not None and dims.ndims > 0 and dims[1:].is_fully_defined()


def _shape_text(tensor):
    if tensor.shape.ndims is None:
        return "no known rank"
    return "the open shape [{}]".format(
        ", ".join("?" if item is None else str(item) for item in tensor.shape.as_list())
    )
