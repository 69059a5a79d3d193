"""Cases that run in an interpreter with PyTorch, several in one process, each a test here.

A script below scripts/ decorates its cases with @case (see scripts/torch_harness.py). Their names
are read from its source, so that this interpreter needs no PyTorch.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Optional

import pytest

from ascendify.emulation.paths import PACKAGES, STARTUP
from support.interpreters import user_environment

SCRIPTS = Path(__file__).parents[1] / "emulation" / "scripts"
Results = dict[str, list[Optional[str]]]
"""{case: [what the release does not have or None, what went wrong or None]}."""


def cases(script: str) -> list[object]:
    """The names of a script's cases; those of one script are together, for it is run once."""
    together = pytest.mark.xdist_group(script)
    return [
        pytest.param(node.name, marks=together)
        for node in ast.parse((SCRIPTS / script).read_text()).body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(one, ast.Name) and one.id == "case" for one in node.decorator_list)
    ]


@functools.cache
def results(python: str, script: str) -> Results:
    """What one run of a script reports."""
    ended = start(python, script)
    assert ended.returncode == 0, f"{script}:\n{ended.stdout}\n{ended.stderr}"
    found: Results = json.loads(ended.stdout.splitlines()[-1])
    return found


def environment(**more: str) -> dict[str, str]:
    """A user's environment with the stand-ins."""
    path = os.pathsep.join([str(STARTUP), str(PACKAGES), str(SCRIPTS)])
    return {**user_environment(), "PYTHONPATH": path, **more}


def start(python: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a script of scripts/ with the stand-ins."""
    script, *rest = arguments
    return subprocess.run(
        [python, str(SCRIPTS / script), *rest],
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def check(found: Results, name: str) -> None:
    """The case ran and nothing went wrong; skip it where the release is without what it needs."""
    assert name in found, f"{name} did not run"
    missing, wrong = found[name]
    assert wrong is None, wrong
    if missing is not None:
        pytest.skip(missing)
