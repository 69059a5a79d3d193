"""Kernels of gradient scalers for PyTorch before 2.3, which has them only for GPUs.

The emulated NPU and the pretended GPU share this module, so that both round in the same way.
"""


def unscale(gradients, found_inf, inverse_scale):
    """Multiply gradients by the inverse of the scale, and set ``found_inf`` if one is not finite.

    As in CUDA's kernel, a 16-bit gradient is multiplied in float32 and rounded once.
    """
    scale = inverse_scale.item()
    for gradient in gradients:
        if not gradient.isfinite().all():
            found_inf.fill_(1.0)
        if scale != 1.0:
            gradient.mul_(scale)


def update(scale, growth_tracker, found_inf, growth, backoff, interval):
    """Change the scale after a step; a scale that would become infinite is not changed."""
    if found_inf.item():
        scale.mul_(backoff)
        growth_tracker.fill_(0)
    elif growth_tracker.item() + 1 == interval:
        grown = scale * growth
        if grown.isfinite().all():
            scale.copy_(grown)
        growth_tracker.fill_(0)
    else:
        growth_tracker.add_(1)
    return scale
