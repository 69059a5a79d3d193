"""torch_npu.optim takes the steps of torch.optim and has the limits of the real one."""

from __future__ import annotations

import pytest

from support.torch_cases import cases, check, results

SCRIPT = "torch_optim_cases.py"


@pytest.mark.parametrize("name", cases(SCRIPT))
def test_optimizer(preloaded_torch: str, name: str) -> None:
    check(results(preloaded_torch, SCRIPT), name)
