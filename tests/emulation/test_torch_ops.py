"""The operators of torch_npu, and the layers of torch_npu.contrib, compute what they should."""

from __future__ import annotations

import pytest

from support.torch_cases import cases, check, results

SCRIPT = "torch_ops_cases.py"


@pytest.mark.parametrize("name", cases(SCRIPT))
def test_operator(preloaded_torch: str, name: str) -> None:
    check(results(preloaded_torch, SCRIPT), name)
