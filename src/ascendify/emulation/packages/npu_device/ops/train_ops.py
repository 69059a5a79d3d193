"""Operators for training."""

import tensorflow as tf
from npu_bridge.helper import formulas

from npu_device.utils.npu_wrapper import npu_functional_support


@npu_functional_support
def gelu(x):
    """Gelu: exact when executed eagerly, in graphs the device's approximation by a sigmoid."""
    return tf.nn.gelu(x) if tf.executing_eagerly() else formulas.fast_gelu(x)
