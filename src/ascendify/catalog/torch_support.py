"""The whole support table of PyTorch as rows, for tools that turn it into other tables."""

from __future__ import annotations

from typing import Any

from ascendify.catalog import support
from ascendify.catalog._data import TORCH


def rows() -> dict[str, dict[str, Any]]:
    """API -> ``status`` to act on, ``note`` in words and ``dtypes`` verified by parameter.

    The parts of a note are joined by ``"; "`` and have no full stop.
    """
    return {
        verdict.api: {
            "status": verdict.effective,
            "note": "; ".join(remark.rstrip(".") for remark in verdict.remarks),
            "dtypes": {name: list(words) for name, words in verdict.dtypes.items()},
        }
        for verdict in support.verdicts(TORCH)
    }
