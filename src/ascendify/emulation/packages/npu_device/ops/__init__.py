"""Operators of the device."""

from npu_device.ops.train_ops import gelu
