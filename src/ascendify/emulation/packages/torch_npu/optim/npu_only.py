"""Fused optimizers without a counterpart in torch.optim: AdamP, LAMB, RMSpropTF, BertAdam."""

import math

import torch
from torch.optim.optimizer import required

from .base import NpuFusedOptimizerBase, check_betas, check_range


def _slices(flat, params):
    """Return views of the parts of a flat tensor that belong to the parameters."""
    parts = flat.split([param.numel() for param in params])
    return [part.view(param.shape) for part, param in zip(parts, params)]


class NpuFusedAdamP(NpuFusedOptimizerBase):
    """Adam without the part of a step that only increases a weight's norm (Heo et al., 2021)."""

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        delta=0.1,
        wd_ratio=0.1,
        nesterov=False,
    ):
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "delta": delta,
            "wd_ratio": wd_ratio,
            "nesterov": nesterov,
        }
        super().__init__(params, defaults)

    def state_tensors(self, group):
        return {"exp_avg": 0.0, "exp_avg_sq": 0.0}

    def update(self, group, param, grad, state, params):
        beta1, beta2 = group["betas"]
        step = state["step"] + 1
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        denominator = (exp_avg_sq.sqrt() / math.sqrt(1 - beta2**step)).add_(group["eps"])
        if group["nesterov"]:
            direction = (beta1 * exp_avg + (1 - beta1) * grad) / denominator
        else:
            direction = exp_avg / denominator
        for each, own_grad, part in zip(params, _slices(grad, params), _slices(direction, params)):
            ratio = self._project(group, each, own_grad, part) if each.dim() > 1 else 1
            if group["weight_decay"] > 0:
                each.mul_(1 - group["lr"] * group["weight_decay"] * ratio)
        param.add_(direction, alpha=-group["lr"] / (1 - beta1**step))

    @staticmethod
    def _project(group, param, grad, direction):
        """Make direction orthogonal to the weight if the gradient is; return the matching decay."""
        for rows in (param.shape[0], 1):
            flat, flat_grad = param.reshape(rows, -1), grad.reshape(rows, -1)
            lengths = flat.norm(dim=1).add(group["eps"])
            cosine = (flat_grad * flat).sum(1).abs() / (
                flat_grad.norm(dim=1).add(group["eps"]) * lengths
            )
            if cosine.max() < group["delta"] / math.sqrt(flat.shape[1]):
                unit = flat / lengths.unsqueeze(1)
                turned = direction.view(rows, -1)
                turned.sub_(unit * (unit * turned).sum(1, keepdim=True))
                return group["wd_ratio"]
        return 1


class NpuFusedLamb(NpuFusedOptimizerBase):
    """Adam whose step of each weight is scaled to the norm of the weight (You et al., 2020)."""

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-6,
        weight_decay=0,
        adam=False,
        use_global_grad_norm=False,
    ):
        check_range("learning rate", lr, 0.0)
        check_betas(betas)
        check_range("epsilon value", eps, 0.0)
        self.adam = adam
        self.use_global_grad_norm = use_global_grad_norm
        self.global_grad_norm = torch.ones(1, device="npu")
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        )

    def state_tensors(self, group):
        return {"exp_avg": 0.0, "exp_avg_sq": 0.0}

    def before_groups(self):
        grads = [grad for grad in self.get_combined_grads() if grad is not None]
        if self.use_global_grad_norm and grads:
            self.global_grad_norm = sum(grad.pow(2).sum() for grad in grads).sqrt()

    def update(self, group, param, grad, state, params):
        beta1, beta2 = group["betas"]
        if self.global_grad_norm.item() > 1:
            grad = grad / self.global_grad_norm
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        step = exp_avg / exp_avg_sq.sqrt().add(group["eps"])
        if group["weight_decay"] != 0:
            step.add_(param, alpha=group["weight_decay"])
        for each, part in zip(params, _slices(step, params)):
            each.addcmul_(part, self._trust(each, part), value=-group["lr"])

    def _trust(self, param, step):
        weight_norm, step_norm = param.pow(2).sum().sqrt().clamp(0, 10), step.pow(2).sum().sqrt()
        if self.adam or weight_norm == 0 or step_norm == 0:
            return torch.ones_like(weight_norm)
        return weight_norm / step_norm


class NpuFusedRMSpropTF(NpuFusedOptimizerBase):
    """RMSprop as TensorFlow has it: epsilon under the root, averages that start at one."""

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.9,
        eps=1e-10,
        weight_decay=0,
        momentum=0.0,
        centered=False,
        decoupled_decay=False,
        lr_in_momentum=True,
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
            "decoupled_decay": decoupled_decay,
            "lr_in_momentum": lr_in_momentum,
        }
        super().__init__(params, defaults)

    def state_tensors(self, group):
        names = {"square_avg": 1.0}
        if group["momentum"] > 0:
            names["momentum_buffer"] = 0.0
        if group["centered"]:
            names["grad_avg"] = 0.0
        return names

    def update(self, group, param, grad, state, params):
        if group["weight_decay"] != 0:
            if group["decoupled_decay"]:
                param.add_(param, alpha=-group["weight_decay"])
            else:
                grad = grad.add(param, alpha=group["weight_decay"])
        rest = 1.0 - group["alpha"]
        square = state["square_avg"]
        square.add_(grad.pow(2) - square, alpha=rest)
        if group["centered"]:
            mean = state["grad_avg"]
            mean.add_(grad - mean, alpha=rest)
            root = square.addcmul(mean, mean, value=-1).add(group["eps"]).sqrt_()
        else:
            root = square.add(group["eps"]).sqrt_()
        if group["momentum"] == 0:
            param.addcdiv_(grad, root, value=-group["lr"])
        elif group["lr_in_momentum"]:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(grad, root, value=group["lr"])
            param.sub_(buffer)
        else:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(grad, root)
            param.add_(buffer, alpha=-group["lr"])


def _warmup_cosine(x, warmup):
    # torch_npu also passes a number to torch.cos: after the warm-up this raises TypeError
    return x / warmup if x < warmup else 0.5 * (1.0 + torch.cos(math.pi * x))


def _warmup_constant(x, warmup):
    return x / warmup if x < warmup else 1.0


def _warmup_linear(x, warmup):
    return x / warmup if x < warmup else max((x - 1.0) / (warmup - 1.0), 0.0)


def _warmup_poly(x, warmup):
    return x / warmup if x < warmup else (1.0 - x) ** 0.5


SCHEDULES = {
    "warmup_cosine": _warmup_cosine,
    "warmup_constant": _warmup_constant,
    "warmup_linear": _warmup_linear,
    "warmup_poly": _warmup_poly,
}


class NpuFusedBertAdam(NpuFusedOptimizerBase):
    """Adam of BERT: no correction of the moments, gradients clipped, learning rate scheduled."""

    def __init__(
        self,
        params,
        lr=required,
        warmup=-1,
        t_total=-1,
        schedule="warmup_linear",
        b1=0.9,
        b2=0.999,
        e=1e-6,
        weight_decay=0.01,
        max_grad_norm=1.0,
    ):
        if lr is not required:
            check_range("learning rate", lr, 0.0)
        if (warmup < 0.0 and warmup != -1) or warmup >= 1.0:
            raise ValueError("Invalid warmup: %s" % warmup)
        if schedule not in SCHEDULES:
            raise ValueError(
                "Invalid schedule parameter: %s (one of %s)" % (schedule, ", ".join(SCHEDULES))
            )
        check_range("b1 parameter", b1, 0.0, 1.0)
        check_range("b2 parameter", b2, 0.0, 1.0)
        check_range("epsilon value", e, 0.0)
        self.max_grad_norm = max_grad_norm
        defaults = {
            "lr": lr,
            "schedule": schedule,
            "warmup": warmup,
            "t_total": t_total,
            "b1": b1,
            "b2": b2,
            "e": e,
            "weight_decay": weight_decay,
            "max_grad_norm": max_grad_norm,
        }
        super().__init__(params, defaults)

    def state_tensors(self, group):
        return {"exp_avg": 0.0, "exp_avg_sq": 0.0}

    def update(self, group, param, grad, state, params):
        if self.max_grad_norm > 0:
            factor = self.max_grad_norm / (grad.float().pow(2).sum().sqrt() + 1e-6)
            if factor < 1:
                grad.mul_(factor)
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        exp_avg.mul_(group["b1"]).add_(grad, alpha=1 - group["b1"])
        exp_avg_sq.mul_(group["b2"]).addcmul_(grad, grad, value=1 - group["b2"])
        step = exp_avg / (exp_avg_sq.sqrt() + group["e"])
        if group["weight_decay"] > 0.0:
            step += group["weight_decay"] * param
        rate = group["lr"]
        if group["t_total"] != -1:
            done = state["step"] / group["t_total"]
            rate = rate * SCHEDULES[group["schedule"]](done, group["warmup"])
        param.sub_(rate * step)
