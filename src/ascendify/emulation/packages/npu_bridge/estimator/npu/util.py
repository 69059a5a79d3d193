"""Checks of arguments, iteration offload, and attributes of ops."""

import functools
import os
import re

from ascendify_runtime.framework import tf, uncounted_ops
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.client import session as session_lib

_RUN_CONFIG = "npu_runconfig"
_ITERATIONS = "iterations_per_loop"
_ITERATION_OP = re.compile(r"(^|/)IterationOp(_\d+)?$")
_EXECUTE_MODES = ("lazy_recompile", "dynamic_execute")


# --- checks ---------------------------------------------------------------------------------------


def check_not_none(value, name):
    """Refuse None."""
    if value is None:
        raise ValueError("%s should not be None" % name)


def check_positive_integer(value, name):
    """Refuse anything but an integer above 0."""
    if not isinstance(value, int):
        raise TypeError("%s must be int, got %s" % (name, type(value)))
    if value <= 0:
        raise ValueError("%s must be positive, got %s" % (name, value))


def check_nonnegative_integer(value, name):
    """Refuse anything but an integer from 0 up."""
    if not isinstance(value, int):
        raise TypeError("%s must be int, got %s" % (name, type(value)))
    if value < 0:
        raise ValueError("%s must be non-negative, got %s" % (name, value))


def check_bool_type(value, name):
    """Refuse anything but a bool; return it."""
    if not isinstance(value, bool):
        raise TypeError("%s type must be bool" % name)
    return value


def convert_bool_to_int(value):
    """1 for True, 0 for False."""
    return 1 if value else 0


def format_string(value, name):
    """Return a value that must be a str, as str."""
    if not isinstance(value, str):
        raise TypeError("%s must be str, got %s" % (name, type(value)))
    return value


def check_profiling_options(profiling_options=()):
    """Join the older, separate profiling options."""
    known = ("training_trace", "task_trace", "op_trace")
    for option in profiling_options:
        if option not in known:
            raise ValueError("profiling options must be in %s, got %s" % (known, option))
    return ":".join(profiling_options)


def check_path(path):
    """Return the absolute path of a folder that must exist and be readable and writable."""
    if not os.path.exists(path):
        raise OSError("The path %s does not exist" % path)
    if not os.access(path, os.R_OK | os.W_OK):
        raise OSError("The path %s must be readable and writable" % path)
    return os.path.abspath(path)


def check_aoe_mode(aoe_mode):
    """Refuse a tuning mode that does not exist."""
    if aoe_mode not in ("1", "2", "4"):
        raise ValueError("aoe_mode must be one of '1', '2', '4', got %s" % aoe_mode)


def get_ranksize():
    """Return the number of ranks, as text."""
    rank_size = os.getenv("RANK_SIZE")
    worker_size = os.getenv("CM_WORKER_SIZE")
    if rank_size is not None and worker_size is not None:
        raise ValueError("RANK_SIZE and CM_WORK_SIZE cannot be configured at the same time")
    return rank_size or worker_size or "1"


# --- iteration offload ----------------------------------------------------------------------------
#
# A device with n iterations per loop runs the whole graph n times for one Session.run and returns
# the results of the last iteration. Here Session.run does that: if the fetches contain the op named
# IterationOp, that op runs n - 1 times first, then the unchanged fetches. A loop inside the graph
# would have to rebuild the user's graph; running the op again works with any input (tf.data
# included), and values and hooks are as on a device. The number is read from the variable
# npu_runconfig/iterations_per_loop of the session, which holds n - 1, as on a device: it does not
# matter which code has set it.

_REGISTERED = {}


def register_func(var_name):
    """Store the decorated function under the name of a variable."""

    def remember(function):
        _REGISTERED[var_name] = function
        return function

    return remember


def create_or_get_var(var_name):
    """Return the int64 variable `npu_runconfig/<var_name>` of the default graph."""
    collection = "%s_%s" % (_RUN_CONFIG, var_name)
    existing = tf.get_collection(collection)
    if len(existing) > 1:
        raise RuntimeError("Multiple variables in the collection %s" % collection)
    if existing:
        return existing[0]
    with uncounted_ops(), tf.variable_scope(_RUN_CONFIG, reuse=tf.AUTO_REUSE):
        return tf.get_variable(
            var_name,
            initializer=tf.zeros_initializer(),
            shape=[],
            dtype=tf.int64,
            trainable=False,
            collections=[collection, tf.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )


class IterationPerLoop:
    """Iteration offload in two steps, for graphs that are finalised before the session exists."""

    def __init__(self):
        self._iterations = None
        self._loop_cond = None
        self._zero = None
        self._one = None

    def create_iteration_per_loop_var(self, train_op):
        """Return the op to run instead of `train_op`."""
        if not isinstance(train_op, tf.Operation):
            raise ValueError("train_op must be a tf.Operation, got %s" % type(train_op))
        self.create_variables()
        with uncounted_ops(train_op.graph):
            return tf.group(train_op, name="IterationOp")

    def create_variables(self):
        """Create the variables with the device's loop counts."""
        self._iterations = create_or_get_var(_ITERATIONS)
        self._loop_cond = create_or_get_var("loop_cond")
        self._zero = create_or_get_var("zero")
        self._one = create_or_get_var("one")

    def load_iteration_per_loop_var(self, sess, iterations_per_loop=1):
        """Set the number of iterations of one run of the op."""
        check_positive_integer(iterations_per_loop, _ITERATIONS)
        self._iterations.load(iterations_per_loop - 1, session=sess)
        self._loop_cond.load(0, session=sess)
        self._zero.load(0, session=sess)
        self._one.load(1, session=sess)


def set_iteration_per_loop(sess, train_op, iterations_per_loop=1):
    """Return the op that runs `iterations_per_loop` iterations of `train_op` at a time."""
    if not isinstance(train_op, tf.Operation):
        raise ValueError("train_op must be a tf.Operation, got %s" % type(train_op))
    check_positive_integer(iterations_per_loop, _ITERATIONS)
    if iterations_per_loop == 1:
        return train_op
    loop = IterationPerLoop()
    with train_op.graph.as_default():
        group = loop.create_iteration_per_loop_var(train_op)
    loop.load_iteration_per_loop_var(sess, iterations_per_loop)
    return group


def _leaves(fetches):
    """Yield the single fetches of a nested structure."""
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for fetch in fetches:
            for leaf in _leaves(fetch):
                yield leaf
    else:
        yield fetches


def _offloaded(fetches):
    """Return the IterationOp among the fetches, or None."""
    for leaf in _leaves(fetches):
        name = leaf if isinstance(leaf, str) else getattr(leaf, "name", None)
        if isinstance(name, str) and _ITERATION_OP.search(name):
            return leaf
    return None


def _repeat_offloaded_ops(run):
    @functools.wraps(run)
    def repeated(self, fetches, feed_dict=None, options=None, run_metadata=None):
        counter = self.graph.get_collection("%s_%s" % (_RUN_CONFIG, _ITERATIONS))
        train_op = _offloaded(fetches) if counter else None
        if train_op is not None:
            for _ in range(int(run(self, counter[0]))):
                run(self, train_op, feed_dict)
        return run(self, fetches, feed_dict, options, run_metadata)

    return repeated


session_lib.BaseSession.run = _repeat_offloaded_ops(session_lib.BaseSession.run)


def variable_initializer_in_host(var_list):
    """Initialise variables on the host, where they always are here."""
    return tf.variables_initializer(var_list)


# --- weight update sharding -----------------------------------------------------------------------

_ALL_GRAD_ITEMS = []


def fair_division(inputs, number):
    """Split a list of sizes into `number` contiguous groups with the smallest possible largest sum.

    Every group has at least one member, so that every rank has something to update.
    """
    if number > len(inputs):
        raise ValueError("Cannot divide %d gradients among %d ranks" % (len(inputs), number))
    low, high = max(inputs), sum(inputs)
    while low < high:
        middle = (low + high) // 2
        if _groups_under(inputs, middle) <= number:
            high = middle
        else:
            low = middle + 1
    groups, total = [[]], 0
    for place, size in enumerate(inputs):
        still_needed = number - len(groups)
        full = groups[-1] and (total + size > low or len(inputs) - place == still_needed)
        if full and still_needed:
            groups.append([])
            total = 0
        groups[-1].append(size)
        total += size
    return groups


def _groups_under(sizes, limit):
    groups, total = 1, 0
    for size in sizes:
        if total + size > limit:
            groups, total = groups + 1, 0
        total += size
    return groups


class GradDivisionItem:
    """A gradient, its variable, and the rank that applies it."""

    def __init__(self, grad, var):
        self.grad = grad
        self.var = var
        self.root_rank_id = -1

    @property
    def size(self):
        """Bytes of the variable."""
        return (self.var.shape.num_elements() or 1) * self.var.dtype.base_dtype.size


def add_grads_and_vars(grads_and_vars, rank_size):
    """Give every gradient the rank that applies it."""
    items = [GradDivisionItem(grad, var) for grad, var in grads_and_vars if grad is not None]
    if rank_size > len(items):
        raise ValueError(
            "The number of gradients (%d) must not be less than the rank size (%d)"
            % (len(items), rank_size)
        )
    remaining = iter(items)
    for rank, group in enumerate(fair_division([item.size for item in items], rank_size)):
        for _ in group:
            next(remaining).root_rank_id = rank
    del _ALL_GRAD_ITEMS[:]
    _ALL_GRAD_ITEMS.extend(items)


def get_gid_by_grad(grad):
    """The rank that applies a gradient, or -1."""
    return next((item.root_rank_id for item in _ALL_GRAD_ITEMS if item.grad is grad), -1)


def get_gid_by_weight(weight):
    """The rank that updates a variable, or -1."""
    return next((item.root_rank_id for item in _ALL_GRAD_ITEMS if item.var is weight), -1)


def get_all_grad_item():
    """Return every gradient that was assigned to a rank."""
    return _ALL_GRAD_ITEMS


# --- global values --------------------------------------------------------------------------------


def global_dict_init():
    """Clear the values."""
    global _global_dict
    _global_dict = {}


def set_value(key, value):
    """Store a value."""
    _global_dict[key] = value


def get_value(key, def_value=None):
    """Return a stored value. Before `global_dict_init` this is a NameError, as on a device."""
    return _global_dict.get(key, def_value)


# --- attributes of ops ----------------------------------------------------------------------------


def _operation(fetch):
    if isinstance(fetch, tf.Operation):
        return fetch
    if isinstance(fetch, str):
        element = tf.get_default_graph().as_graph_element(fetch)
        return getattr(element, "op", element)
    if hasattr(fetch, "op"):
        return fetch.op
    raise ValueError(
        "fetch must be an operation, a tensor or the name of one, got %s" % type(fetch)
    )


def set_graph_exec_config(
    fetch,
    dynamic_input=False,
    dynamic_graph_execute_mode="dynamic_execute",
    dynamic_inputs_shape_range=None,
    is_train_graph=False,
    experimental_config=None,
):
    """Set how the graph that computes `fetch` is executed; return `fetch`."""
    if dynamic_graph_execute_mode not in _EXECUTE_MODES:
        raise ValueError(
            "dynamic_graph_execute_mode must be one of %s, got %s"
            % (_EXECUTE_MODES, dynamic_graph_execute_mode)
        )
    values = {
        "_graph_dynamic_input": attr_value_pb2.AttrValue(b=bool(dynamic_input)),
        "_graph_dynamic_graph_execute_mode": _text(dynamic_graph_execute_mode),
        "_is_train_graph": attr_value_pb2.AttrValue(b=bool(is_train_graph)),
    }
    if dynamic_inputs_shape_range is not None:
        values["_graph_dynamic_inputs_shape_range"] = _text(dynamic_inputs_shape_range)
    memory = getattr(experimental_config, "_graph_memory_optimize_config", None)
    if getattr(memory, "_recompute", None) is not None:
        values["_recompute_mode"] = _text(memory._recompute)
    for leaf in _leaves(fetch):
        _mark(_operation(leaf), values)
    return fetch


def npu_compile(sess, *fetches):
    """Compile the graph of `fetches` without running it."""
    sess.make_callable(list(fetches))


def keep_tensors_dtypes(graph, input_tensors):
    """Keep the precision of the ops that make the named tensors."""
    if not isinstance(graph, tf.Graph):
        raise ValueError("graph must be a tf.Graph, got %s" % type(graph))
    if not isinstance(input_tensors, (list, tuple)):
        raise ValueError("input_tensors must be a list or tuple, got %s" % type(input_tensors))
    for name in input_tensors:
        if not isinstance(name, str):
            raise ValueError("input_tensors must contain names of tensors, got %s" % type(name))
        try:
            tensor = graph.get_tensor_by_name(name)
        except KeyError:
            raise ValueError("There is no tensor named %s in the graph" % name)
        _mark(tensor.op, {"_keep_dtype": attr_value_pb2.AttrValue(i=1)})


def set_op_tensor_max_range(tensor, max_shape):
    """Set the largest shape of the output of an op with a dynamic shape."""
    _mark(_operation(tensor), {"_op_max_shape": _text(max_shape)})


def set_op_input_tensor_multi_dims(tensor, input_shape, input_dims):
    """Set the shapes that a sub-graph is compiled for."""
    values = {
        "_subgraph_multi_dims_input_shape": _text(input_shape),
        "_subgraph_multi_dims_input_dims": _text(input_dims),
    }
    _mark(_operation(tensor), values)


def set_op_tensor_max_size(tensor, max_size):
    """Set the largest number of bytes of the output of an op."""
    _mark(_operation(tensor), {"_op_max_size": _text(max_size)})


def _text(value):
    return attr_value_pb2.AttrValue(s=tf.compat.as_bytes(str(value)))


def _mark(operation, values):
    for name, value in values.items():
        operation._set_attr(name, value)
