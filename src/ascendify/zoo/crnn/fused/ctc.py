"""CTC as two Triton kernels, for CUDA: one program per sample, without synchronisation.

Torch's own loss reads the lengths on the host at every step, which stops a CUDA graph, and starts a
kernel for every time step.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

_NEVER = tl.constexpr(-1e30)
"""The logarithm of no probability; finite, so that differences of two are numbers."""


@triton.jit
def _either(a, b):
    top = tl.maximum(a, b)
    return top + tl.log(tl.exp(a - top) + tl.exp(b - top))


@triton.jit
def _symbols(labels, sample, width, s, length, blank):
    """The label with blanks around every symbol, and where a step may skip the blank before."""
    odd = s % 2 == 1
    at = labels + sample * width + s // 2
    symbol = tl.load(at, mask=odd & (s < 2 * length), other=0)
    before = tl.load(at - 1, mask=odd & (s > 1) & (s < 2 * length), other=-1)
    return tl.where(odd, symbol, blank).to(tl.int32), odd & (s > 1) & (symbol != before)


@triton.jit
def _forward(
    logits, labels, lengths, nll, norms, alphas, samples, width, classes, blank,
    T: tl.constexpr, S: tl.constexpr, C: tl.constexpr,
):  # fmt: skip
    """The loss of a sample; keeps the forward variables and the logs of the softmax's sums."""
    sample = tl.program_id(0).to(tl.int64)
    length = tl.load(lengths + sample).to(tl.int32)
    s = tl.arange(0, S)
    c = tl.arange(0, C)
    real = s <= 2 * length
    symbol, skips = _symbols(labels, sample, width, s, length, blank)
    kept = alphas + sample * T * S
    for t in range(T):
        row = logits + (t * samples + sample) * classes
        scores = tl.load(row + c, mask=c < classes, other=-float("inf")).to(tl.float32)
        top = tl.max(scores, axis=0)
        norm = top + tl.log(tl.sum(tl.exp(scores - top), axis=0))
        tl.store(norms + sample * T + t, norm)
        emitted = tl.load(row + symbol, mask=real, other=0.0).to(tl.float32) - norm
        if t == 0:
            alpha = tl.where(s < 2, emitted, _NEVER)
        else:
            stay = tl.load(kept + (t - 1) * S + s)
            step = tl.load(kept + (t - 1) * S + s - 1, mask=s > 0, other=_NEVER)
            skip = tl.load(kept + (t - 1) * S + s - 2, mask=skips, other=_NEVER)
            alpha = _either(_either(stay, step), skip) + emitted
        alpha = tl.where(real, tl.maximum(alpha, _NEVER), _NEVER)
        tl.store(kept + t * S + s, alpha)
        tl.debug_barrier()  # the next step reads what neighbours have written
    last = tl.load(kept + (T - 1) * S + 2 * length)
    before = tl.load(kept + (T - 1) * S + 2 * length - 1, mask=length > 0, other=_NEVER)
    tl.store(nll + sample, -_either(last, before))


@triton.jit
def _backward(
    logits, labels, lengths, nll, norms, alphas, betas, d_nll, d_logits, samples, width, classes,
    blank, T: tl.constexpr, S: tl.constexpr, C: tl.constexpr,
):  # fmt: skip
    """The gradient of the logits: the softmax less the share of paths that emit each class."""
    sample = tl.program_id(0).to(tl.int64)
    length = tl.load(lengths + sample).to(tl.int32)
    s = tl.arange(0, S)
    c = tl.arange(0, C)
    real = s <= 2 * length
    symbol, _ = _symbols(labels, sample, width, s, length, blank)
    _, skipped = _symbols(labels, sample, width, s + 2, length, blank)
    skipped = skipped & (s + 2 <= 2 * length)
    loss = tl.load(nll + sample)
    possible = loss < 5e29
    factor = tl.where(possible, tl.load(d_nll + sample).to(tl.float32), 0.0)
    kept = betas + sample * 2 * S
    for back in range(T):
        t = T - 1 - back
        row = (t * samples + sample) * classes
        norm = tl.load(norms + sample * T + t)
        emitted = tl.load(logits + row + symbol, mask=real, other=0.0).to(tl.float32) - norm
        if back == 0:
            ends = (s == 2 * length) | (s == 2 * length - 1)
            beta = tl.where(ends, 0.0, _NEVER)
        else:
            after = kept + (back % 2) * S  # with the emission of the step after
            stay = tl.load(after + s)
            step = tl.load(after + s + 1, mask=s + 1 < S, other=_NEVER)
            skip = tl.load(after + s + 2, mask=skipped, other=_NEVER)
            beta = _either(_either(stay, step), skip)
        beta = tl.where(real, tl.maximum(beta, _NEVER), _NEVER)
        tl.store(
            kept + ((back + 1) % 2) * S + s,
            tl.where(real, tl.maximum(beta + emitted, _NEVER), _NEVER),
        )
        alpha = tl.load(alphas + (sample * T + t) * S + s)
        share = tl.where(real, tl.exp(tl.minimum(alpha + beta + loss, 0.0)), 0.0)
        by_class = tl.sum(tl.where(symbol[:, None] == c[None, :], share[:, None], 0.0), axis=0)
        known = c < classes
        scores = tl.load(logits + row + c, mask=known, other=-float("inf")).to(tl.float32)
        found = (tl.exp(scores - norm) - by_class) * factor
        tl.store(d_logits + row + c, found.to(d_logits.dtype.element_ty), mask=known)
        tl.debug_barrier()


class _Ctc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, labels, lengths, blank):
        steps, samples, classes = logits.shape
        states = triton.next_power_of_2(2 * labels.shape[1] + 1)
        nll = torch.empty(samples, device=logits.device)
        norms = torch.empty(samples, steps, device=logits.device)
        alphas = torch.empty(samples, steps, states, device=logits.device)
        ctx.sizes = (steps, states, triton.next_power_of_2(classes))
        ctx.blank = blank
        _forward[(samples,)](
            logits, labels, lengths, nll, norms, alphas, samples, labels.shape[1], classes, blank,
            *ctx.sizes, num_warps=1,
        )  # fmt: skip
        ctx.save_for_backward(logits, labels, lengths, nll, norms, alphas)
        return torch.where(nll < 5e29, nll, 0.0)

    @staticmethod
    def backward(ctx, d_nll):
        logits, labels, lengths, nll, norms, alphas = ctx.saved_tensors
        _, samples, classes = logits.shape
        betas = torch.empty(samples, 2, ctx.sizes[1], device=logits.device)
        d_logits = torch.empty_like(logits)
        _backward[(samples,)](
            logits, labels, lengths, nll, norms, alphas, betas, d_nll.contiguous(), d_logits,
            samples, labels.shape[1], classes, ctx.blank, *ctx.sizes, num_warps=1,
        )  # fmt: skip
        return d_logits, None, None, None


def ctc_loss(logits: Tensor, labels: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """The negative log-likelihood of each label; 0, with no gradient, where none can be aligned."""
    found: Tensor = _Ctc.apply(logits.contiguous(), labels, lengths, blank)
    return found
