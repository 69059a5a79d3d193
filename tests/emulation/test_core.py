"""Sessions, Estimator, hooks and optimizers of the NPU, on the user's TensorFlow."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ascendify.jobs.ports import free_port
from support.interpreters import PACKAGES, Run, user_environment
from support.keras_2 import endings

SCRIPTS = Path(__file__).parent / "scripts"
IN_GRAPHS = {
    "wrapper", "distributed", "sharded", "all in one", "loss scale",
    "all in one, overflow on one rank", "loss scale, overflow on one rank",
}  # fmt: skip
WITH_KERAS = {"keras wrapper", "keras class"}
WITH_ESTIMATORS = {"estimator", "estimator, three steps a run"}


@pytest.mark.parametrize(
    ("theme", "refused"),
    [
        pytest.param("names", 27, id="names"),
        pytest.param("estimator", 6, id="estimator"),
        pytest.param("loss_scale", 0, id="loss_scale"),
        pytest.param("seeds", 3, id="seeds"),
    ],
)
def test_on_one_rank(theme: str, refused: int, run_script: Run, tmp_path: Path) -> None:
    result = run_script(SCRIPTS / f"core_{theme}.py", tmp_path)
    assert result.returncode == 0, result.stderr[-4000:]
    assert result.stdout.splitlines()[-1] in endings("all checks hold", refused)


@pytest.fixture
def jobs(preloaded_tensorflow: str, tmp_path: Path) -> dict[int, list[dict[str, Any]]]:
    """What the ranks of a job of one and of a job of two say."""
    return {size: ranks(preloaded_tensorflow, tmp_path, size) for size in (1, 2)}


def test_two_ranks_end_where_one_does_with_the_whole_batch(
    jobs: dict[int, list[dict[str, Any]]],
) -> None:
    (alone,) = jobs[1]
    first, second = jobs[2]
    refused = [len(job["refused"]) for job in (alone, first, second)]
    assert (alone["keras"], *refused) in {(2, 0, 0, 0), (3, 2, 5, 5)}
    of_keras_2 = WITH_KERAS | WITH_ESTIMATORS if alone["keras"] == 2 else set()
    assert alone["ways"].keys() == first["ways"].keys() == IN_GRAPHS | of_keras_2
    for way, expected in alone["ways"].items():
        found = first["ways"][way]
        assert found["weights"] == second["ways"][way]["weights"], way
        for one, other in zip(expected["weights"], found["weights"]):
            assert other == pytest.approx(one, rel=1e-4, abs=1e-5), way
        assert not expected.get("collectives"), way

    # one collective for the dense gradients, two for values and indices of the sparse one
    collectives = first["ways"]["wrapper"]["collectives"]
    assert len(collectives) == 3, collectives

    assert alone["functions"] == {
        "mean": [1, 2], "list": [[1, 2], [2, 4]], "max": [1, 2], "allreduce": [1, 2],
        "sparse": [[1, 1], [0, 0], [0, 0], [0, 0]], "sum": [1, 2], "reduce": [1, 2], "dealt": 0,
    }  # fmt: skip
    assert first["functions"] == {
        "mean": [1.5, 2.5], "list": [[3, 5], [6, 10]], "max": [2, 3], "allreduce": [1.5, 2.5],
        "sparse": [[0.5, 0.5], [1, 1], [0, 0], [0, 0]], "sum": [3, 5], "reduce": [1.5, 2.5],
        "dealt": 0,
    }  # fmt: skip
    same = {key: value for key, value in first["functions"].items() if key != "reduce"}
    assert {**second["functions"], "reduce": None} == {**same, "reduce": None, "dealt": 1}


def ranks(interpreter: str, folder: Path, size: int) -> list[dict[str, Any]]:
    """Run a job and return what its ranks say."""
    job = f"127.0.0.1:{free_port()}:core"
    processes = [
        subprocess.Popen(
            [interpreter, str(SCRIPTS / "core_ranks.py"), str(folder)],
            env={
                **user_environment(),
                "PYTHONPATH": str(PACKAGES),
                "ASCENDIFY_JOB": job,
                "JOB_ID": "10",
                "RANK_ID": str(rank),
                "RANK_SIZE": str(size),
                "DEVICE_ID": str(rank),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]
    said = [process.communicate(timeout=300) for process in processes]
    for process, (_, errors) in zip(processes, said):
        assert process.returncode == 0, errors[-4000:]
    lines = [next(x for x in output.splitlines() if x.startswith("RESULT ")) for output, _ in said]
    return [json.loads(line[len("RESULT ") :]) for line in lines]
