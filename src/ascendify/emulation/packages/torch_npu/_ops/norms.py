"""npu_* normalisations."""

import torch
import torch.nn.functional as F


def _wide(tensor):
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _rms(x, gamma, epsilon, weight):
    axes = list(range(-gamma.dim(), 0))
    wide = _wide(x)
    rstd = torch.rsqrt(wide.pow(2).mean(axes, keepdim=True) + epsilon)
    return (wide * rstd * weight).to(x.dtype), rstd


def npu_rms_norm(self, gamma, epsilon=1e-6):
    """X / sqrt(mean(x^2) + epsilon) * gamma, and the reciprocal root."""
    return _rms(self, gamma, epsilon, _wide(gamma))


def npu_gemma_rms_norm(self, gamma, epsilon=1e-6):
    """npu_rms_norm with 1 + gamma."""
    return _rms(self, gamma, epsilon, 1 + _wide(gamma))


def npu_add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    """npu_rms_norm of a sum: result, reciprocal root, sum."""
    total = x1 + x2
    result, rstd = npu_rms_norm(total, gamma, epsilon)
    return result, rstd, total


def npu_add_rms_norm_cast(x1, x2, gamma, epsilon=1e-6):
    """npu_add_rms_norm with the result in float32 too: float32, own dtype, root, sum."""
    total = x1 + x2
    result, rstd = npu_rms_norm(total, gamma, epsilon)
    return result.float(), result, rstd, total


def npu_add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5, additional_output=False):
    """Layer norm of a sum: result, mean, reciprocal root, sum (empty unless requested)."""
    total = x1 + x2
    result, mean, rstd = _layer_norm(total, gamma, beta, epsilon)
    return result, mean, rstd, total if additional_output else total.new_empty(0)


def _layer_norm(x, gamma, beta, epsilon):
    axes = list(range(-gamma.dim(), 0))
    wide = _wide(x)
    mean = wide.mean(axes, keepdim=True)
    centred = wide - mean
    rstd = torch.rsqrt(centred.pow(2).mean(axes, keepdim=True) + epsilon)
    return (centred * rstd * _wide(gamma) + _wide(beta)).to(x.dtype), mean, rstd


def npu_deep_norm(x, gx, beta, gamma, alpha=0.3, epsilon=1e-6):
    """Layer norm of alpha * x + gx: mean, reciprocal root, result."""
    result, mean, rstd = _layer_norm(alpha * x + gx, gamma, beta, epsilon)
    return mean, rstd, result


def npu_layer_norm_eval(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """F.layer_norm."""
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def npu_group_norm_silu(input, weight, bias, group, eps=1e-5):
    """Silu of a group norm, with mean and reciprocal root per group."""
    return _group_norm(input, weight, bias, group, eps, 1.0)


def npu_group_norm_swish(input, num_groups, weight, bias, eps=1e-5, swish_scale=1.0):
    """X * sigmoid(swish_scale * x) of a group norm, with mean and reciprocal root per group."""
    return _group_norm(input, weight, bias, num_groups, eps, swish_scale)


def _group_norm(input, weight, bias, groups, eps, scale):
    parts = _wide(input).reshape(input.shape[0], groups, -1)
    mean = parts.mean(-1)
    rstd = torch.rsqrt(parts.var(-1, correction=0) + eps)
    normal = F.group_norm(input, groups, weight, bias, eps)
    return normal * torch.sigmoid(scale * normal), mean, rstd


def npu_normalize_batch(self, seq_len, normalize_type=0):
    """Each sequence by mean and deviation of its own length: per feature (0) or together (1)."""
    rows = []
    for row, length in zip(self, seq_len.tolist()):
        used = row[:, :length]
        over = {"dim": 1, "keepdim": True} if normalize_type == 0 else {}
        rows.append((row - used.mean(**over)) / (used.std(**over) + 1e-5))
    return torch.stack(rows)


def batch_norm_reduce(input, eps):
    """Sums and sums of squares per channel."""
    axes = [axis for axis in range(input.dim()) if axis != 1]
    wide = _wide(input)
    return wide.sum(axes), wide.pow(2).sum(axes)


def batch_norm_gather_stats_update(
    input, mean, invstd, running_mean, running_var, momentum, eps, counts
):
    """Mean and reciprocal root from the ranks' sums and sums of squares; running ones updated."""
    count = counts.sum()
    joined = mean.sum(0) / count
    variance = invstd.sum(0) / count - joined.pow(2)
    if running_mean is not None:
        running_mean.mul_(1 - momentum).add_(joined, alpha=momentum)
        running_var.mul_(1 - momentum).add_(variance * count / (count - 1), alpha=momentum)
    return joined, torch.rsqrt(variance + eps)
