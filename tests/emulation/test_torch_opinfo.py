"""PyTorch's own table of operators on the emulated NPU: all pass but those that are listed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.torch_cases import start

LISTED = Path(__file__).parent / "data" / "torch-opinfo.json"
PAGE = Path(__file__).parent.parent.parent / "docs" / "emulation-torch.md"
SMALLEST_SHARE = 0.985


def listed() -> dict[str, str]:
    found: dict[str, str] = json.loads(LISTED.read_text(encoding="utf-8"))
    return found


def test_every_operator_computes_what_the_cpu_computes(preloaded_torch: str) -> None:
    needed = subprocess.run([preloaded_torch, "-c", "import expecttest"], check=False)
    if needed.returncode:
        pytest.skip("the interpreter with PyTorch has no expecttest, which its helpers import")
    ended = start(preloaded_torch, "torch_opinfo.py", OMP_NUM_THREADS="1")
    assert ended.returncode == 0, ended.stderr
    reported = json.loads(ended.stdout.splitlines()[-1])
    assert reported["failed"].keys() == listed().keys(), reported["failed"]
    passed, failed = len(reported["compared"]), len(reported["failed"])
    assert passed / (passed + failed) >= SMALLEST_SHARE, (passed, failed)


def test_the_documentation_lists_what_does_not_pass() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [f"| `{entry}` | {reason} |" for entry, reason in listed().items()]
    assert [row for row in rows if row not in page] == []
    table = page.partition("<!-- operators -->")[2].partition("<!-- end -->")[0]
    assert table.count("| `") == len(rows), "the page lists operators that pass"
