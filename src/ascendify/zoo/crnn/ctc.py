"""Connectionist temporal classification in a few tensor operations that every device has.

The loss of a sample is minus the log of the sum, over all alignments of its label to the T time
steps, of the alignment's probability. The sum goes forwards and backwards over the label with a
blank around every symbol (``states``, 2 L + 1 of them) at the same time: the backward one is the
forward one of the reversed label over reversed time, so both are one recursion over twice the
samples, of four operations a time step. Its posteriors give the gradient with respect to the
logits at once: softmax minus posterior.

Nothing here waits for the device or has a shape that depends on values, so a step with it can be
compiled, and captured as a CUDA graph. Probability zero is a finite number, so there is no NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from ascendify.zoo.kernels import has_kernels

NEVER = -1e30
"""The log of a probability of zero."""


def ctc_loss(logits: Tensor, labels: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """Return the negative log-likelihood of each label, [B], in float32 (or float64 as the logits).

    A label that has no alignment (see ``impossible``) has loss 0 and no gradient.

    Args:
        logits: [T, B, C], before softmax; all T steps count.
        labels: [B, L] classes; entries after a label's length are ignored.
        lengths: [B], lengths of the labels; 0 is an empty label.
        blank: the class between symbols.
    """
    if has_kernels(logits):
        from ascendify.zoo.crnn.fused import ctc  # noqa: PLC0415 - needs Triton

        # the kernels need contiguous labels, and decoded ones are not
        return ctc.ctc_loss(logits, labels.contiguous(), lengths, blank)
    apply = cast("Callable[..., Tensor]", _Ctc.apply)
    return apply(logits, labels, lengths, blank)


def impossible(labels: Tensor, lengths: Tensor, steps: int) -> Tensor:
    """Return which labels, [B], have no alignment: too few steps for symbols and needed blanks."""
    position = torch.arange(1, labels.shape[1], device=labels.device)
    repeats = (labels[:, 1:] == labels[:, :-1]) & (position < lengths[:, None])
    return lengths + repeats.sum(1) > steps


class _Ctc(torch.autograd.Function):
    """Computes the gradient together with the loss: both need the same sums."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, labels: Tensor, lengths: Tensor, blank: int) -> Tensor:
        wide = logits if logits.dtype == torch.float64 else logits.float()
        possible = ~impossible(labels, lengths, logits.shape[0])
        log_probabilities = functional.log_softmax(wide, dim=2)
        states = _states(labels, lengths, blank)
        emissions = log_probabilities.gather(2, states.expand(len(wide), -1, -1))
        first, last = _ends(lengths, states.shape[1], wide.dtype)
        forwards, backwards = _forward_backward(emissions, states, first, last)
        likelihood = (forwards[-1] + last).logsumexp(1)
        if ctx.needs_input_grad[0]:
            through = forwards + backwards - emissions
            posterior = (through - likelihood[:, None]).exp()
            expected = _by_class(posterior, states, logits.shape[2])
            gradient = (log_probabilities.exp() - expected) * possible[:, None]
            ctx.save_for_backward(gradient.to(logits.dtype))
        return torch.where(possible, -likelihood, 0.0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return gradient * outer[0][:, None].to(gradient.dtype), None, None, None


def _states(labels: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """[B, 2 L + 1]: the classes of each label with a blank before, between and after."""
    position = torch.arange(labels.shape[1], device=labels.device)
    symbols = torch.where(position < lengths[:, None], labels, blank)
    pairs = torch.stack([torch.full_like(symbols, blank), symbols], dim=2)
    return functional.pad(pairs.flatten(1), (0, 1), value=blank)


def _ends(lengths: Tensor, states: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Logs, [B, S]: an alignment begins in the first or second state, ends in the last or the one
    before; an empty label has one state."""
    number = torch.arange(states, device=lengths.device)
    final = 2 * lengths[:, None]
    first = (number <= 1).expand(len(lengths), -1)
    last = (number == final) | (number == final - 1)
    return _log(first, dtype), _log(last, dtype)


def _forward_backward(
    emissions: Tensor, states: Tensor, first: Tensor, last: Tensor
) -> tuple[Tensor, Tensor]:
    """Return forward and backward variables as logs, [T, B, S]; both include the step itself."""
    sums = _sums(
        torch.cat([emissions, emissions.flip(0, 2)], dim=1),
        torch.cat([states, states.flip(1)]),
        torch.cat([first, last.flip(1)]),
    )
    forwards, backwards = sums.chunk(2, dim=1)
    return forwards, backwards.flip(0, 2)


def _sums(emissions: Tensor, states: Tensor, first: Tensor) -> Tensor:
    """Return logs, [T, N, S], of the sum over all paths into each state: from itself, the one
    before, or, between two symbols that differ, the one before that."""
    symbol = torch.arange(states.shape[1] - 2, device=states.device) % 2 == 1
    skips = symbol & (states[:, 2:] != states[:, :-2])
    skip = functional.pad(_log(skips, emissions.dtype), (2, 0), value=NEVER)
    sums = functional.pad(emissions, (2, 0), value=NEVER)
    sums[0, :, 2:] += first
    for now, before in zip(sums[1:], sums):
        near = torch.logaddexp(before[:, 2:], before[:, 1:-1])
        now[:, 2:] += torch.logaddexp(near, before[:, :-2] + skip)
    return sums[:, :, 2:]


def _by_class(posterior: Tensor, states: Tensor, classes: int) -> Tensor:
    """Sum over the states of each class, [T, B, C]; by a product, as the order of additions in a
    scatter would change from run to run."""
    member = functional.one_hot(states, classes).to(posterior.dtype)
    with torch.autocast(posterior.device.type, enabled=False):
        return torch.bmm(posterior.transpose(0, 1), member).transpose(0, 1)


def _log(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.where(mask, 0.0, NEVER).to(dtype)
