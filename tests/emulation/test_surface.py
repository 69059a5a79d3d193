"""Every name of the device's Python packages is there and takes what it takes on the device."""

from __future__ import annotations

import json
from pathlib import Path

from support.interpreters import Run

HERE = Path(__file__).parent
SURFACE = HERE / "surface.json"
SCRIPT = HERE / "scripts" / "surface_check.py"


def test_every_name_and_signature_is_the_devices(run_script: Run) -> None:
    result = run_script(SCRIPT, SURFACE)
    assert result.returncode == 0, result.stderr[-3000:]
    *differences, summary = result.stdout.splitlines()
    assert summary.startswith("compared ")
    assert not differences, "\n".join(["", *differences])


def test_the_description_is_sound() -> None:
    surface = json.loads(SURFACE.read_text(encoding="utf-8"))
    names = [(entry["module"], entry["name"]) for entry in surface["entries"]]
    assert len(set(names)) == len(names) > 200
    assert {module for module, _ in names} <= set(surface["modules"])
    assert {entry["kind"] for entry in surface["entries"]} == {
        "class",
        "context manager",
        "function",
        "method",
        "value",
    }
