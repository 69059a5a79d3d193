"""Decode logits to text: CTC's best path, and the text of attention."""

from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor


class DecodedTexts(NamedTuple):
    """Texts of a batch as classes."""

    classes: Tensor
    """[B, N], with the blank or null class after each text."""
    lengths: Tensor
    """[B], characters of each text."""
    confidences: Tensor
    """[B], from 0 to 1; each decoding function documents its meaning."""

    def texts(self) -> list[list[int]]:
        """The classes of each text."""
        lengths = self.lengths.tolist()
        return [row[:length] for row, length in zip(self.classes.tolist(), lengths)]


def ctc_greedy(
    logits: Tensor, blank: int, merge_repeated: bool = True, lengths: Optional[Tensor] = None
) -> DecodedTexts:
    """Decode the best path of CTC logits [T,B,C], as TensorFlow's ctc_greedy_decoder.

    With ``merge_repeated``, a class that follows itself is one character, unless a blank is
    between. The guide trains with ``merge_repeated=False``: nothing is merged, so its training
    accuracy is lower than that of the same network in an evaluation. The confidence is the
    probability of the path.
    """
    likeliest, best = logits.float().log_softmax(2).max(2)
    likeliest, best = likeliest.t(), best.t()
    counted = torch.ones_like(best, dtype=torch.bool)
    if lengths is not None:
        counted = torch.arange(best.shape[1], device=best.device) < lengths[:, None]
    kept = counted & (best != blank)
    if merge_repeated:
        kept[:, 1:] &= best[:, 1:] != best[:, :-1]
    # classes that are not kept are written to an extra column, which is dropped
    place = torch.where(kept, kept.cumsum(1) - 1, best.shape[1])
    row = best.new_full((best.shape[0], best.shape[1] + 1), blank)
    classes = row.scatter(1, place, best)[:, :-1]
    return DecodedTexts(classes, kept.sum(1), torch.where(counted, likeliest, 0.0).sum(1).exp())


def attention(logits: Tensor, null: int) -> DecodedTexts:
    """Decode attention logits [B,N,C], up to the first null.

    The confidence is upstream's ``normalized_seq_conf``: the geometric mean of the probabilities
    of the characters and of the null after them. (Upstream counts all classes that are not null,
    which differs if a network continues after a null.)
    """
    likeliest, best = logits.float().log_softmax(2).max(2)
    ended = (best == null).cumsum(1) > 0
    lengths = (~ended).sum(1)
    last = torch.arange(best.shape[1], device=best.device) <= lengths[:, None]
    total = torch.where(last, likeliest, 0.0).sum(1)
    return DecodedTexts(torch.where(ended, null, best), lengths, (total / (lengths + 1)).exp())
