"""The decoder's steps, as this machine's devices compute them, against the formulas in float64."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
import torch
from torch import Tensor

from ascendify.zoo.attention_ocr.model import decode, decoding

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
ERRORS = {torch.float32: 1e-5, torch.bfloat16: 0.05}
STEPS, SAMPLES, UNITS, POSITIONS, CHANNELS = 5, 3, 24, 70, 40  # no multiples of a kernel's blocks
CLIP = 0.8
NAMES = ("inputs", "recurrent", "to_query", "query_bias", "memory", "features", "v")


def numbers() -> tuple[Tensor, ...]:
    """What goes into the steps, all that has a gradient."""
    generator = torch.Generator().manual_seed(11)
    shapes = (
        (STEPS, SAMPLES, 4 * UNITS),
        (4 * UNITS, CHANNELS + UNITS),
        (CHANNELS, 2 * UNITS),
        (CHANNELS,),
        (SAMPLES, POSITIONS, CHANNELS),
        (SAMPLES, POSITIONS, CHANNELS),
        (CHANNELS,),
    )
    sizes = (1.5, 0.2, 0.3, 0.3, 1.0, 1.0, 0.7)
    return tuple(
        # rounded at once, so that every precision starts from the same
        (torch.randn(*shape, generator=generator) * size).bfloat16().double()
        for shape, size in zip(shapes, sizes)
    )


def written_out(
    inputs: Tensor,
    recurrent: Tensor,
    to_query: Tensor,
    query_bias: Tensor,
    memory: Tensor,
    features: Tensor,
    v: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    cell = inputs.new_zeros(SAMPLES, UNITS)
    hidden, context = cell, inputs.new_zeros(SAMPLES, CHANNELS)
    made = []
    for reported in inputs:
        gates = reported + torch.cat([context, hidden], 1) @ recurrent.t()
        enter, new, keep, leave = gates.chunk(4, 1)
        cell = torch.sigmoid(keep) * cell + torch.sigmoid(enter) * torch.tanh(new)
        cell = cell.clamp(-CLIP, CLIP)
        hidden = torch.sigmoid(leave) * torch.tanh(cell)
        query = torch.cat([cell, hidden], 1) @ to_query.t() + query_bias
        weights = torch.softmax((v * torch.tanh(memory + query[:, None])).sum(2), 1)
        context = (weights[:, :, None] * features).sum(1)
        made.append((hidden, context, weights))
    hiddens, contexts, maps = (torch.stack(part) for part in zip(*made))
    return hiddens, contexts, maps


def with_gradients(found: tuple[Tensor, Tensor, Tensor], given: list[Tensor]) -> list[Tensor]:
    """Outputs, contexts and weights, then the gradients of a loss of the first two."""
    generator = torch.Generator().manual_seed(12)
    loss = torch.zeros((), dtype=torch.float64)
    for each in found[:2]:
        factors = torch.randn(each.shape, generator=generator, dtype=torch.float64)
        loss = loss + (each.double().cpu() * factors).sum()
    return [*found, *torch.autograd.grad(loss, given)]


@pytest.mark.parametrize("dtype", ERRORS, ids=str)
@pytest.mark.parametrize("device", DEVICES)
def test_values_and_gradients(device: str, dtype: torch.dtype) -> None:
    exact = [each.clone().requires_grad_() for each in numbers()]
    wanted = with_gradients(written_out(*exact), exact)
    # v stays float32 in a mixed run, as the parameter it is
    types = [*[dtype] * 6, torch.float32]
    given = [each.to(device, kind).requires_grad_() for each, kind in zip(numbers(), types)]
    run = decoding(given[0], fused=True)
    found = with_gradients(run(*given, CLIP), given)
    for name, mine, theirs in zip(("hidden", "context", "weights", *NAMES), found, wanted):
        error = (mine.detach().double().cpu() - theirs.detach()).norm() / theirs.detach().norm()
        assert error < ERRORS[dtype], f"{name}: {error:.2e}"


def test_float64_is_never_fused() -> None:
    for device in DEVICES:
        assert decoding(torch.zeros(1, dtype=torch.float64, device=device), fused=True) is decode
        assert decoding(torch.zeros(1, device=device), fused=False) is decode
