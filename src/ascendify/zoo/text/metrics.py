"""How right texts are: the guides' metrics as they define them, and stricter ones beside them.

All are means over samples, never of means over batches, so the last batch counts as what it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from rapidfuzz.distance import Levenshtein
from torch import Tensor

from ascendify.zoo.recipe import Batch, Metrics


class Counts(Metrics):
    """Metrics that are sums of one row of numbers a sample."""

    columns: ClassVar[int]

    def __init__(self) -> None:
        self._sums = torch.zeros(self.columns, dtype=torch.float64)

    @abstractmethod
    def rows(self, outputs: Any, batch: Batch) -> Tensor:
        """A row of ``columns`` numbers for each sample."""

    def update(self, outputs: Any, batch: Batch, valid: Tensor) -> None:
        """Count the samples that are no padding; on the CPU, as not all devices have 64 bits."""
        rows = self.rows(outputs, batch)
        self._sums += rows[valid.to(rows.device)].cpu().double().sum(0)

    def sums(self) -> Tensor:
        """The sum of all rows."""
        return self._sums.clone()


class WordMetrics(Counts):
    """Of CRNN; outputs are classes [B,N] with the blank after each text, as ``Decoded`` has them.

    - ``per_char``: of each sample the characters that are right where they stand, over those of
      the label; the mean. What is read past the end of the label is no error; upstream's default.
    - ``full_sequence``: the share of texts that are the label, no more and no less.
    - ``seq_distance``: the mean of edits over characters of the label, TensorFlow's
      ``edit_distance(normalize=True)``.
    - ``cer``: all edits over all characters.

    With an empty label: per_char is 1 if nothing was read, else 0, as upstream; the distance, which
    TensorFlow makes infinite, is 0 if nothing was read, else 1.
    """

    columns = 6

    def __init__(self, blank: int) -> None:
        super().__init__()
        self.blank = blank

    def rows(self, outputs: Any, batch: Batch) -> Tensor:
        """What of each sample is added up."""
        read = self._texts(outputs)
        labels = self._texts(batch["labels"])
        rows = [_word(*pair) for pair in zip(read, labels)]
        return torch.tensor(rows, dtype=torch.float64).reshape(-1, self.columns)

    def compute(self, sums: Tensor) -> dict[str, float]:
        """The metrics; of no samples at all, zeros."""
        samples, right, full, distance, edits, characters = sums.tolist()
        return {
            "samples": samples,
            "per_char": right / max(samples, 1),
            "full_sequence": full / max(samples, 1),
            "seq_distance": distance / max(samples, 1),
            "cer": edits / max(characters, 1),
        }

    def _texts(self, classes: Tensor) -> list[list[int]]:
        """The classes before the first blank."""
        ended = (classes == self.blank).cumsum(1) > 0
        lengths = (~ended).sum(1).tolist()
        return [row[:length] for row, length in zip(classes.tolist(), lengths)]


def _word(read: Sequence[int], label: Sequence[int]) -> tuple[float, ...]:
    """Of a sample: 1, per_char, whether it is right, distance, edits, characters."""
    edits = Levenshtein.distance(read, label)
    if label:
        right = sum(mine == theirs for mine, theirs in zip(read, label)) / len(label)
        distance = edits / len(label)
    else:
        right, distance = (0.0, 1.0) if read else (1.0, 0.0)
    return 1.0, right, float(edits == 0), distance, float(edits), float(len(label))


class SignMetrics(Counts):
    """Of Attention-OCR; outputs are classes [B,N] with nulls, as they were read.

    - ``character_accuracy``: of each sample the characters of the label that are right where they
      stand, over all of them; the mean over samples that have a label, as upstream, which divides
      by zero at an empty one.
    - ``sequence_accuracy``: all characters of the label are right. What is read past its end is no
      error; upstream's, and what the guide prints.
    - ``sequence_accuracy_strict``: the text up to the first null is the label.
    """

    columns = 5

    def __init__(self, null: int) -> None:
        super().__init__()
        self.null = null

    def rows(self, outputs: Any, batch: Batch) -> Tensor:
        """What of each sample is added up."""
        read, labels = outputs, batch["labels"]
        counted = labels != self.null
        length = counted.sum(1)
        right = ((read == labels) & counted).sum(1)
        ended = (read == self.null).cumsum(1) > 0
        strict = (torch.where(ended, self.null, read) == labels).all(1)
        share = right / length.clamp(min=1)
        rows = [torch.ones_like(share), length > 0, share, right == length, strict]
        return torch.stack([column.float() for column in rows], 1)

    def compute(self, sums: Tensor) -> dict[str, float]:
        """The metrics; of no samples at all, zeros."""
        samples, labelled, characters, sequences, strict = sums.tolist()
        return {
            "samples": samples,
            "character_accuracy": characters / max(labelled, 1),
            "sequence_accuracy": sequences / max(samples, 1),
            "sequence_accuracy_strict": strict / max(samples, 1),
        }
