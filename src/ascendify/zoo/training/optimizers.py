"""Optimizers by name, and gradient clipping; neither waits for the device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

import torch
from torch import Tensor
from torch.optim import SGD, Adadelta, Adam, AdamW

from ascendify.errors import UsageError
from ascendify.zoo.config import Optimizer
from ascendify.zoo.training.lars import Lars

FUSED = ("sgd", "adam", "adamw")
"""Optimizers with fused kernels in torch, which can skip a step on the device."""
FUSED_DEVICES = ("cpu", "cuda")
"""Devices with these kernels."""


def validate(config: Optimizer) -> None:
    """Refuse contradictory settings.

    Raises:
        UsageError: Nesterov momentum is on, and the momentum is 0.
    """
    if config.kind in ("sgd", "lars") and config.nesterov and not config.momentum:
        raise UsageError(
            "train.optimizer.nesterov=true needs a momentum, and train.optimizer.momentum is 0",
            "set train.optimizer.momentum=0.9, or train.optimizer.nesterov=false",
        )


def build(
    config: Optimizer, groups: Sequence[dict[str, Any]], capturable: bool = False
) -> torch.optim.Optimizer:
    """Build the optimizer of parameter groups that are on their device already.

    A capturable one can be captured as a CUDA graph: the rate of its groups is a tensor on the
    device, to be set with ``set_rate``.
    """
    device = next(p for group in groups for p in group["params"]).device
    fused = device.type in FUSED_DEVICES
    lr: Any = torch.tensor(config.lr, device=device) if capturable else config.lr
    on_device = capturable and device.type != "cpu"
    if config.kind == "sgd":
        return _with_buffers(
            SGD(groups, lr, config.momentum, nesterov=config.nesterov, fused=fused)
        )
    if config.kind == "lars":
        return Lars(groups, lr, config.momentum, config.trust, nesterov=config.nesterov)
    if config.kind == "adam":
        return Adam(groups, lr, capturable=on_device, fused=fused)
    if config.kind == "adamw":
        return AdamW(groups, lr, capturable=on_device, fused=fused)
    return Adadelta(groups, lr, rho=0.9, capturable=on_device)


def _with_buffers(optimizer: SGD) -> SGD:
    """Create momentum buffers of zeros.

    Otherwise torch's fused SGD allocates them without initialising, and leaves them so if the loss
    scale skips the first step.
    """
    for group in optimizer.param_groups:
        if group["momentum"]:
            for parameter in group["params"]:
                optimizer.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)
    return optimizer


def set_rate(optimizer: torch.optim.Optimizer, lr: float) -> None:
    """Set the learning rate; one that is a tensor stays the same tensor."""
    for group in optimizer.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(lr)
        else:
            group["lr"] = lr


def restore(optimizer: torch.optim.Optimizer, state: Mapping[str, Any]) -> None:
    """Restore moments and counts from a ``state_dict``, but not the hyperparameters.

    torch would also restore the learning rate, possibly a number where this run has a tensor, and
    whether kernels are fused, which depends on the device.
    """
    mine, saved = optimizer.param_groups, state["param_groups"]
    groups = [{**group, "params": old["params"]} for group, old in zip(mine, saved)]
    optimizer.load_state_dict({"state": state["state"], "param_groups": groups})


@torch.no_grad()
def clip(parameters: Iterable[Tensor], config: Optimizer) -> Optional[Tensor]:
    """Limit the gradients and return their norm before; None where no limit is set.

    As TensorFlow's clip_by_norm and clip_by_global_norm: times clip / max(norm, clip), of each
    variable's gradient or of all together.
    """
    grads = [p.grad for p in parameters if p.grad is not None]
    if config.clip is None or not grads:
        return None
    norms = torch.stack(torch._foreach_norm(grads))
    total: Tensor = torch.linalg.vector_norm(norms)
    if config.clip_each:
        torch._foreach_mul_(grads, list((config.clip / norms.clamp(min=config.clip)).unbind()))
    else:
        torch._foreach_mul_(grads, config.clip / total.clamp(min=config.clip))
    return total
