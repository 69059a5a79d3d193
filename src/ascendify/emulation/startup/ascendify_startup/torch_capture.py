"""Capture the training of a PyTorch program: losses and their scale, steps, gradients.

A loss is the tensor on which ``backward`` is called, before a scaler has scaled it. Its name is the
variable in the line that calls ``backward``, because migration does not rename variables.
"""

import linecache
import os
import re
import sys

from ascendify_startup import import_hooks, torch_unscaled_loss
from ascendify_startup.torch_pretend_marks import marked
from ascendify_startup.torch_values import on_cpu

_NAME = r"([A-Za-z_][\w.]*)"
_SCALED = re.compile(r"scale\(\s*" + _NAME)
_RECEIVER = re.compile(_NAME + r"\.backward\(")
_ARGUMENT = re.compile(r"backward\(\s*" + _NAME + r"\s*[,)]")
_LIBRARIES = ("site-packages", "dist-packages", os.sep + "ascendify_startup" + os.sep)
_LOWER = {"torch.float16": "float16", "torch.bfloat16": "bfloat16"}


def begin(recorder):
    """Watch training from the moment torch is imported."""
    import_hooks.after("torch", lambda: _patch(recorder))


def _patch(recorder):
    import torch
    from torch.amp import autocast_mode
    from torch.optim import optimizer

    from ascendify_startup import torch_no_compile, torch_weights

    watcher = _Watcher(recorder)
    _watch_backward(torch.autograd, watcher)
    torch_unscaled_loss.watch(watcher.scale)
    _watch_autocast(autocast_mode.autocast, watcher)
    weights = torch_weights.Weights(recorder)

    def before_step(stepped, args, kwargs):
        weights.saw(stepped)
        watcher.step(stepped)

    optimizer.register_optimizer_step_pre_hook(before_step)
    torch_weights.watch_saving(recorder)
    torch_no_compile.begin(recorder)


class _Watcher(object):
    """Records the numbers of the training in their order."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._optimizers = []
        self.lowest = "float32"
        """The least precise type of any autocast block."""

    def loss(self, root, weight):
        """Record the loss on which a backward pass was called."""
        root = torch_unscaled_loss.unscaled_loss(root)
        value = on_cpu(root).double()
        if weight is not None and value.numel() > 1:
            value = value * on_cpu(weight).double()
        dtype = _LOWER.get(str(root.dtype), self.lowest)
        device = root.device.type if marked(root) is None else "cuda"
        self._recorder.value(
            "loss", _name_of_loss(), float(value.sum()), dtype=dtype, device=device
        )

    def scale(self, scaler):
        """Record the scale of the loss; 1 if scaling is off."""
        self._recorder.value("scale", "loss scale", float(scaler.get_scale()))

    def step(self, optimizer):
        """Record a training step and the norm of its gradients."""
        self._recorder.write({"source": "step", "value": None})
        if optimizer not in self._optimizers:
            self._optimizers.append(optimizer)
        number = self._optimizers.index(optimizer)
        name = "gradient norm" if number == 0 else "gradient norm %d" % (number + 1)
        norm = _norm(optimizer)
        if norm is not None:
            self._recorder.value("gradient", name, norm, dtype=self.lowest)


def _norm(optimizer):
    total, found = 0.0, False
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                gradient = on_cpu(parameter.grad)
                total += float(gradient.double().square().sum())
                found = True
    return total**0.5 if found else None


def _watch_backward(autograd, watcher):
    original = autograd.backward
    running = []

    def backward(tensors, grad_tensors=None, *args, **kwargs):
        roots = [tensors] if not isinstance(tensors, (list, tuple)) else list(tensors)
        if running and running[-1] == list(map(id, roots)):
            # torch calls the function again for a mode or a class that overrides it
            return original(tensors, grad_tensors, *args, **kwargs)
        running.append(list(map(id, roots)))
        try:
            return record_and_run(roots, tensors, grad_tensors, *args, **kwargs)
        finally:
            running.pop()

    def record_and_run(roots, tensors, grad_tensors, *args, **kwargs):
        weights = grad_tensors
        if not isinstance(grad_tensors, (list, tuple)):
            weights = [grad_tensors] * len(roots)
        for root, weight in zip(roots, weights):
            if getattr(root, "is_floating_point", lambda: False)():
                watcher.loss(root, weight)
        return original(tensors, grad_tensors, *args, **kwargs)

    autograd.backward = backward


def _watch_autocast(autocast, watcher):
    original = autocast.__enter__

    def enter(self):
        lower = _LOWER.get(str(getattr(self, "fast_dtype", "")))
        if getattr(self, "_enabled", False) and lower and watcher.lowest != "bfloat16":
            watcher.lowest = lower
        return original(self)

    autocast.__enter__ = enter


def _name_of_loss():
    """Return the name of the loss in the user's line that called ``backward``."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if not any(part in path for part in _LIBRARIES) and not path.startswith("<frozen"):
            return _name_in(linecache.getline(path, frame.f_lineno), frame.f_locals)
        frame = frame.f_back
    return "loss"


def _name_in(line, variables):
    """Return ``loss`` of ``loss.backward()``, ``scaler.scale(loss)``, ``engine.backward(loss)``."""
    receiver, argument = _RECEIVER.search(line), _ARGUMENT.search(line)
    if receiver and argument and hasattr(variables.get(receiver.group(1)), "grad_fn"):
        argument = None
    found = _SCALED.search(line) or argument or receiver
    return found.group(1) if found else "loss"
