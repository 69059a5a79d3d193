"""`torch.npu.amp.GradScaler`: torch's scaler with the differences of torch_npu."""

import warnings

import torch

from torch_npu.npu.amp.base_scaler import OptState, Scaler
from torch_npu.npu.devices import is_available


class GradScaler(Scaler):
    """Loss scaler with `dynamic` before `enabled`; a fixed scale never skips a step."""

    def __init__(
        self,
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        dynamic=True,
        enabled=True,
    ):
        if enabled and not is_available():
            warnings.warn(
                "torch_npu.amp.GradScaler is enabled, but NPU is not available. Disabling.",
                stacklevel=2,
            )
            enabled = False
        super().__init__("npu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
        self._dynamic = dynamic

    def unscale_(self, optimizer):
        """Divide the gradients by the scale; its reciprocal is computed in float32."""
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=self._scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(
            optimizer, self._scale.reciprocal(), found_inf, False
        )
        state["stage"] = OptState.UNSCALED

    def _maybe_opt_step(self, optimizer, optimizer_state, *args, **kwargs):
        if not self._dynamic or not _overflowed(optimizer_state):
            return optimizer.step(*args, **kwargs)
        print("Gradient overflow. Skipping step", flush=True)
        return None

    def update(self, new_scale=None):
        """Update the scale and print the change; a fixed scale does not change."""
        if not self._enabled:
            return
        if new_scale is None and not self._dynamic:
            self._check_scale_growth_tracker("update")
            self._per_optimizer_states.clear()
            return
        before = self.get_scale()
        super().update(new_scale)
        after = self.get_scale()
        if after != before and new_scale is None:
            verb = "reducing" if after < before else "increasing"
            print(f"Loss scaler {verb} loss scale to {after}", flush=True)

    def state_dict(self):
        """Return the state, with one more key than torch's: `dynamic`."""
        state = super().state_dict()
        return {**state, "dynamic": self._dynamic} if state else state

    def load_state_dict(self, state_dict):
        """Load a state; one of torch's own scaler lacks `dynamic`."""
        if not self._enabled:
            return
        self._dynamic = state_dict["dynamic"]
        super().load_state_dict(state_dict)


def _overflowed(optimizer_state):
    return any(found.item() for found in optimizer_state["found_inf_per_device"].values())
