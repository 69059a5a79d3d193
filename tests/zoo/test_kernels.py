"""The Triton kernels compute what plain float64 arithmetic does; no GPU is needed to see that."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

SCRIPTS = Path(__file__).parent / "scripts"


def run(script: str, *arguments: str, **environment: str) -> Any:
    """What a script prints last."""
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / script), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


CTC = {
    "the guide's sizes": (25, 23, 37, 36),
    "many repeats, some that cannot be aligned": (8, 6, 37, 2),
    "labels longer than the steps": (5, 6, 37, 3),
    "the tiny preset's sizes": (16, 4, 11, 10),
}
"""Steps, the longest label, classes, symbols."""
DECODER = {
    "sizes that no block divides": {"channels": 40, "positions": 70, "clip": 10.0},
    "one block, and a cell that is clipped": {"channels": 32, "positions": 64, "clip": 0.6},
}
POOL = {
    "whole windows": {"height": 9, "width": 9, "holes": 0.0},
    "a row that no window reaches": {"height": 8, "width": 7, "holes": 0.0},
    "what is no number is passed on": {"height": 9, "width": 9, "holes": 0.2},
}
CASES: dict[tuple[str, str], dict[str, Any]] = {
    **{
        ("ctc", name): {**dict(zip(("steps", "longest", "classes", "symbols"), sizes)),
                        "samples": 6, "seed": 4}
        for name, sizes in CTC.items()
    },
    **{
        ("decode", name): {**sizes, "steps": 3, "samples": 2, "units": 16, "seed": 0}
        for name, sizes in DECODER.items()
    },
    **{
        ("pool", name): {**sizes, "samples": 2, "channels": 5, "seed": 0}
        for name, sizes in POOL.items()
    },
    **{
        ("network", name): {"name": name, "samples": 2, "seed": 3}
        for name in ("crnn", "attention-ocr")
    },
}  # fmt: skip
together = pytest.mark.xdist_group("kernels")
"""Triton is loaded once for all cases, which takes longer than most of them."""


@functools.cache
def results() -> dict[tuple[str, str], Any]:
    cases = [(kind, arguments) for (kind, _), arguments in CASES.items()]
    return dict(zip(CASES, run("kernels.py", json.dumps(cases), TRITON_INTERPRET="1")))


def errors(kind: str, name: str) -> dict[str, float]:
    """Of kernels in Triton's interpreter, relative to what is right."""
    found = results()[kind, name]
    assert isinstance(found, dict), found
    return found


@together
@pytest.mark.parametrize("name", CTC)
def test_ctc(name: str) -> None:
    found = errors("ctc", name)
    assert max(found.values()) < 2e-5, found


@together
@pytest.mark.parametrize("name", DECODER)
def test_decoder(name: str) -> None:
    found = errors("decode", name)
    assert max(found.values()) < 5e-6, found


@together
@pytest.mark.parametrize("name", POOL)
def test_max_pool(name: str) -> None:
    found = errors("pool", name)
    assert found["largest"] == 0
    assert found["pictures"] < 1e-6


@together
@pytest.mark.parametrize("name", ["crnn", "attention-ocr"])
def test_a_network_with_its_kernels_is_the_same(name: str) -> None:
    found = errors("network", name)
    assert max(found.values()) < 1e-4, found


KERNELS = {
    "crnn": ["_backward", "_forward"],
    "attention-ocr": [
        "_cell", "_cell_backward", "_context", "_memory_backward", "_pool", "_pool_backward",
        "_query_backward", "_scores", "_weights_backward",
    ],
}  # fmt: skip
GPUS = [
    (70, "fp16"),  # V100, which has no instruction for tanh
    (80, "fp32"),  # A100
    (90, "bf16"),  # H100, H200
]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_can_be_compiled(name: str, tmp_path: Path) -> None:
    """As the network starts them, with the sizes of the guides."""
    cache = {"TRITON_CACHE_DIR": str(tmp_path)}
    found = run("compiled_kernels.py", name, json.dumps(GPUS), **cache)
    assert found == [KERNELS[name]] * len(GPUS)
