"""Additive attention of many steps over one memory, with costly gradients computed at the end.

A step scores every position p of a memory against a query q and reads a weighted mean::

    scores = tanh(HF + q) @ v        weights = softmax(scores)        context = weights @ F

Plain autograd would compute, in each step's backward, a gradient as large as the memory itself
and add it to those of the other steps. The backward of the step before needs only dq and dscores.
So a step's backward computes these alone and stores its inputs; one node in front of all steps
then computes dHF, dF and dv of all of them at once.

The three functions ``attend_forward``, ``attend_backward`` and ``gather_backward`` hold all the
arithmetic, in plain torch that runs on every device; ``fused`` has the same as kernels for CUDA.

Types: HF, F, q and the context have the type of the network's activations (bfloat16 in a mixed
run); weights, dscores and sums are float32 then, or float64 where everything is; v is as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def wide(dtype: torch.dtype) -> torch.dtype:
    """Return the type for sums over activations of a type."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def attend_forward(keys: Tensor, values: Tensor, v: Tensor, query: Tensor) -> tuple[Tensor, Tensor]:
    """Context [B,C] and weights [B,P] of keys HF [B,P,C], values F [B,P,C], v [C], query [B,C]."""
    hidden = torch.tanh(keys + query[:, None])
    scores = torch.matmul(hidden, v.to(hidden.dtype))
    weights = torch.softmax(scores, 1, dtype=wide(keys.dtype))
    context = torch.matmul(weights[:, None].to(values.dtype), values)[:, 0]
    return context, weights


def attend_backward(
    keys: Tensor, values: Tensor, v: Tensor, query: Tensor, weights: Tensor, dcontext: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients dq [B,C] and dscores [B,P] of one step."""
    dweights = torch.matmul(values, dcontext[:, :, None].to(values.dtype))[:, :, 0]
    weighted = weights * dweights
    dscores = weighted - weights * weighted.sum(1, keepdim=True)
    hidden = torch.tanh(keys + query[:, None])
    slopes = torch.addcmul(torch.ones_like(v, dtype=hidden.dtype), hidden, hidden, value=-1)
    dquery = torch.matmul(dscores[:, None].to(slopes.dtype), slopes)[:, 0] * v
    return dquery.to(query.dtype), dscores


def gather_backward(
    keys: Tensor, v: Tensor, queries: Tensor, dscores: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients dHF [B,P,C] and dv [C] of all steps: queries [B,N,C], dscores [B,N,P]."""
    kind = wide(keys.dtype)
    dkeys = torch.zeros_like(keys, dtype=kind)
    dv = torch.zeros_like(v, dtype=kind)
    for query, dscore in zip(queries.unbind(1), dscores.to(kind).unbind(1)):
        hidden = torch.tanh(keys + query[:, None]).to(kind)
        dv += torch.mv(hidden.flatten(0, 1).t(), dscore.flatten())
        dkeys += dscore[:, :, None] * (1 - hidden * hidden)
    return (dkeys * v).to(keys.dtype), dv.to(v.dtype)


class _Step(NamedTuple):
    """Tensors that the backward pass of a step stores for ``_Gather``."""

    query: Tensor
    weights: Tensor
    dcontext: Tensor
    dscores: Tensor


class _Store:
    """The memory of the steps, and what their backward passes have stored."""

    def __init__(self, keys: Tensor, values: Tensor, v: Tensor) -> None:
        self.keys, self.values, self.v = keys.detach(), values.detach(), v.detach()
        self.number = 0
        """Of steps so far."""
        self.steps: dict[int, _Step] = {}
        """By number, so that entries of an unfinished backward are overwritten."""


class _Gather(torch.autograd.Function):
    """Returns a token that is an input of every step, so that its backward runs after theirs."""

    @staticmethod
    def forward(ctx: Any, keys: Tensor, values: Tensor, v: Tensor, store: _Store) -> Tensor:
        ctx.store = store
        ctx.set_materialize_grads(False)  # the token has no gradient: it only orders
        return keys.new_empty(())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, _: Tensor | None) -> tuple[Tensor | None, ...]:
        store: _Store = ctx.store
        steps, store.steps = store.steps, {}
        if not steps:
            return None, None, None, None
        queries, weights, dcontexts, dscores = (
            torch.stack(part, 1) for part in zip(*steps.values())
        )
        dkeys, dv = gather_backward(store.keys, store.v, queries, dscores)
        dtype = store.values.dtype
        dvalues = torch.bmm(weights.to(dtype).transpose(1, 2), dcontexts.to(dtype))
        return dkeys, dvalues, dv, None


class _Attend(torch.autograd.Function):
    """One step; its backward computes what the step before needs, and stores the rest."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, token: Tensor, store: _Store) -> tuple[Tensor, Tensor]:
        context, weights = attend_forward(store.keys, store.values, store.v, query)
        ctx.store, ctx.number = store, store.number
        store.number += 1
        ctx.save_for_backward(query, weights)
        ctx.set_materialize_grads(False)
        return context, weights

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, dcontext: Tensor | None, dweights: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        if dweights is not None:
            raise RuntimeError(
                "the attention weights have no gradient here: "
                "use the context in a loss, or weights.detach()"
            )
        if dcontext is None:
            return None, None, None
        store: _Store = ctx.store
        query, weights = ctx.saved_tensors
        dquery, dscores = attend_backward(
            store.keys, store.values, store.v, query, weights, dcontext
        )
        if ctx.needs_input_grad[1]:
            store.steps[ctx.number] = _Step(query, weights, dcontext, dscores)
        return dquery, None, None


class Memory:
    """Positions to attend to: features F [B,P,C], their keys HF [B,P,C], and the vector v [C]."""

    def __init__(self, values: Tensor, keys: Tensor, v: Tensor) -> None:
        keys = keys.contiguous()
        values = values.to(keys.dtype).contiguous()
        self._store = _Store(keys, values, v)
        # torch leaves apply untyped, here and below
        self._token = _Gather.apply(keys, values, v, self._store)  # type: ignore[no-untyped-call]

    def attend(self, query: Tensor) -> tuple[Tensor, Tensor]:
        """The context [B,C] that a query [B,C] reads, and the weights [B,P] it reads with."""
        store = self._store
        query = query.to(store.keys.dtype)
        if torch.is_grad_enabled():
            read: tuple[Tensor, Tensor] = _Attend.apply(query, self._token, store)  # type: ignore[no-untyped-call]
            return read
        return attend_forward(store.keys, store.values, store.v, query)
