"""Random numbers of a program that asks the system for a seed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ascendify.emulation.paths import STARTUP
from support.interpreters import user_environment

DRAWS = {
    "no seed": "",
    "a seed from the system": "random.seed()",
    "None": "random.seed(None)",
}


def _draw(lines: str) -> str:
    program = f"import random\n{lines}\nprint(random.random())\n"
    environment = {**user_environment(), "PYTHONPATH": str(STARTUP), "ASCENDIFY_SEED": "3"}
    done = subprocess.run(
        (sys.executable, "-c", program), env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("lines", DRAWS.values(), ids=DRAWS)
def test_a_seed_from_the_system_is_ours(lines: str) -> None:
    assert _draw(lines) == _draw("random.seed(3)")


def test_a_seed_of_the_program_counts() -> None:
    assert _draw("random.seed(4)") != _draw("")
