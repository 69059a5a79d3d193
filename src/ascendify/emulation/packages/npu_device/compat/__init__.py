"""Programs in the style of TensorFlow 1 under TensorFlow 2."""

from npu_device.compat import v1
from npu_device.npu_device import enable_v1
