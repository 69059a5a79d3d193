"""The Triton kernels compute what plain float64 arithmetic does; no GPU is needed to see that."""

from __future__ import annotations

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


def errors(kind: str, **arguments: Any) -> dict[str, float]:
    """Of kernels in Triton's interpreter, relative to what is right."""
    found: dict[str, float] = run("kernels.py", kind, json.dumps(arguments), TRITON_INTERPRET="1")
    return found


@pytest.mark.parametrize(
    ("steps", "longest", "classes", "symbols"),
    [
        pytest.param(25, 23, 37, 36, id="the guide's sizes"),
        pytest.param(8, 6, 37, 2, id="many repeats, some that cannot be aligned"),
        pytest.param(5, 6, 37, 3, id="labels longer than the steps"),
        pytest.param(16, 4, 11, 10, id="the tiny preset's sizes"),
    ],
)
def test_ctc(steps: int, longest: int, classes: int, symbols: int) -> None:
    found = errors(
        "ctc", steps=steps, samples=6, classes=classes, longest=longest, symbols=symbols, seed=4
    )
    assert max(found.values()) < 2e-5, found


@pytest.mark.parametrize(
    ("channels", "positions", "clip"),
    [
        pytest.param(40, 70, 10.0, id="sizes that no block divides"),
        pytest.param(32, 64, 0.6, id="one block, and a cell that is clipped"),
    ],
)
def test_decoder(channels: int, positions: int, clip: float) -> None:
    found = errors(
        "decode",
        steps=3, samples=2, units=16, channels=channels, positions=positions, clip=clip, seed=0,
    )  # fmt: skip
    assert max(found.values()) < 5e-6, found


@pytest.mark.parametrize(
    ("height", "width", "holes"),
    [
        pytest.param(9, 9, 0.0, id="whole windows"),
        pytest.param(8, 7, 0.0, id="a row that no window reaches"),
        pytest.param(9, 9, 0.2, id="what is no number is passed on"),
    ],
)
def test_max_pool(height: int, width: int, holes: float) -> None:
    sizes = {"samples": 2, "channels": 5, "height": height, "width": width}
    found = errors("pool", **sizes, holes=holes, seed=0)
    assert found["largest"] == 0
    assert found["pictures"] < 1e-6


@pytest.mark.parametrize("name", ["crnn", "attention-ocr"])
def test_a_network_with_its_kernels_is_the_same(name: str) -> None:
    found = errors("network", name=name, samples=2, seed=3)
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
    (80, "bf16"),  # A100
    (90, "bf16"),  # H100, H200
    (90, "fp32"),
]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_can_be_compiled(name: str, tmp_path: Path) -> None:
    """As the network starts them, with the sizes of the guides."""
    cache = {"TRITON_CACHE_DIR": str(tmp_path)}
    found = run("compiled_kernels.py", name, json.dumps(GPUS), **cache)
    assert found == [KERNELS[name]] * len(GPUS)
