"""Optimizers of the device."""

from npu_device.train.optimizer.npu_loss_scale_optimizer import NpuLossScaleOptimizer
