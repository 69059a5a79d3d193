"""Scopes that set attributes of the operators made inside them; without effect on a CPU."""

from ascendify_runtime.framework import tf
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.util import tf_contextlib


@tf_contextlib.contextmanager
def keep_dtype_scope():
    """The operators keep their precision."""
    with _attribute("_keep_dtype", attr_value_pb2.AttrValue(i=1)):
        yield


@tf_contextlib.contextmanager
def npu_optimizer_scope():
    """The operators belong to an optimizer."""
    with _attribute("_optimizer", attr_value_pb2.AttrValue(b=True)):
        yield


@tf_contextlib.contextmanager
def npu_gradients_scope():
    """The operators belong to the gradients."""
    with _attribute("_backward", attr_value_pb2.AttrValue(b=True)):
        yield


@tf_contextlib.contextmanager
def npu_recompute_scope():
    """The results of the operators are computed again in the backward pass."""
    with _attribute("_recompute", attr_value_pb2.AttrValue(b=True)):
        yield


def _attribute(name, value):
    return tf.get_default_graph()._attr_scope({name: value})
