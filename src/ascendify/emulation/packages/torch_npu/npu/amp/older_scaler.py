"""`torch.cuda.amp.GradScaler` of torch 2.1 and 2.2, without its checks of CUDA."""

from collections import defaultdict

import torch
from torch.cuda.amp import grad_scaler as _of_cuda

OptState = _of_cuda.OptState


class Scaler(_of_cuda.GradScaler):
    """Loss scaler for any device, with the arguments of torch 2.3."""

    def __init__(
        self,
        device="npu",
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        super().__init__(init_scale, growth_factor, backoff_factor, growth_interval, enabled=False)
        self._enabled = enabled
        if enabled:
            self._init_scale, self._scale = init_scale, None
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker, self._growth_tracker = 0, None
            self._per_optimizer_states = defaultdict(_of_cuda._refresh_per_optimizer_state)

    def scale(self, outputs):
        """Multiply a tensor, or every tensor of an iterable, by the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            return outputs * self._scale.to(outputs.device)
        if not hasattr(outputs, "__iter__"):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = map(self.scale, outputs)
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled


class _OnAnyDevice(_of_cuda._MultiDeviceReplicator):
    def __init__(self, master_tensor):
        self.master = master_tensor
        self._per_device_tensors = {}


_of_cuda._MultiDeviceReplicator = _OnAnyDevice
