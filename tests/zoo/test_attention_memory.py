"""The attention's values and gradients are those of plain autograd."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("torch")
import torch

from ascendify.zoo.attention_ocr.attention import (
    Memory,
    attend_backward,
    attend_forward,
    gather_backward,
)

SAMPLES, POSITIONS, CHANNELS, STEPS = 2, 7, 5, 4
Tensors = tuple[torch.Tensor, ...]


def plain(
    keys: torch.Tensor, values: torch.Tensor, v: torch.Tensor, query: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The formula, letter by letter."""
    scores = (v * torch.tanh(keys + query[:, None])).sum(2)
    weights = torch.softmax(scores, 1)
    return (weights[:, :, None] * values).sum(1), weights


def numbers(dtype: torch.dtype = torch.float64) -> Tensors:
    """Features, keys, v and what is added to each step's query."""
    generator = torch.Generator().manual_seed(3)
    memory = (SAMPLES, POSITIONS, CHANNELS)
    shapes = (memory, memory, (CHANNELS,), (STEPS, SAMPLES, CHANNELS))
    return tuple(
        torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
        for shape in shapes
    )


Attend = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def chain(attend: Attend, queries: torch.Tensor) -> torch.Tensor:
    """Steps that each depend on the one before, as a decoder's do."""
    context = torch.zeros_like(queries[0])
    contexts = []
    for query in queries:
        context, _ = attend(query + context)
        contexts.append(context)
    return torch.stack(contexts)


def by_memory(
    values: torch.Tensor, keys: torch.Tensor, v: torch.Tensor, queries: torch.Tensor
) -> torch.Tensor:
    return chain(Memory(values, keys, v).attend, queries)


def by_autograd(
    values: torch.Tensor, keys: torch.Tensor, v: torch.Tensor, queries: torch.Tensor
) -> torch.Tensor:
    return chain(lambda query: plain(keys, values, v, query), queries)


def gradients(function: Callable[..., torch.Tensor], inputs: Tensors) -> tuple[torch.Tensor, ...]:
    found = function(*inputs)
    weighted = found * torch.linspace(-1, 1, found.numel(), dtype=found.dtype).view_as(found)
    return (found, *torch.autograd.grad(weighted.sum(), inputs))


def test_values_and_gradients_are_those_of_autograd() -> None:
    for mine, theirs in zip(gradients(by_memory, numbers()), gradients(by_autograd, numbers())):
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)


def test_gradients_are_those_of_finite_differences() -> None:
    assert torch.autograd.gradcheck(by_memory, numbers())


def test_bfloat16_is_off_by_its_rounding_only() -> None:
    exact = gradients(by_autograd, numbers())
    for mine, theirs in zip(gradients(by_memory, numbers(torch.bfloat16)), exact):
        assert mine.dtype == torch.bfloat16
        error = (mine.double() - theirs).norm() / theirs.norm()
        assert error < 0.03


def test_the_three_functions_together_are_the_gradient_of_a_step() -> None:
    values, keys, v, queries = numbers()
    context, weights = plain(keys, values, v, queries[0])
    dcontext = torch.randn_like(context)
    wanted = torch.autograd.grad(context, (queries, keys, v), dcontext)
    found_context, found_weights = attend_forward(keys, values, v, queries[0])
    torch.testing.assert_close((found_context, found_weights), (context, weights))
    dquery, dscores = attend_backward(keys, values, v, queries[0], weights, dcontext)
    torch.testing.assert_close(dquery, wanted[0][0])
    dkeys, dv = gather_backward(keys, v, queries[:1].transpose(0, 1), dscores[:, None])
    torch.testing.assert_close((dkeys, dv), wanted[1:])


@pytest.mark.parametrize("without", range(4), ids=["features", "keys", "v", "queries"])
def test_an_input_may_need_no_gradient(without: int) -> None:
    inputs = numbers()
    inputs[without].requires_grad_(False)
    others = [each for each in inputs if each.requires_grad]
    mine = torch.autograd.grad(by_memory(*inputs).square().sum(), others)
    theirs = torch.autograd.grad(by_autograd(*inputs).square().sum(), others)
    torch.testing.assert_close(mine, theirs)


def test_a_second_backward_counts_nothing_twice() -> None:
    values, keys, v, queries = numbers()
    loss = by_memory(values, keys, v, queries).square().sum()
    first = torch.autograd.grad(loss, (values, keys, v), retain_graph=True)
    torch.autograd.grad(loss, queries, retain_graph=True)  # leaves nothing behind
    second = torch.autograd.grad(loss, (values, keys, v))
    torch.testing.assert_close(first, second, rtol=0, atol=0)


def test_a_context_that_nobody_uses_adds_nothing() -> None:
    values, keys, v, queries = numbers()
    memory = Memory(values, keys, v)
    used, _ = memory.attend(queries[0])
    memory.attend(queries[1])
    alone, _ = plain(keys, values, v, queries[0])
    mine = torch.autograd.grad(used.sum(), (values, keys, v))
    torch.testing.assert_close(mine, torch.autograd.grad(alone.sum(), (values, keys, v)))


def test_a_loss_on_the_weights_is_refused() -> None:
    values, keys, v, queries = numbers()
    context, weights = Memory(values, keys, v).attend(queries[0])
    with pytest.raises(RuntimeError, match="attention weights have no gradient"):
        torch.autograd.backward(context.sum() + weights.square().sum())


def test_without_gradients_the_values_are_the_same() -> None:
    inputs = numbers()
    with torch.no_grad():
        torch.testing.assert_close(by_memory(*inputs), by_autograd(*inputs))
