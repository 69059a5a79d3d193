"""torch.distributed with backend hccl: real processes, two ranks."""

from __future__ import annotations

import functools
import json
import math
import subprocess
from pathlib import Path

import pytest

from ascendify.emulation.paths import STARTUP
from support.torch_cases import SCRIPTS, Results, cases, check, environment, start

CASES = "torch_dist_cases.py"
TWO_DEVICES = {"ASCENDIFY_DEVICES": "2"}


@functools.cache
def over_two_ranks(python: str, folder: Path) -> list[Results]:
    ended = start(python, CASES, str(folder / "ranks"), **TWO_DEVICES)
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return [json.loads((folder / f"ranks-{rank}.json").read_text()) for rank in range(2)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ranks")


@pytest.mark.parametrize("name", cases(CASES))
def test_case(preloaded_torch: str, folder: Path, name: str) -> None:
    """Started by torch.multiprocessing.spawn."""
    for found in over_two_ranks(preloaded_torch, folder):
        check(found, name)


HCCL, BOTH = "npu:hccl", "cpu:gloo,npu:hccl"
SUMS_ON_CPU = {HCCL: 0.0, BOTH: 2.0}
"""What two ranks get from adding ones of the CPU; zero stands for an error."""


@pytest.mark.parametrize(
    ("arguments", "backend", "configurations"),
    [
        # torch before 2.6 makes a group for every device that has a backend
        pytest.param([], "undefined", (HCCL, BOTH), id="no backend named"),
        pytest.param([BOTH], BOTH, (BOTH,), id="both"),
    ],
)
def test_torchrun(
    preloaded_torch: str,
    tmp_path: Path,
    arguments: list[str],
    backend: str,
    configurations: tuple[str, ...],
) -> None:
    launcher = [
        preloaded_torch,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc_per_node",
        "2",
    ]
    ended = subprocess.run(
        [*launcher, str(SCRIPTS / "torch_dist_torchrun.py"), str(tmp_path / "rank"), *arguments],
        env=environment(**TWO_DEVICES),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    for rank in range(2):
        found = json.loads((tmp_path / f"rank-{rank}.json").read_text())
        assert found.pop("stand_in").endswith("packages/torch_npu/__init__.py")
        configuration = found.pop("configuration")
        assert configuration in configurations
        assert found == {
            "backend": backend,
            "device": f"npu:{rank}",
            "gradient": [[1.5, 1.5]],
            "on_cpu": SUMS_ON_CPU[configuration],
        }


EXITED = "the process of rank 1 exited"
ABSENT = "rank 1 did not"


@pytest.mark.parametrize(
    ("case", "texts"),
    [
        ("backward_after_death", ["HCCL allreduce on rank 0", EXITED]),
        ("receive_from_the_dead", ["HCCL send or receive on rank 0", EXITED]),
        ("receive_long_after_death", ["HCCL send or receive on rank 0", EXITED]),
        ("send_long_after_death", ["HCCL send or receive on rank 0", EXITED]),
        ("group_with_the_dead", ["HCCL process group on rank 0", EXITED]),
        ("collective_alone", ["HCCL allreduce on rank 0", ABSENT, "within 4 s", "same order"]),
    ],
)
def test_a_rank_that_fails_is_named(
    preloaded_torch: str, tmp_path: Path, case: str, texts: list[str]
) -> None:
    ranks = [
        subprocess.Popen(
            [preloaded_torch, str(SCRIPTS / "torch_dist_failures.py"), case, str(rank), "store"],
            env=environment(**TWO_DEVICES),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    output, errors = ranks[0].communicate(timeout=300)
    ranks[1].communicate(timeout=300)
    for word in texts:
        assert word in output, f"{output}\n{errors}"


@pytest.mark.xdist_group("sharded")
def test_divided_models_train_alike_on_the_pretended_gpu(
    preloaded_torch: str, tmp_path: Path
) -> None:
    """fully_shard, DTensor, FullyShardedDataParallel and ZeroRedundancyOptimizer."""
    found = {}
    npu = {"ASCENDIFY_SHARED_RANDOM": "1"}
    for name, more in (
        ("cuda", {"PYTHONPATH": str(STARTUP), "ASCENDIFY_ON_CPU": "1", "ASCENDIFY_ORIGINAL": "1"}),
        ("npu", npu),
        ("npu, portable path", {**npu, "ASCENDIFY_EMULATION_PATH": "portable"}),
    ):
        ended = start(
            preloaded_torch,
            "torch_sharded.py",
            name.partition(",")[0],
            str(tmp_path / name),
            **{**TWO_DEVICES, **more, "ASCENDIFY_SEED": "1"},
        )
        assert ended.returncode == 0, ended.stderr
        if ended.stdout.startswith("this release"):
            pytest.skip(ended.stdout.strip())
        found[name] = [
            json.loads((tmp_path / f"{name}-{rank}.json").read_text()) for rank in range(2)
        ]
    assert found["cuda"] == found["npu"] == found["npu, portable path"]
    for losses in found["npu"][0].values():
        assert all(map(math.isfinite, losses)) and len(set(losses)) > 3
