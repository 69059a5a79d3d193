"""Measure ``optimizer.step()`` of PyTorch.

If several optimizers take turns, each round of them counts as one step, measured at the first
optimizer of the round. A step that a gradient scaler skips does not count.
"""

import functools

from ascendify_startup import torch_unscaled_loss
from ascendify_startup.measure import number


def begin(meter):
    """Watch training from the moment torch is imported."""
    import torch
    from torch.optim import optimizer

    rounds = _Rounds(meter)
    _watch_backward(torch.autograd, rounds)
    torch_unscaled_loss.watch()
    if hasattr(optimizer, "register_optimizer_step_post_hook"):
        optimizer.register_optimizer_step_pre_hook(
            lambda stepped, args, kwargs: meter.safely(rounds.before)
        )
        optimizer.register_optimizer_step_post_hook(
            lambda stepped, args, kwargs: meter.safely(rounds.after, stepped)
        )
    else:
        _watch_classes(optimizer.Optimizer, rounds)


class Batches(object):
    """Size of the last batch of a loader; the next backward pass counts it as trained."""

    size = 0


class _Rounds(object):
    def __init__(self, meter):
        self.meter = meter
        self._stepped = set()
        self._depth = 0
        self._loss = None
        self._samples = 0

    def backward(self, root):
        """Handle the start of a backward pass at this tensor."""
        # no step is running here, unless the last one has raised
        self._depth = 0
        if self.meter.waiting():
            self.meter.begin()
        self._loss = root
        self._samples += Batches.size
        Batches.size = 0

    def before(self):
        """Handle the start of an optimizer's step; it may call the step of its base class."""
        self._depth += 1

    def after(self, optimizer):
        """Handle the end of an optimizer's step."""
        self._depth = max(0, self._depth - 1)
        if self._depth or _left_out(optimizer):
            return
        if id(optimizer) in self._stepped:
            self._stepped.clear()
        if not self._stepped:
            self.meter.step(samples=self._samples or None, loss=self._read_loss())
            self._samples = 0
        self._stepped.add(id(optimizer))

    def _read_loss(self):
        loss, self._loss, self.meter.last_loss = self._loss, None, None
        if loss is None:
            return None
        loss = torch_unscaled_loss.unscaled_loss(loss)
        if loss.numel() != 1:
            return None
        if self.meter.loss_is_due():
            return number(loss.detach())
        # the loss of the last step is read at exit, where a wait does not matter
        self.meter.last_loss = functools.partial(number, loss.detach())
        return None


def _left_out(optimizer):
    """Whether an optimizer that checks gradients itself has skipped its step."""
    found = getattr(optimizer, "found_inf", None)
    return found is not None and bool(found)


def _watch_backward(autograd, rounds):
    original = autograd.backward

    @functools.wraps(original)
    def backward(tensors, *args, **kwargs):
        root = tensors[0] if isinstance(tensors, (list, tuple)) else tensors
        rounds.meter.safely(rounds.backward, root)
        return original(tensors, *args, **kwargs)

    autograd.backward = backward


def _watch_classes(base, rounds):
    """Wrap the step of every optimizer class that is used; for releases without hooks."""
    original = base.__init__

    @functools.wraps(original)
    def initialise(self, *args, **kwargs):
        original(self, *args, **kwargs)
        rounds.meter.safely(_watch_class, type(self), rounds)

    base.__init__ = initialise


def _watch_class(cls, rounds):
    original = cls.step
    if getattr(original, "_ascendify", False):
        return

    @functools.wraps(original)
    def step(self, *args, **kwargs):
        rounds.meter.safely(rounds.before)
        result = original(self, *args, **kwargs)
        rounds.meter.safely(rounds.after, self)
        return result

    step._ascendify = True
    cls.step = step
