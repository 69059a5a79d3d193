"""transfer_to_npu with its side effects, and the rest of torch_npu's rooms."""

from __future__ import annotations

import pytest

from support.torch_cases import cases, check, results, start

TRANSFER, REST = "torch_transfer_cases.py", "torch_rest_cases.py"


@pytest.mark.parametrize("name", cases(TRANSFER))
def test_program_for_cuda(preloaded_torch: str, name: str) -> None:
    check(results(preloaded_torch, TRANSFER), name)


@pytest.mark.parametrize("name", cases(REST))
def test_room(preloaded_torch: str, name: str) -> None:
    check(results(preloaded_torch, REST), name)


@pytest.mark.parametrize(
    ("value", "expected"), [("1", "npu"), ("0", "AssertionError"), ("yes", "must be 0 or 1")]
)
def test_the_switch_in_the_environment(torch_python: str, value: str, expected: str) -> None:
    ended = start(torch_python, "torch_transfer_switch.py", TORCH_TRANSFER_TO_NPU=value)
    assert expected in ended.stdout + ended.stderr
