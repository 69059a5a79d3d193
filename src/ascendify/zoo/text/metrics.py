"""Text metrics: those of the guides as they define them, and stricter ones.

All are means over samples, not over means of batches, so a smaller last batch has less weight.
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
    """Metrics computed from sums of one row of numbers per sample."""

    columns: ClassVar[int]

    def __init__(self) -> None:
        self._sums = torch.zeros(self.columns, dtype=torch.float64)

    @abstractmethod
    def rows(self, outputs: Any, batch: Batch) -> Tensor:
        """Return a row of ``columns`` numbers for each sample."""

    def update(self, outputs: Any, batch: Batch, valid: Tensor) -> None:
        """Count the samples that are not padding; on the CPU, as not all devices have float64."""
        rows = self.rows(outputs, batch)
        self._sums += rows[valid.to(rows.device)].cpu().double().sum(0)

    def sums(self) -> Tensor:
        """Return the sum of all rows."""
        return self._sums.clone()


class WordMetrics(Counts):
    """Metrics of CRNN; outputs are classes [B,N] with the blank after each text.

    - ``per_char``: the mean over samples of the share of the label's characters that are right at
      their position. Characters after the end of the label do not count; upstream's default.
    - ``full_sequence``: the share of texts that equal the label.
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
        """Return the numbers of each sample to be summed."""
        read = self._texts(outputs)
        labels = self._texts(batch["labels"])
        rows = [_word(*pair) for pair in zip(read, labels)]
        return torch.tensor(rows, dtype=torch.float64).reshape(-1, self.columns)

    def compute(self, sums: Tensor) -> dict[str, float]:
        """Compute the metrics; zeros without samples."""
        samples, right, full, distance, edits, characters = sums.tolist()
        return {
            "samples": samples,
            "per_char": right / max(samples, 1),
            "full_sequence": full / max(samples, 1),
            "seq_distance": distance / max(samples, 1),
            "cer": edits / max(characters, 1),
        }

    def _texts(self, classes: Tensor) -> list[list[int]]:
        """Return the classes before the first blank."""
        ended = (classes == self.blank).cumsum(1) > 0
        lengths = (~ended).sum(1).tolist()
        return [row[:length] for row, length in zip(classes.tolist(), lengths)]


def _word(read: Sequence[int], label: Sequence[int]) -> tuple[float, ...]:
    """Return for a sample: 1, per_char, whether it is right, distance, edits, characters."""
    edits = Levenshtein.distance(read, label)
    if label:
        right = sum(mine == theirs for mine, theirs in zip(read, label)) / len(label)
        distance = edits / len(label)
    else:
        right, distance = (0.0, 1.0) if read else (1.0, 0.0)
    return 1.0, right, float(edits == 0), distance, float(edits), float(len(label))


class SignMetrics(Counts):
    """Metrics of Attention-OCR; outputs are the decoded classes [B,N], with nulls.

    - ``character_accuracy``: the mean over samples of the share of the label's characters that are
      right at their position; samples with an empty label are left out (upstream divides by zero).
    - ``sequence_accuracy``: all characters of the label are right; characters after its end do not
      count. As upstream, and as the guide prints.
    - ``sequence_accuracy_strict``: the text up to the first null is the label.
    """

    columns = 5

    def __init__(self, null: int) -> None:
        super().__init__()
        self.null = null

    def rows(self, outputs: Any, batch: Batch) -> Tensor:
        """Return the numbers of each sample to be summed."""
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
        """Compute the metrics; zeros without samples."""
        samples, labelled, characters, sequences, strict = sums.tolist()
        return {
            "samples": samples,
            "character_accuracy": characters / max(labelled, 1),
            "sequence_accuracy": sequences / max(samples, 1),
            "sequence_accuracy_strict": strict / max(samples, 1),
        }
