"""What programs train with."""

from npu_device.train import optimizer
