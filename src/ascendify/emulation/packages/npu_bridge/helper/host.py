"""Operators that run as Python on the host, and the refusals all operators share.

Every node made here has the attribute ``_npu_op`` with the name of the operator it emulates, so
that a check of the graph can distinguish it from a ``py_func`` of the user.
"""

from ascendify_runtime.framework import tf, uncounted_ops
from tensorflow.core.framework import attr_value_pb2

KIND = "_npu_op"
DEVICE_FLOATS = ("float16", "float32")


def call(kind, function, inputs, types, shapes=None, name=None):
    """Return one stateful node that runs ``function`` on numpy arrays, with these static shapes."""
    attribute = {KIND: attr_value_pb2.AttrValue(s=kind.encode("utf-8"))}
    with tf.get_default_graph()._attr_scope(attribute):
        outputs = tf.py_func(function, list(inputs), list(types), stateful=True, name=name or kind)
    for output, shape in zip(outputs if types else [], shapes or []):
        output.set_shape(shape)
    return outputs


def effect(kind, function, inputs, name=None):
    """Return a node without outputs, for operators without a counterpart in the original program.

    It is left out of the count of nodes from which TensorFlow derives seeds.
    """
    with uncounted_ops():
        return call(kind, function, inputs, [], name=name)


def refuse_eager(call_name):
    """Raise the device package's error for an operator that only exists in graphs."""
    if tf.executing_eagerly():
        raise RuntimeError("%s() is not compatible with eager execution." % call_name)


def require_type(tensor, parameter, allowed=DEVICE_FLOATS):
    """Raise TensorFlow's error for a type that an operator has no kernel for."""
    found = tensor.dtype.base_dtype.name
    if found not in allowed:
        raise TypeError(
            "Value passed to parameter '%s' has DataType %s not in list of allowed values: %s"
            % (parameter, found, ", ".join(allowed))
        )


def unavailable(what, why):
    """Return the error for an operator that is not emulated."""
    return NotImplementedError("%s cannot be emulated: %s" % (what, why))
