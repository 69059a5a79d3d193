"""npu_* operators about overflow, and the steps of optimizers."""

import torch


def npu_alloc_float_status(self):
    """Return eight zeros: memory for the overflow status."""
    return torch.zeros(8, device=self.device)


def npu_get_float_status(self, mode=0):
    """Return the overflow status; here overflow gives infinities, so it is never set."""
    return torch.zeros(8, device=self.device)


def npu_clear_float_status(self, mode=0):
    """Clear the overflow status."""
    return torch.zeros(8, device=self.device)


def npu_apply_adam(
    beta1_power,
    beta2_power,
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
    use_locking,
    use_nesterov,
    *,
    out=None,
):
    """One step of Adam on out=(var, m, v); the powers are those of this step."""
    var, m, v = _targets("npu_apply_adam", out)
    with torch.no_grad():
        m.add_((grad - m) * (1 - beta1))
        v.add_((grad * grad - v) * (1 - beta2))
        rate = lr * (1 - beta2_power) ** 0.5 / (1 - beta1_power)
        moment = m * beta1 + (1 - beta1) * grad if use_nesterov else m
        var.sub_(rate * moment / (epsilon + v.sqrt()))
    return var, m, v


def npu_apply_adam_w(
    beta1_power,
    beta2_power,
    lr,
    weight_decay,
    beta1,
    beta2,
    epsilon,
    grad,
    max_grad_norm,
    amsgrad,
    maximize,
    *,
    out=None,
):
    """One step of AdamW on out=(var, m, v); the powers are those of the step before."""
    var, m, v = _targets("npu_apply_adam_w", out)
    with torch.no_grad():
        grad = -grad if maximize else grad
        m.mul_(beta1).add_(grad, alpha=1 - beta1)
        v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        second = v
        if amsgrad:
            second = max_grad_norm.copy_(torch.maximum(max_grad_norm, v))
        root = (second / (1 - beta2_power * beta2)).sqrt() + epsilon
        var.mul_(1 - lr * weight_decay)
        var.sub_(lr * m / (1 - beta1_power * beta1) / root)
    return var, m, v


def npu_bert_apply_adam(
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
    max_grad_norm,
    global_grad_norm,
    weight_decay,
    step_size=None,
    adam_mode=0,
    *,
    out=None,
):
    """One step of BERT's Adam on out=(var, m, v): no correction of the moments."""
    if adam_mode != 0:
        raise NotImplementedError("npu_bert_apply_adam(adam_mode=%s) is not emulated" % adam_mode)
    var, m, v = _targets("npu_bert_apply_adam", out)
    with torch.no_grad():
        if max_grad_norm > 0:
            grad = grad * min(1.0, max_grad_norm / (float(grad.norm()) + 1e-6))
        m.mul_(beta1).add_(grad, alpha=1 - beta1)
        v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        var.sub_(lr * (m / (v.sqrt() + epsilon) + weight_decay * var))
    return var, m, v


def _targets(name, out):
    if out is None:
        raise RuntimeError(
            "%s is not implemented for Tensor: pass the tensors to update, out=(var, m, v)" % name
        )
    return out
