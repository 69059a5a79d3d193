"""Gradient scalers of PyTorch: what a scaled loss was before it was scaled.

Watched is the class that a scaler is made of, because some have a ``scale`` of their own: FSDP's
does, and so does that of an NPU before PyTorch 2.3.
"""

import functools

_UNSCALED = "_ascendify_unscaled"
"""Attribute of a scaled loss: the loss itself."""


def watch(on_scale=None):
    """Remember the loss in everything that is scaled from now on; ``on_scale`` gets each scaler."""
    base = _base()
    if base is None:
        return
    original = base.__init__

    @functools.wraps(original)
    def initialise(self, *args, **kwargs):
        original(self, *args, **kwargs)
        _watch_class(type(self), on_scale)

    base.__init__ = initialise


def unscaled(loss):
    """The loss before it was scaled, itself where it was not."""
    return getattr(loss, _UNSCALED, loss)


def _base():
    try:
        from torch.amp.grad_scaler import GradScaler
    except ImportError:
        try:
            from torch.cuda.amp.grad_scaler import GradScaler
        except ImportError:
            return None  # older than scalers
    return GradScaler


def _watch_class(cls, on_scale):
    original = cls.scale
    if getattr(original, "_ascendify", False):
        return

    @functools.wraps(original)
    def scale(self, outputs):
        scaled = original(self, outputs)
        if on_scale is not None:
            on_scale(self)
        if scaled is not outputs and hasattr(scaled, "backward"):
            # not a copy: the mark of a pretended GPU stays
            setattr(scaled, _UNSCALED, outputs)
        return scaled

    scale._ascendify = True
    cls.scale = scale
