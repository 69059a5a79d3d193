"""Remember the unscaled loss when a gradient scaler of PyTorch scales it.

The class of each scaler is wrapped, because some override ``scale``: that of FSDP, and that of the
NPU before PyTorch 2.3.
"""

import functools

_UNSCALED = "_ascendify_unscaled"
"""Attribute of a scaled loss: the unscaled loss."""


def watch(on_scale=None):
    """Store the unscaled loss on scaled losses from now on; call ``on_scale`` with each scaler."""
    base = _base()
    if base is None:
        return
    original = base.__init__

    @functools.wraps(original)
    def initialise(self, *args, **kwargs):
        original(self, *args, **kwargs)
        _watch_class(type(self), on_scale)

    base.__init__ = initialise


def unscaled_loss(loss):
    """Return the loss before it was scaled, or the loss itself if it was not."""
    return getattr(loss, _UNSCALED, loss)


def _base():
    try:
        from torch.amp.grad_scaler import GradScaler
    except ImportError:
        try:
            from torch.cuda.amp.grad_scaler import GradScaler
        except ImportError:
            return None  # a release without scalers
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
            # the tensor itself, not a copy, so that the mark of a pretended GPU stays
            setattr(scaled, _UNSCALED, outputs)
        return scaled

    scale._ascendify = True
    cls.scale = scale
