"""SyncBatchNorm: normalisation by mean and variance over all ranks, with its derivative.

The pretended GPU and the emulated NPU have this one: where two formulas differ by rounding, deep
networks end far apart.
"""

import torch
import torch.distributed as dist
import torch.nn.modules._functions
import torch.nn.modules.batchnorm


class SyncBatchNorm(torch.autograd.Function):
    """Normalises by the statistics of the batches of all ranks together."""

    @staticmethod
    def forward(
        ctx,
        input,
        weight,
        bias,
        running_mean,
        running_var,
        eps,
        momentum,
        process_group,
        world_size,
    ):
        """Normalise, and update the running statistics."""
        input = input.contiguous()
        wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
        count, mean, variance = _joined_statistics(wide, process_group, world_size)
        if count == 1:
            raise ValueError(
                "Expected more than 1 value per channel when training, got input size %s"
                % (tuple(input.shape),)
            )
        if running_mean is not None:
            unbiased = variance * (count / (count - 1))
            running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype), alpha=momentum)
            running_var.mul_(1 - momentum).add_(unbiased.to(running_var.dtype), alpha=momentum)
        inverse = torch.rsqrt(variance + eps)
        ctx.save_for_backward(input, weight, mean, inverse)
        ctx.process_group, ctx.count = process_group, count
        output = (wide - _spread(mean, wide)) * _spread(inverse, wide)
        if weight is not None:
            output = output * _spread(weight, wide) + _spread(bias, wide)
        return output.to(input.dtype)

    @staticmethod
    def backward(ctx, gradient):
        """Return gradients; those of weight and bias are of this rank's samples."""
        input, weight, mean, inverse = ctx.saved_tensors
        wide = gradient.to(mean.dtype).contiguous()
        normal = (input.to(mean.dtype) - _spread(mean, input)) * _spread(inverse, input)
        axes = [axis for axis in range(input.dim()) if axis != 1]
        sums = torch.cat([wide.sum(axes), (wide * normal).sum(axes)])
        channels = input.shape[1]
        # sums of this rank only: DistributedDataParallel averages the gradients of parameters
        grad_bias, grad_weight = sums[:channels].clone(), sums[channels:].clone()
        grad_input = None
        if ctx.needs_input_grad[0]:
            dist.all_reduce(sums, group=ctx.process_group)
            of_gradient, of_product = sums[:channels] / ctx.count, sums[channels:] / ctx.count
            grad_input = wide - _spread(of_gradient, wide) - normal * _spread(of_product, wide)
            scale = inverse if weight is None else inverse * weight.to(inverse.dtype)
            grad_input = (grad_input * _spread(scale, wide)).to(input.dtype)
        if weight is None:
            return (grad_input,) + (None,) * 8
        return (
            grad_input,
            grad_weight.to(weight.dtype) if ctx.needs_input_grad[1] else None,
            grad_bias.to(weight.dtype) if ctx.needs_input_grad[2] else None,
        ) + (None,) * 6


def _joined_statistics(input, group, world_size):
    """Return number of values, mean and biased variance per channel over all ranks."""
    channels = input.shape[1]
    axes = [axis for axis in range(input.dim()) if axis != 1]
    own = torch.zeros(2 * channels + 1, dtype=input.dtype, device=input.device)
    values = input.numel() // channels
    if values:
        variance, mean = torch.var_mean(input, axes, correction=0)
        own[:channels], own[channels : 2 * channels], own[-1] = mean, variance, values
    parts = [torch.empty_like(own) for _ in range(world_size)]
    dist.all_gather(parts, own, group)
    # few numbers, so that float64 costs little and avoids cancellation with a large mean; computed
    # on the CPU, because an NPU has no float64
    table = torch.stack(parts).cpu().double()
    counts, means, variances = table[:, -1:], table[:, :channels], table[:, channels:-1]
    total = counts.sum()
    mean = (counts * means).sum(0) / total
    variance = (counts * (variances + (means - mean) ** 2)).sum(0) / total
    return (
        int(total),
        mean.to(input.dtype).to(input.device),
        variance.to(input.dtype).to(input.device),
    )


def _spread(values, like):
    return values.to(like.dtype).view([1, -1] + [1] * (like.dim() - 2))


def install():
    """Replace torch's version, which calls operators that exist only for CUDA."""
    torch.nn.modules._functions.SyncBatchNorm = SyncBatchNorm
    torch.nn.modules.batchnorm.sync_batch_norm = SyncBatchNorm
