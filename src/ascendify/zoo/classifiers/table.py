"""The table in which the guides print evaluations of classifiers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

_HEADER = f"{'step':>6} {'epoch':>6} {'top1':>7} {'top5':>7} {'loss':>8}  checkpoint_time(UTC)"


def evaluation_table(step: int, values: Mapping[str, float]) -> Sequence[str]:
    """Format an evaluation as the table's header and a row; accuracies in percent."""
    epoch = f"{values['epoch']:6.1f}" if "epoch" in values else f"{'-':>6}"
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    top1, top5 = (f"{100 * values[name]:7.3f}" for name in ("top1", "top5"))
    return (_HEADER, f"{step:6d} {epoch} {top1} {top5} {values['loss']:8.4f}  {when}")
