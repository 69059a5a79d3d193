"""Dropout of the device, in place of `tf.nn.dropout`.

The numbers are drawn by TensorFlow's own operator, so that a migrated program drops the same
elements as the original.
"""

import tensorflow as tf
from npu_bridge.helper import formulas
from tensorflow.python.ops import nn, nn_ops

_tf_dropout = nn_ops.dropout_v2


def npu_dropout_v2(x, rate, noise_shape=None, seed=None, name=None):
    """Drop elements with a probability; in graphs by the operator of the device."""
    if tf.executing_eagerly() or noise_shape is not None:
        return _tf_dropout(x, rate, noise_shape=noise_shape, seed=seed, name=name)
    x = tf.convert_to_tensor(x, name="x")
    if not x.dtype.is_floating:
        raise ValueError(
            "x has to be a floating point tensor since it's going to be scaled. Got a %s tensor "
            "instead." % x.dtype
        )
    if not isinstance(rate, (float, int)) or rate:
        formulas.host.require_type(x, "x", ("float16", "float32", "bfloat16"))
    return _tf_dropout(x, rate, seed=seed, name=name)


def dropout_api_convert():
    """Replace TensorFlow's function under all its names."""
    for module, name in (
        (nn, "dropout_v2"),
        (nn_ops, "dropout_v2"),
        (tf.nn, "dropout"),
        (tf.compat.v2.nn, "dropout"),
    ):
        if hasattr(module, name):
            setattr(module, name, npu_dropout_v2)


def dropout_domask_grad(op, grad):
    """Raise an error: the operator of the device that it belongs to is not emulated."""
    raise NotImplementedError("the gradient of DropOutDoMask is TensorFlow's own in the emulation")
