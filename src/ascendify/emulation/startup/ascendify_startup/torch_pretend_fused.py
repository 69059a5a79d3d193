"""Operators of scalers and optimizers that some releases of PyTorch have only for GPUs."""

import functools
import inspect
import os

from ascendify_startup import torch_scale_kernels


def answers(torch):
    """Return replacements for these operators."""
    found = {}
    for name, answer in (
        ("_amp_foreach_non_finite_check_and_unscale_", torch_scale_kernels.unscale),
        ("_amp_update_scale_", torch_scale_kernels.update),
        ("_fused_adam_", _fused_adam),
        ("_fused_adamw_", _fused_adamw),
        ("_fused_sgd_", _fused_sgd),
    ):
        if hasattr(torch, name) and not _on_cpu(torch, name):
            found[getattr(torch, name)] = answer
    return found


def _on_cpu(torch, name):
    return torch._C._dispatch_has_kernel_for_dispatch_key("aten::" + name, "CPU")


def _fused_adam(params, grads, averages, squares, maxima, steps, decoupled=False, **options):
    """One step of Adam."""
    found_inf = options.get("found_inf")
    if found_inf is not None and found_inf.item():
        return  # the optimizer undoes the step itself
    lr, decay, eps = float(options["lr"]), options["weight_decay"], options["eps"]
    beta1, beta2 = options["beta1"], options["beta2"]
    for number, parameter in enumerate(params):
        gradient, step = grads[number], float(steps[number].item())
        if options.get("grad_scale") is not None:
            gradient = gradient.div_(options["grad_scale"])
        if options["maximize"]:
            gradient = -gradient
        if decay and decoupled:
            parameter.mul_(1 - lr * decay)
        elif decay:
            gradient = gradient.add(parameter, alpha=decay)
        averages[number].lerp_(gradient, 1 - beta1)
        squares[number].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        square = squares[number]
        if options["amsgrad"]:
            square = maxima[number].copy_(maxima[number].maximum(square))
        spread = (square.sqrt() / (1 - beta2**step) ** 0.5).add_(eps)
        parameter.addcdiv_(averages[number], spread, value=-lr / (1 - beta1**step))


def _fused_adamw(*args, **options):
    """One step of AdamW."""
    _fused_adam(*args, decoupled=True, **options)


def _fused_sgd(params, grads, buffers, **options):
    """One step of SGD."""
    found_inf = options.get("found_inf")
    if found_inf is not None and found_inf.item():
        return
    lr, momentum = float(options["lr"]), options["momentum"]
    for number, parameter in enumerate(params):
        gradient = grads[number]
        if options.get("grad_scale") is not None:
            gradient = gradient.div_(options["grad_scale"])
        if options["maximize"]:
            gradient = -gradient
        if options["weight_decay"]:
            gradient = gradient.add(parameter, alpha=options["weight_decay"])
        if momentum:
            if options["is_first_step"]:
                buffers[number].copy_(gradient)
            else:
                buffers[number].mul_(momentum).add_(gradient, alpha=1 - options["dampening"])
            nesterov = gradient.add(buffers[number], alpha=momentum)
            gradient = nesterov if options["nesterov"] else buffers[number]
        parameter.add_(gradient, alpha=-lr)


def begin():
    """Where a control run wants it, let optimizers ignore ``fused=True``."""
    import torch

    if not os.environ.get("ASCENDIFY_PLAIN_OPTIMIZERS"):
        return
    for name in dir(torch.optim):
        optimizer = getattr(torch.optim, name)
        if isinstance(optimizer, type) and _takes_fused(optimizer):
            optimizer.__init__ = _without_fused(optimizer.__init__)


def _takes_fused(optimizer):
    return "fused" in inspect.signature(optimizer.__init__).parameters


def _without_fused(init):
    """Wrap an optimizer's ``__init__``: PyTorch chooses another implementation."""

    @functools.wraps(init)
    def plain(self, *args, **kwargs):
        kwargs.pop("fused", None)
        init(self, *args, **kwargs)

    return plain
