"""Shapes of several tensors at once."""

from ascendify_runtime.framework import tf


def getshape(x, name=None):
    """Return the shapes of the tensors ``x``, concatenated in one vector of int32."""
    tensors = x if isinstance(x, (list, tuple)) else [x]
    with tf.name_scope(name, "GetShape", list(tensors)):
        return tf.concat([tf.shape(tensor) for tensor in tensors], axis=0)
