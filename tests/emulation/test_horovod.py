"""The stand-in for Horovod: what it computes, what it refuses, and Horovod itself beside it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ascendify.emulation.paths import HOROVOD
from support import commands
from support.interpreters import INTERPRETERS, preloaded, tensorflow_python, user_environment
from support.world_processes import SCRIPTS, Ended, run_ranks

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "horovod-session"
STAND_IN = {"PYTHONPATH": str(HOROVOD)}
NO_SESSION = "session for Keras models: Keras 3 left it out"
REAL = "ASCENDIFY_REAL_HOROVOD"
"""Names a folder with Horovod itself, where the interpreter has none of its own."""


def good(ended: list[Ended]) -> None:
    """Every rank ended well; TensorFlow may have warned."""
    for rank, one in enumerate(ended):
        assert one.code == 0, f"rank {rank}:\n{one.output}\n{one.errors}"


def results(prefix: Path, size: int) -> list[dict[str, Any]]:
    return [json.loads(Path(f"{prefix}-{rank}.json").read_text()) for rank in range(size)]


def on_the_stand_in(interpreter: str, prefix: Path, size: int) -> list[dict[str, Any]]:
    arguments = ("horovod_table.py", str(size), str(prefix))
    ended = run_ranks(interpreter, *arguments, size=size, environment=STAND_IN)
    good(ended)
    assert all(str(HOROVOD) in one.output for one in ended)
    return results(prefix, size)


@pytest.mark.parametrize("size", [1, 2])
def test_every_rank_gets_what_horovod_gives(
    preloaded_tensorflow: str, tmp_path: Path, size: int
) -> None:
    """Ranks agree where they must; with Horovod at hand, all agree with it to the last bit."""
    found = on_the_stand_in(preloaded_tensorflow, tmp_path / "ours", size)
    assert found[0]["keras"] in ([2], [3, *[NO_SESSION] * 6])
    own = {"rank op", "momentum losses", "adam losses", "small losses", "sum losses"}
    for each in found:
        for name, value in each.items():
            if name not in own and not name.startswith("gradient"):
                assert value == found[0][name], name
    if size > 1 and has_horovod(preloaded_tensorflow):
        with_horovod(preloaded_tensorflow, tmp_path / "real", size)
        expected = results(tmp_path / "real", size)
        for rank in range(size):
            assert found[rank].keys() == expected[rank].keys()
            for name, value in expected[rank].items():
                assert found[rank][name] == value, (rank, name)


def test_refusals(preloaded_tensorflow: str) -> None:
    ended = run_ranks(preloaded_tensorflow, "horovod_refusals.py", size=1, environment=STAND_IN)
    good(ended)
    assert ended[0].output == "as it should be\n"


def test_eager_execution() -> None:
    python = preloaded(tensorflow_python("tf2"), "tf2")
    ended = run_ranks(python, "horovod_eager.py", size=2, environment=STAND_IN)
    good(ended)
    assert [one.output for one in ended] == ["as it should be\n"] * 2


def environment() -> dict[str, str]:
    return {**user_environment(), "PYTHONPATH": os.environ.get(REAL, "")}


def has_horovod(interpreter: str) -> bool:
    requested = importing("import horovod.tensorflow, horovod.runner", interpreter, environment())
    return requested.returncode == 0


def importing(
    code: str, interpreter: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [interpreter, "-c", code], env=environment, capture_output=True, check=False
    )


def with_horovod(interpreter: str, prefix: Path, size: int) -> None:
    launcher = [interpreter, "-m", "horovod.runner.launch", "-np", str(size)]
    script = [interpreter, str(SCRIPTS / "horovod_table.py"), str(size), str(prefix)]
    ended = subprocess.run(
        [*launcher, *script],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_verify_runs_an_original_without_horovod(tmp_path: Path) -> None:
    """The ranks of both sides are ours; where Horovod is missing, a note names the stand-in."""
    python = os.environ.get(INTERPRETERS["tf1"])
    if not python or not importing("import horovod", python, user_environment()).returncode:
        pytest.skip("needs an interpreter with TensorFlow 1.15 and without Horovod")
    python = preloaded(python, "tf1")
    migrated = tmp_path / "migrated"
    train = ("--", "horovodrun", "-np", "2", python, "train.py", "--no-cuda", "--steps", "8")
    assert ascendify("migrate", EXAMPLE, "-o", migrated).returncode in (0, 1)
    options = ("--json", tmp_path / "verdict.json", "--log-dir", tmp_path / "logs")
    done = ascendify("verify", EXAMPLE, migrated, *options, *train)
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads((tmp_path / "verdict.json").read_text())
    assert verdict["result"] == "pass"
    assert verdict["notes"].count("original: it ran on ascendify's stand-in for Horovod") == 1
    losses = [one for one in verdict["series"] if one["source"] == "loss"]
    assert [one["largest_error"] for one in losses] == [0, 0]


def ascendify(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return commands.ascendify(*arguments, env={**user_environment(), "NO_COLOR": "1"})
