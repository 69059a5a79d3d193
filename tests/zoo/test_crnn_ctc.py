"""The CTC loss: the same as torch's in values and gradients, and what it does with hard labels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn import functional

from ascendify.zoo.crnn.ctc import ctc_loss, impossible

Case = tuple[Tensor, Tensor, Tensor, int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Few classes, so that labels have repeats; some labels are empty, some just fit, some not."""
    steps, samples = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    classes, longest = draw(st.integers(2, 5)), draw(st.integers(1, 7))
    blank = draw(st.integers(0, classes - 1))
    symbols = st.sampled_from([number for number in range(classes) if number != blank])
    labels = [draw(st.lists(symbols, max_size=longest)) for _ in range(samples)]
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    spread = draw(st.sampled_from([0.1, 1.0, 10.0]))
    logits = spread * torch.randn(steps, samples, classes, dtype=torch.float64, generator=generator)
    return logits, padded(labels, longest, blank), lengths_of(labels), blank


def padded(labels: list[list[int]], longest: int, filler: int) -> Tensor:
    return torch.tensor([label + [filler] * (longest - len(label)) for label in labels])


def lengths_of(labels: list[list[int]]) -> Tensor:
    return torch.tensor([len(label) for label in labels])


def of_torch(logits: Tensor, labels: Tensor, lengths: Tensor, blank: int) -> Tensor:
    steps = torch.full_like(lengths, len(logits))
    return functional.ctc_loss(
        logits.log_softmax(2),
        labels,
        steps,
        lengths,
        blank=blank,
        reduction="none",
        zero_infinity=True,
    )


@settings(max_examples=200)
@given(cases())
def test_is_what_torch_computes(case: Case) -> None:
    logits, _, lengths, _ = case
    logits.requires_grad_()
    weights = torch.linspace(0.5, 2.0, len(lengths), dtype=torch.float64)
    ours, theirs = ctc_loss(*case), of_torch(*case)
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)
    (gradient,) = torch.autograd.grad(ours, logits, weights)
    (expected,) = torch.autograd.grad(theirs, logits, weights)
    torch.testing.assert_close(gradient, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=200)
@given(cases())
def test_impossible_labels_are_those_of_infinite_loss(case: Case) -> None:
    logits, labels, lengths, blank = case
    steps = torch.full_like(lengths, len(logits))
    losses = functional.ctc_loss(
        logits.log_softmax(2), labels, steps, lengths, blank=blank, reduction="none"
    )
    assert impossible(labels, lengths, len(logits)).tolist() == losses.isinf().tolist()


@pytest.mark.parametrize(
    ("label", "steps", "expected"),
    [
        ([], 1, False),
        ([0], 1, False),
        ([0, 1], 1, True),
        ([0, 1], 2, False),
        ([0, 0], 2, True),  # a blank must be between equals
        ([0, 0], 3, False),
        ([0, 0, 0], 4, True),
        ([0, 0, 0], 5, False),
        ([0, 1, 0], 3, False),
    ],
)
def test_what_fits_into_the_steps(label: list[int], steps: int, expected: bool) -> None:
    labels, lengths = padded([label], 4, 2), lengths_of([label])
    logits = torch.randn(steps, 1, 3, requires_grad=True)
    loss = ctc_loss(logits, labels, lengths, 2)
    torch.autograd.backward(loss.sum())
    assert impossible(labels, lengths, steps).tolist() == [expected]
    assert logits.grad is not None
    if expected:
        assert loss.item() == 0.0
        assert not logits.grad.any()
    else:
        assert loss.item() > 0.0
        assert logits.grad.any()


def test_an_impossible_label_leaves_the_others_alone() -> None:
    torch.manual_seed(0)
    logits = torch.randn(3, 2, 4)
    labels, lengths = padded([[0, 0, 0], [1, 2]], 3, 3), torch.tensor([3, 2])
    both = ctc_loss(logits, labels, lengths, 3)
    alone = ctc_loss(logits[:, 1:], labels[1:], lengths[1:], 3)
    assert both[0] == 0.0
    # sums over another number of samples may be vectorised in another order: the last bits differ
    torch.testing.assert_close(both[1], alone[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("filler", [0, 1, 36, -1, 133])
def test_what_fills_a_label_does_not_matter(filler: int) -> None:
    torch.manual_seed(0)
    logits = torch.randn(8, 2, 37)
    words = [[1, 1, 2], [5]]
    losses = ctc_loss(logits, padded(words, 6, filler), lengths_of(words), 36)
    expected = of_torch(logits, padded(words, 6, 36), lengths_of(words), 36)
    torch.testing.assert_close(losses, expected)


def test_gradient_is_the_derivative() -> None:
    torch.manual_seed(0)
    words = [[0, 0, 1], [1], [], [2, 1, 2]]
    logits = torch.randn(5, 4, 4, dtype=torch.float64, requires_grad=True)
    labels, lengths = padded(words, 3, 3), lengths_of(words)
    assert torch.autograd.gradcheck(lambda x: ctc_loss(x, labels, lengths, 3), (logits,))


def test_second_derivatives_are_refused_not_wrong() -> None:
    logits = torch.randn(4, 1, 3, requires_grad=True)
    loss = ctc_loss(logits, torch.tensor([[0, 1]]), torch.tensor([2]), 2)
    (gradient,) = torch.autograd.grad(loss.square().sum(), logits, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        torch.autograd.backward(gradient.sum())


def test_size_of_the_guide_in_single_precision() -> None:
    """25 steps, 37 classes, labels of up to 23, logits of a network that is sure of itself."""
    generator = torch.Generator().manual_seed(1)
    logits = 8 * torch.randn(25, 64, 37, generator=generator)
    labels = torch.randint(0, 36, (64, 23), generator=generator)
    lengths = torch.randint(0, 24, (64,), generator=generator)
    single, double = logits.requires_grad_(), logits.detach().double().requires_grad_()
    ours = ctc_loss(single, labels, lengths, 36)
    exact = of_torch(double, labels, lengths, 36)
    assert ours.dtype == torch.float32
    torch.testing.assert_close(ours.double(), exact, rtol=1e-5, atol=1e-4)
    (gradient,) = torch.autograd.grad(ours.mean(), single)
    (expected,) = torch.autograd.grad(exact.mean(), double)
    torch.testing.assert_close(gradient.double(), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_summed_in_single(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(2)
    half = torch.randn(25, 8, 37, generator=generator).to(dtype).requires_grad_()
    labels = torch.randint(0, 36, (8, 23), generator=generator)
    lengths = torch.full((8,), 10)
    with torch.autocast("cpu", torch.bfloat16):
        loss = ctc_loss(half, labels, lengths, 36)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, of_torch(half.float(), labels, lengths, 36))
    (gradient,) = torch.autograd.grad(loss.sum(), half)
    assert gradient.dtype == dtype


def test_broken_logits_show_in_the_loss() -> None:
    logits = torch.randn(5, 2, 3)
    logits[2, 1, 0] = float("nan")
    losses = ctc_loss(logits, torch.tensor([[0], [1]]), torch.tensor([1, 1]), 2)
    assert losses.isnan().tolist() == [False, True]
