"""PyTorch programs for GPUs on a machine that has none: what they find, and what is captured."""

from __future__ import annotations

import ast
import functools
import json
import subprocess
import tempfile
from pathlib import Path

import pytest

from ascendify.emulation.paths import STARTUP
from ascendify.verify.captured import Capture, read_all
from support.interpreters import user_environment

SCRIPTS = Path(__file__).parent / "scripts"


def run(interpreter: str, script: str, folder: Path, **more: str) -> str:
    """Run a script the way an original is run, and return what it printed."""
    done = subprocess.run(
        (interpreter, str(SCRIPTS / script)),
        cwd=folder,
        env={
            **user_environment(),
            "PYTHONPATH": str(STARTUP),
            "ASCENDIFY_SEED": "3",
            "ASCENDIFY_ON_CPU": "1",
            "CUDA_VISIBLE_DEVICES": "-1",
            **more,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ascendify:" not in done.stderr, done.stderr
    return done.stdout


def cases() -> list[object]:
    """The cases of the scripts gpu_*.py; those of one script are together, for it is run once."""
    return [
        pytest.param(
            script.name,
            node.name,
            marks=pytest.mark.xdist_group(script.name),
            id=f"{script.stem}-{node.name}",
        )
        for script in sorted(SCRIPTS.glob("gpu_*.py"))
        for node in ast.parse(script.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(one, ast.Name) and one.id == "case" for one in node.decorator_list)
    ]


@functools.cache
def results(python: str, script: str) -> dict[str, list[str | None]]:
    """{case: [what the release does not have or None, what went wrong or None]}."""
    with tempfile.TemporaryDirectory() as folder:
        capture = str(Path(folder) / "capture-0.jsonl")
        printed = run(
            python, script, Path(folder), ASCENDIFY_DEVICES="2", ASCENDIFY_CAPTURE=capture
        )
    found: dict[str, list[str | None]] = json.loads(printed.splitlines()[-1])
    return found


@pytest.mark.parametrize(("script", "name"), cases())
def test_a_program_finds_what_it_would_find_on_two_gpus(
    preloaded_torch: str, script: str, name: str
) -> None:
    found = results(preloaded_torch, script)
    assert name in found, f"{name} did not run"
    missing, wrong = found[name]
    if missing is not None:
        pytest.skip(missing)
    assert wrong is None, wrong


def test_what_is_trained_is_captured(preloaded_torch: str, tmp_path: Path) -> None:
    capture = str(tmp_path / "capture-0.jsonl")
    printed = run(preloaded_torch, "torch_training.py", tmp_path, ASCENDIFY_CAPTURE=capture)
    (seen,) = read_all(tmp_path)
    points = {(one.source, one.name): one.points for one in seen.series}
    counts = {key: len(found) for key, found in points.items()}
    assert counts == {
        ("loss", "loss"): 6,
        ("scale", "loss scale"): 6,
        ("loss", "score"): 3,
        ("gradient", "gradient norm"): 3,
        ("gradient", "gradient norm 2"): 3,
    }
    # The loss before scaling, of the device the program believes in.
    assert f"last loss {points['loss', 'loss'][-1].value}"[:16] == printed[:16]
    assert {one.device for one in seen.series if one.is_loss} == {"cuda"}
    assert points["scale", "loss scale"][0].value == 1024.0
    assert seen.steps == 6
    assert [note.split()[0] for note in seen.notes] == ["torch.compile"]
    assert names(seen.weights) == {
        *(f"Sequential/{layer}.{part}" for layer in (0, 1, 2) for part in ("weight", "bias")),
        *(f"Sequential/1.{part}" for part in ("running_mean", "running_var")),
        "Sequential/1.num_batches_tracked",
        *("Linear/weight", "Linear/bias"),
    }
    assert "state/0.weight" in names(checkpoint_of(seen))


def names(archive: Path | None) -> set[str]:
    import numpy

    assert archive is not None
    with numpy.load(archive) as arrays:
        return {name.replace("|", "/") for name in arrays.files}


def checkpoint_of(capture: Capture) -> Path:
    return capture.checkpoints[-1]
