"""Fused optimizers with a counterpart in torch.optim: its functions on the combined tensors."""

import inspect

import torch
from torch.optim.adadelta import adadelta
from torch.optim.adam import adam
from torch.optim.adamw import adamw
from torch.optim.optimizer import required
from torch.optim.rmsprop import rmsprop
from torch.optim.sgd import sgd

from .base import NpuFusedOptimizerBase, check_betas, check_range


def _steps(state):
    return [torch.tensor(float(state["step"]))]


def _optional_steps(function):
    """Return the argument with the number of steps, if this torch's function has it."""
    if "state_steps" in inspect.signature(function).parameters:
        return lambda state: (_steps(state),)
    return lambda state: ()


class NpuFusedSGD(NpuFusedOptimizerBase):
    """torch.optim.SGD."""

    def __init__(
        self, params, lr=required, momentum=0, dampening=0, weight_decay=0, nesterov=False
    ):
        if lr is not required:
            check_range("learning rate", lr, 0.0)
        check_range("momentum value", momentum, 0.0)
        check_range("weight_decay value", weight_decay, 0.0)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
        }
        super().__init__(params, defaults)

    def state_tensors(self, group):
        return {"momentum_buffer": 0.0} if group["momentum"] else {}

    def update(self, group, param, grad, state, params):
        kept = state.get("momentum_buffer")
        buffers = [None if state["is_new"] else kept]
        sgd(
            [param],
            [grad],
            buffers,
            foreach=False,
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            lr=group["lr"],
            dampening=group["dampening"],
            nesterov=group["nesterov"],
            maximize=False,
        )
        if kept is not None and buffers[0] is not kept:
            kept.copy_(buffers[0])


class NpuFusedAdam(NpuFusedOptimizerBase):
    """torch.optim.Adam."""

    _function = staticmethod(adam)

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False
    ):
        check_range("learning rate", lr, 0.0)
        check_range("epsilon value", eps, 0.0)
        check_betas(betas)
        check_range("weight_decay value", weight_decay, 0.0)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
        }
        super().__init__(params, defaults)

    def state_tensors(self, group):
        names = {"exp_avg": 0.0, "exp_avg_sq": 0.0}
        return {**names, "max_exp_avg_sq": 0.0} if group["amsgrad"] else names

    def update(self, group, param, grad, state, params):
        self._function(
            [param],
            [grad],
            [state["exp_avg"]],
            [state["exp_avg_sq"]],
            [state["max_exp_avg_sq"]] if group["amsgrad"] else [],
            _steps(state),
            foreach=False,
            amsgrad=group["amsgrad"],
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            maximize=False,
        )


class NpuFusedAdamW(NpuFusedAdam):
    """torch.optim.AdamW."""

    _function = staticmethod(adamw)

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad)


_STEPS_OF_ADADELTA = _optional_steps(adadelta)


class NpuFusedAdadelta(NpuFusedOptimizerBase):
    """torch.optim.Adadelta."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0):
        check_range("learning rate", lr, 0.0)
        if not 0.0 <= rho <= 1.0:
            raise ValueError("Invalid rho value: %s" % rho)
        check_range("epsilon value", eps, 0.0)
        check_range("weight_decay value", weight_decay, 0.0)
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay})

    def state_tensors(self, group):
        return {"square_avg": 0.0, "acc_delta": 0.0}

    def update(self, group, param, grad, state, params):
        adadelta(
            [param],
            [grad],
            [state["square_avg"]],
            [state["acc_delta"]],
            *_STEPS_OF_ADADELTA(state),
            foreach=False,
            lr=group["lr"],
            rho=group["rho"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            maximize=False,
        )


_STEPS_OF_RMSPROP = _optional_steps(rmsprop)


class NpuFusedRMSprop(NpuFusedOptimizerBase):
    """torch.optim.RMSprop."""

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False
    ):
        check_range("learning rate", lr, 0.0)
        check_range("epsilon value", eps, 0.0)
        check_range("momentum value", momentum, 0.0)
        check_range("weight_decay value", weight_decay, 0.0)
        check_range("alpha value", alpha, 0.0)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
        }
        super().__init__(params, defaults)

    def state_tensors(self, group):
        names = {"square_avg": 0.0}
        if group["momentum"] > 0:
            names["momentum_buffer"] = 0.0
        if group["centered"]:
            names["grad_avg"] = 0.0
        return names

    def update(self, group, param, grad, state, params):
        rmsprop(
            [param],
            [grad],
            [state["square_avg"]],
            [state["grad_avg"]] if group["centered"] else [],
            [state["momentum_buffer"]] if group["momentum"] > 0 else [],
            *_STEPS_OF_RMSPROP(state),
            foreach=False,
            lr=group["lr"],
            alpha=group["alpha"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            centered=group["centered"],
            maximize=False,
        )
