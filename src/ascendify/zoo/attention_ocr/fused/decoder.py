"""The decoder's inner loops as Triton kernels, for CUDA.

A step of additive attention reads 1024 positions of 288 numbers twice and keeps nothing of that
size: ``tanh(memory + query)`` is made again in the backward pass. The gradient of the memory needs
all steps of a sequence, so one kernel makes it for all of them, and writes it once, not 37 times.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

POSITIONS = 64
"""Positions a program handles at a time."""
CHANNELS = 32
"""Channels likewise; divides 288 and, with coordinates, 320."""


@triton.jit
def _tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def _tanh_of(x, FAST: tl.constexpr):
    if FAST:
        found = tl.inline_asm_elementwise(
            "tanh.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
        )
    else:
        found = _tanh(x)
    return found


@triton.jit
def _scores(
    memory, query, v, scores,
    size: tl.constexpr, channels: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_K: tl.constexpr,
    FAST: tl.constexpr,
):  # fmt: skip
    """``sum_k v_k tanh(memory_pk + query_k)`` for a block of positions."""
    sample = tl.program_id(0).to(tl.int64)
    position = tl.program_id(1) * BLOCK_P + tl.arange(0, BLOCK_P)
    inside = position < size
    total = tl.zeros([BLOCK_P], tl.float32)
    for start in range(0, channels, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        known = k < channels
        q = tl.load(query + sample * channels + k, mask=known, other=0.0).to(tl.float32)
        weight = tl.load(v + k, mask=known, other=0.0).to(tl.float32)
        tile = tl.load(
            memory + (sample * size + position[:, None]) * channels + k[None, :],
            mask=inside[:, None] & known[None, :],
            other=0.0,
        ).to(tl.float32)
        total += tl.sum(_tanh_of(tile + q[None, :], FAST) * weight[None, :], axis=1)
    tl.store(scores + sample * size + position, total, mask=inside)


@triton.jit
def _context(
    features, scores, weights, context, context_stride, size: tl.constexpr, channels: tl.constexpr,
    ALL_P: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """The softmax of the scores, and the features weighted by it, for a block of channels."""
    sample = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1)
    k = block * BLOCK_K + tl.arange(0, BLOCK_K)
    known = k < channels
    everywhere = tl.arange(0, ALL_P)
    score = tl.load(scores + sample * size + everywhere, mask=everywhere < size, other=-1e30)
    top = tl.max(score, axis=0)
    norm = 1 / tl.sum(tl.exp(score - top), axis=0)
    if block == 0:
        tl.store(
            weights + sample * size + everywhere,
            (tl.exp(score - top) * norm).to(weights.dtype.element_ty),
            mask=everywhere < size,
        )
    total = tl.zeros([BLOCK_P, BLOCK_K], tl.float32)
    for start in range(0, size, BLOCK_P):
        position = start + tl.arange(0, BLOCK_P)
        inside = position < size
        part = tl.load(scores + sample * size + position, mask=inside, other=-1e30)
        weight = tl.exp(part - top) * norm
        tile = tl.load(
            features + (sample * size + position[:, None]) * channels + k[None, :],
            mask=inside[:, None] & known[None, :],
            other=0.0,
        ).to(tl.float32)
        total += weight[:, None] * tile
    found = tl.sum(total, axis=0)
    tl.store(context + sample * context_stride + k, found.to(context.dtype.element_ty), mask=known)


@triton.jit
def _weights_backward(
    features, d_context, d_stride, d_weights, size: tl.constexpr, channels: tl.constexpr,
    BLOCK_P: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """The gradient of a block of weights: features times the context's gradient."""
    sample = tl.program_id(0).to(tl.int64)
    position = tl.program_id(1) * BLOCK_P + tl.arange(0, BLOCK_P)
    inside = position < size
    total = tl.zeros([BLOCK_P], tl.float32)
    for start in range(0, channels, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        known = k < channels
        d = tl.load(d_context + sample * d_stride + k, mask=known, other=0.0).to(tl.float32)
        tile = tl.load(
            features + (sample * size + position[:, None]) * channels + k[None, :],
            mask=inside[:, None] & known[None, :],
            other=0.0,
        ).to(tl.float32)
        total += tl.sum(tile * d[None, :], axis=1)
    tl.store(d_weights + sample * size + position, total, mask=inside)


@triton.jit
def _query_backward(
    memory, query, v, weights, d_weights, d_scores, d_query,
    size: tl.constexpr, channels: tl.constexpr,
    ALL_P: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_K: tl.constexpr, FAST: tl.constexpr,
):  # fmt: skip
    """The gradients of the scores and, for a block of channels, of the query."""
    sample = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1)
    k = block * BLOCK_K + tl.arange(0, BLOCK_K)
    known = k < channels
    everywhere = tl.arange(0, ALL_P)
    exists = everywhere < size
    weight = tl.load(weights + sample * size + everywhere, mask=exists, other=0.0).to(tl.float32)
    d_weight = tl.load(d_weights + sample * size + everywhere, mask=exists, other=0.0)
    mean = tl.sum(weight * d_weight, axis=0)
    if block == 0:
        tl.store(
            d_scores + sample * size + everywhere,
            (weight * (d_weight - mean)).to(d_scores.dtype.element_ty),
            mask=exists,
        )
    q = tl.load(query + sample * channels + k, mask=known, other=0.0).to(tl.float32)
    total = tl.zeros([BLOCK_P, BLOCK_K], tl.float32)
    for start in range(0, size, BLOCK_P):
        position = start + tl.arange(0, BLOCK_P)
        inside = position < size
        a = tl.load(weights + sample * size + position, mask=inside, other=0.0).to(tl.float32)
        d = tl.load(d_weights + sample * size + position, mask=inside, other=0.0)
        tile = tl.load(
            memory + (sample * size + position[:, None]) * channels + k[None, :],
            mask=inside[:, None] & known[None, :],
            other=0.0,
        ).to(tl.float32)
        bent = _tanh_of(tile + q[None, :], FAST)
        total += (a * (d - mean))[:, None] * (1 - bent * bent)
    factor = tl.load(v + k, mask=known, other=0.0).to(tl.float32)
    found = tl.sum(total, axis=0) * factor
    tl.store(d_query + sample * channels + k, found.to(d_query.dtype.element_ty), mask=known)


@triton.jit
def _memory_backward(
    memory, queries, v, d_scores, d_memory, d_v, samples,
    size: tl.constexpr, channels: tl.constexpr, steps: tl.constexpr,
    BLOCK_P: tl.constexpr, BLOCK_K: tl.constexpr, FAST: tl.constexpr,
):  # fmt: skip
    """The gradient of a tile of the memory from all steps, and the tile's share of that of v."""
    sample = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1)
    position = row * BLOCK_P + tl.arange(0, BLOCK_P)
    k = tl.program_id(2) * BLOCK_K + tl.arange(0, BLOCK_K)
    inside = position < size
    known = k < channels
    both = inside[:, None] & known[None, :]
    at = (sample * size + position[:, None]) * channels + k[None, :]
    tile = tl.load(memory + at, mask=both, other=0.0).to(tl.float32)
    total = tl.zeros([BLOCK_P, BLOCK_K], tl.float32)
    total_v = tl.zeros([BLOCK_P, BLOCK_K], tl.float32)
    for step in range(steps):
        line = step * samples + sample
        q = tl.load(queries + line * channels + k, mask=known, other=0.0).to(tl.float32)
        d = tl.load(d_scores + line * size + position, mask=inside, other=0.0).to(tl.float32)
        bent = _tanh_of(tile + q[None, :], FAST)
        total += d[:, None] * (1 - bent * bent)
        total_v += d[:, None] * bent
    factor = tl.load(v + k, mask=known, other=0.0).to(tl.float32)
    tl.store(d_memory + at, (total * factor[None, :]).to(d_memory.dtype.element_ty), mask=both)
    share = (sample * tl.num_programs(1) + row) * channels + k
    tl.store(d_v + share, tl.sum(total_v, axis=0), mask=known)


@triton.jit
def _cell(
    gates, before, cell, both, state, state_stride, size: tl.constexpr,
    CLIP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A step of the LSTM, gates i, g, f, o; the cell is clipped before the output is made of it."""
    sample = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    known = j < size
    line = gates + sample * 4 * size + j
    i = tl.sigmoid(tl.load(line, mask=known, other=0.0).to(tl.float32))
    g = _tanh(tl.load(line + size, mask=known, other=0.0).to(tl.float32))
    f = tl.sigmoid(tl.load(line + 2 * size, mask=known, other=0.0).to(tl.float32))
    o = tl.sigmoid(tl.load(line + 3 * size, mask=known, other=0.0).to(tl.float32))
    c = f * tl.load(before + sample * size + j, mask=known, other=0.0) + i * g
    c = tl.minimum(tl.maximum(c, -CLIP), CLIP)
    h = (o * _tanh(c)).to(both.dtype.element_ty)
    tl.store(cell + sample * size + j, c, mask=known)
    tl.store(both + sample * 2 * size + j, c.to(both.dtype.element_ty), mask=known)
    tl.store(both + sample * 2 * size + size + j, h, mask=known)
    tl.store(state + sample * state_stride + j, h, mask=known)


@triton.jit
def _cell_backward(
    gates, before, cell, d_output, d_state, state_stride, d_both, d_cell, d_gates,
    size: tl.constexpr, CLIP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The gradient of a step's gates; that of the cell before takes the place of ``d_cell``."""
    sample = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    known = j < size
    line = gates + sample * 4 * size + j
    i = tl.sigmoid(tl.load(line, mask=known, other=0.0).to(tl.float32))
    g = _tanh(tl.load(line + size, mask=known, other=0.0).to(tl.float32))
    f = tl.sigmoid(tl.load(line + 2 * size, mask=known, other=0.0).to(tl.float32))
    o = tl.sigmoid(tl.load(line + 3 * size, mask=known, other=0.0).to(tl.float32))
    c = tl.load(cell + sample * size + j, mask=known, other=0.0)
    previous = tl.load(before + sample * size + j, mask=known, other=0.0)
    d_h = tl.load(d_output + sample * size + j, mask=known, other=0.0).to(tl.float32)
    d_h += tl.load(d_state + sample * state_stride + j, mask=known, other=0.0).to(tl.float32)
    pair = d_both + sample * 2 * size + j
    d_h += tl.load(pair + size, mask=known, other=0.0).to(tl.float32)
    d_c = tl.load(d_cell + sample * size + j, mask=known, other=0.0)
    d_c += tl.load(pair, mask=known, other=0.0).to(tl.float32)
    bent = _tanh(c)
    d_c += d_h * o * (1 - bent * bent)
    d_c = tl.where((c > -CLIP) & (c < CLIP), d_c, 0.0)
    out = d_gates + sample * 4 * size + j
    kind = d_gates.dtype.element_ty
    tl.store(out, (d_c * g * i * (1 - i)).to(kind), mask=known)
    tl.store(out + size, (d_c * i * (1 - g * g)).to(kind), mask=known)
    tl.store(out + 2 * size, (d_c * previous * f * (1 - f)).to(kind), mask=known)
    tl.store(out + 3 * size, (d_h * bent * o * (1 - o)).to(kind), mask=known)
    tl.store(d_cell + sample * size + j, d_c * f, mask=known)


def _fast(memory: Tensor) -> bool:
    """Whether the instruction for tanh will do: its error is 2**-11, and the V100 has none."""
    sixteen = memory.element_size() == 2
    return sixteen and torch.cuda.get_device_capability(memory.device) >= (7, 5)


def attend(
    memory: Tensor, features: Tensor, v: Tensor, query: Tensor, context: Tensor, weights: Tensor
) -> None:
    """Write the weights of the positions for a query, [B, P], and the context, [B, K]."""
    samples, size, channels = memory.shape
    scores = torch.empty(samples, size, device=memory.device)
    blocks = (samples, triton.cdiv(size, POSITIONS))
    columns = (samples, triton.cdiv(channels, CHANNELS))
    _scores[blocks](memory, query, v, scores, size, channels, POSITIONS, CHANNELS, _fast(memory))
    _context[columns](
        features, scores, weights, context, context.stride(0), size, channels,
        triton.next_power_of_2(size), POSITIONS, CHANNELS,
    )  # fmt: skip


def attend_backward(
    memory: Tensor,
    features: Tensor,
    v: Tensor,
    query: Tensor,
    weights: Tensor,
    d_context: Tensor,
    d_query: Tensor,
    d_scores: Tensor,
) -> None:
    """Write the gradients of the query and of the scores."""
    samples, size, channels = memory.shape
    d_weights = torch.empty(samples, size, device=memory.device)
    blocks = (samples, triton.cdiv(size, POSITIONS))
    columns = (samples, triton.cdiv(channels, CHANNELS))
    _weights_backward[blocks](
        features, d_context, d_context.stride(0), d_weights, size, channels, POSITIONS, CHANNELS
    )
    _query_backward[columns](
        memory, query, v, weights, d_weights, d_scores, d_query, size, channels,
        triton.next_power_of_2(size), POSITIONS, CHANNELS, _fast(memory),
    )  # fmt: skip


def memory_backward(
    memory: Tensor, v: Tensor, queries: Tensor, d_scores: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of the memory and of v from all steps; queries [N, B, K], scores [N, B, P]."""
    samples, size, channels = memory.shape
    rows = triton.cdiv(size, POSITIONS)
    d_memory = torch.empty_like(memory)
    d_v = torch.empty(samples * rows, channels, device=memory.device)
    _memory_backward[(samples, rows, triton.cdiv(channels, CHANNELS))](
        memory, queries, v, d_scores, d_memory, d_v, samples, size, channels, len(queries),
        POSITIONS, CHANNELS, _fast(memory),
    )  # fmt: skip
    return d_memory, d_v.sum(0).to(v.dtype)


class _Decode(torch.autograd.Function):
    """All steps of the decoder for known inputs: LSTM, query, attention; see ``decode``."""

    @staticmethod
    def forward(ctx, inputs, recurrent, to_query, query_bias, memory, features, v, clip):
        steps, samples, wide = inputs.shape
        size, channels = wide // 4, memory.shape[2]
        # state: the context and the output of the step before, as one operand of one product
        state = inputs.new_zeros(steps + 1, samples, channels + size)
        both = inputs.new_empty(steps, samples, 2 * size)
        gates = inputs.new_empty(steps, samples, wide)
        cells = torch.zeros(steps + 1, samples, size, device=inputs.device)
        queries = inputs.new_empty(steps, samples, channels)
        weights = inputs.new_empty(steps, samples, memory.shape[1])
        block = triton.next_power_of_2(size)
        for step in range(steps):
            torch.addmm(inputs[step], state[step], recurrent.t(), out=gates[step])
            following = state[step + 1]
            _cell[(samples,)](
                gates[step], cells[step], cells[step + 1], both[step], following[:, channels:],
                following.stride(0), size, clip, block,
            )  # fmt: skip
            torch.addmm(query_bias, both[step], to_query.t(), out=queries[step])
            attend(memory, features, v, queries[step], following, weights[step])
        ctx.save_for_backward(
            recurrent, to_query, memory, features, v, state, both, gates, cells, queries, weights
        )
        ctx.clip = clip
        return state[1:, :, channels:], state[1:, :, :channels], weights

    @staticmethod
    def backward(ctx, d_outputs, d_contexts, _):
        (
            recurrent, to_query, memory, features, v, state, both, gates, cells, queries, weights
        ) = ctx.saved_tensors  # fmt: skip
        steps, samples, wide = gates.shape
        size, channels = wide // 4, memory.shape[2]
        d_outputs = d_outputs.contiguous()
        d_contexts = d_contexts.clone(memory_format=torch.contiguous_format)
        d_gates = torch.empty_like(gates)
        d_queries = torch.empty_like(queries)
        d_scores = torch.empty_like(weights)
        d_cell = torch.zeros_like(cells[0])
        d_state = torch.zeros_like(state[0])
        block = triton.next_power_of_2(size)
        for step in reversed(range(steps)):
            d_contexts[step] += d_state[:, :channels]
            attend_backward(
                memory, features, v, queries[step], weights[step], d_contexts[step],
                d_queries[step], d_scores[step],
            )  # fmt: skip
            d_both = d_queries[step] @ to_query
            _cell_backward[(samples,)](
                gates[step], cells[step], cells[step + 1], d_outputs[step],
                d_state[:, channels:], d_state.stride(0), d_both, d_cell, d_gates[step], size,
                ctx.clip, block,
            )  # fmt: skip
            torch.mm(d_gates[step], recurrent, out=d_state)
        d_memory, d_v = memory_backward(memory, v, queries, d_scores)
        d_features = torch.bmm(weights.permute(1, 2, 0), d_contexts.transpose(0, 1))
        d_recurrent = d_gates.flatten(0, 1).t() @ state[:-1].flatten(0, 1)
        d_to_query = d_queries.flatten(0, 1).t() @ both.flatten(0, 1)
        d_query_bias = d_queries.sum((0, 1))
        return d_gates, d_recurrent, d_to_query, d_query_bias, d_memory, d_features, d_v, None


def decode(
    inputs: Tensor,
    recurrent: Tensor,
    to_query: Tensor,
    query_bias: Tensor,
    memory: Tensor,
    features: Tensor,
    v: Tensor,
    clip: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The LSTM's outputs [N, B, H], the contexts [N, B, K] and the weights [N, B, P] of all steps.

    Args:
        inputs: what the known characters and all biases add to the gates, [N, B, 4H].
        recurrent: from the context and the output of the step before to the gates, [4H, K + H].
        to_query: from the cell and the output to the query, [K, 2H].
        query_bias: of the query, [K].
        memory: the features as the scores see them, [B, P, K].
        features: what the contexts are made of, [B, P, K].
        v: the scores' weights, [K].
        clip: the largest value of a cell.
    """
    found: tuple[Tensor, Tensor, Tensor] = _Decode.apply(
        inputs.contiguous(), recurrent, to_query, query_bias, memory.contiguous(),
        features.contiguous(), v, clip,
    )  # fmt: skip
    return found
