"""Scopes that set attributes of the nodes made inside them, for the device's compiler.

The attributes have the names that the compiler reads. On a CPU they have no effect.
"""

import contextlib

from ascendify_runtime.framework import tf
from tensorflow.core.framework import attr_value_pb2

from npu_bridge.estimator.npu import util
from npu_bridge.estimator.npu.npu_config import NpuExecutePlacement


def _attributes(**values):
    """Return a scope that sets attributes; booleans, integers and strings use their own fields."""
    attributes = {}
    for name, value in values.items():
        if isinstance(value, bool):
            attribute = attr_value_pb2.AttrValue(b=value)
        elif isinstance(value, int):
            attribute = attr_value_pb2.AttrValue(i=value)
        else:
            attribute = attr_value_pb2.AttrValue(s=tf.compat.as_bytes(value))
        attributes[name] = attribute
    return tf.get_default_graph()._attr_scope(attributes)


@contextlib.contextmanager
def without_npu_compile_scope():
    """The nodes run on the host; needs mix_compile_mode."""
    with _attributes(_without_npu_compile=True):
        yield


@contextlib.contextmanager
def npu_variable_scope(placement=NpuExecutePlacement.ALL):
    """The variables are placed on ``placement``."""
    if not isinstance(placement, NpuExecutePlacement):
        raise ValueError("placement vaule must be in NpuExecutePlacement's vaule")
    with _attributes(_variable_placement=placement.value):
        yield


@contextlib.contextmanager
def keep_dtype_scope():
    """The nodes keep their precision."""
    with _attributes(_keep_dtype=1):
        yield


@contextlib.contextmanager
def npu_stage_scope(stage):
    """The nodes belong to a stage of a pipeline."""
    with _attributes(_stage_level=stage):
        yield


@contextlib.contextmanager
def npu_mem_type_scope():
    """The outputs of the nodes are in memory that other devices can access."""
    with _attributes(_output_memory_type=1):
        yield


@contextlib.contextmanager
def npu_weight_prefetch_scope(buffer_pool_id=0, buffer_pool_size=536870912):
    """The outputs of the nodes are fetched ahead into a pool."""
    with _attributes(_buffer_pool_id=buffer_pool_id, _buffer_pool_size=buffer_pool_size):
        yield


@contextlib.contextmanager
def op_specified_engine_scope(engine_name, kernel_lib_name):
    """The nodes run on a named engine with a named library."""
    with _attributes(
        _specified_engine_name=engine_name, _specified_kernel_lib_name=kernel_lib_name
    ):
        yield


@contextlib.contextmanager
def npu_qos_label_scope(label):
    """The nodes carry a service label."""
    with _attributes(_qos_service_label=label):
        yield


@contextlib.contextmanager
def subgraph_multi_dims_scope(index):
    """The nodes form a sub-graph with its own set of shapes."""
    with _attributes(_subgraph_multi_dims_index=index):
        yield


@contextlib.contextmanager
def npu_optimizer_scope():
    """The nodes belong to the optimizer."""
    with _attributes(_optimizer=True):
        yield


def npu_recompute_scope():
    """A name scope whose activations are recomputed in the backward pass."""
    return tf.name_scope("NpuRecompute")


def npu_graph_slice_scope(slice_num=None):
    """A name scope whose nodes are split into slices."""
    if slice_num is not None:
        util.check_positive_integer(slice_num, "slice_num")
    return tf.name_scope("SliceNum-%s-NpuGraphSlicing%s" % (slice_num, slice_num))


@contextlib.contextmanager
def disable_autofuse():
    """The nodes are not fused automatically."""
    with _attributes(_disable_autofuse_scope=True):
        yield


@contextlib.contextmanager
def limit_core_num_scope(op_aicore_num="0", op_vectorore_num="0"):
    """Fused nodes use at most that many vector cores; the number of matrix cores is not used."""
    del op_aicore_num
    if not isinstance(op_vectorore_num, str):
        raise ValueError("Param op_vectorore_num must be string.")
    try:
        cores = int(op_vectorore_num)
    except ValueError:
        raise ValueError("Param op_vectorore_num can not be converted into a valid int number.")
    if cores <= 0:
        raise ValueError("Param op_vectorore_num must be greater than zero.")
    with _attributes(_op_vectorcore_num=op_vectorore_num):
        yield
