"""A rank finds in its environment what a real machine would give it, and what stand-ins read."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ascendify.cluster import ranktable
from ascendify.emulation.environment import HIDDEN_GPU, Emulation, search_path
from ascendify.emulation.paths import COMMANDS, PACKAGES, STARTUP
from ascendify.emulation.records import path_of
from ascendify.jobs.emulated import hardware_allows, servers
from ascendify.jobs.environment import rank_environment
from ascendify.jobs.job import Job, JobRequest
from ascendify.jobs.plan import plan
from ascendify.jobs.run import prepare


def emulated(
    devices: int,
    folder: Path,
    base: dict[str, str] | None = None,
    *,
    soc: str | None = None,
    once: bool = False,
    capture: bool = False,
    **recorded: bool,
) -> Job:
    """A job of so many emulated devices, whose logs are in a folder."""
    emulation = Emulation(**({"soc": soc} if soc else {}), **recorded)  # type: ignore[arg-type] # a table of fields
    request = JobRequest(
        ("python", "train.py"),
        servers(devices, soc, once=once),
        folder.parent / "project",
        folder,
        once=once,
        capture=capture,
        emulation=emulation,
    )
    return plan(request, base or {})


def environment(job: Job, rank: int, base: dict[str, str]) -> dict[str, str]:
    """The whole environment of a rank, on a machine with these variables."""
    return rank_environment(job.ranks[rank], base)


def test_a_rank_of_several(tmp_path: Path) -> None:
    base = {"PATH": "/bin"}
    job = emulated(16, tmp_path / "logs", base, strict=True)
    ranks = [environment(job, rank, base) for rank in range(16)]
    own = (
        "RANK_ID",
        "ASCEND_DEVICE_ID",
        "DEVICE_ID",
        "ASCENDIFY_FINDINGS",
        "ASCENDIFY_EMULATION",
        "RANK",
        "LOCAL_RANK",
        "GROUP_RANK",
    )
    for number, rank in enumerate(ranks):
        findings = str(tmp_path / "logs" / f"findings-{number}.jsonl")
        emulation = str(tmp_path / "logs" / f"emulation-{number}.jsonl")
        device, server = str(number % 8), str(number // 8)
        recorded = (findings, emulation)
        expected = (str(number), device, device, *recorded, str(number), device, server)
        assert tuple(rank[key] for key in own) == expected
    shared = [{key: value for key, value in rank.items() if key not in own} for rank in ranks]
    assert all(each == shared[0] for each in shared)
    port, address = shared[0].pop("MASTER_PORT"), shared[0].pop("ASCENDIFY_JOB")
    assert shared[0] == {
        "PATH": f"/bin{os.pathsep}{COMMANDS}",
        "PYTHONPATH": f"{STARTUP}{os.pathsep}{PACKAGES}",
        "PYTHONUNBUFFERED": "1",
        "RANK_SIZE": "16",
        "RANK_TABLE_FILE": str(tmp_path / "logs" / "rank_table.json"),
        "JOB_ID": job.name,
        **HIDDEN_GPU,
        "WORLD_SIZE": "16",
        "LOCAL_WORLD_SIZE": "8",
        "MASTER_ADDR": "127.0.0.1",
        "ASCENDIFY_DEVICES": "8",
        "ASCENDIFY_SOC": "910B",
        "ASCENDIFY_ROOT": str(tmp_path / "project"),
        "ASCENDIFY_STRICT": "1",
    }
    host, own_port, token = address.split(":")
    assert host == "127.0.0.1"
    assert 1024 <= int(own_port) < 65536
    assert own_port != port
    assert len(token) == 16


@pytest.mark.parametrize(
    ("devices", "soc", "rank", "expected"),
    [
        pytest.param(2, "910B", 1, ("1", "2", "1", "2", "0", "2"), id="one-server"),
        pytest.param(12, "910B", 9, ("9", "12", "1", "4", "1", "8"), id="second-server-is-smaller"),
        pytest.param(16, "A3", 9, ("9", "16", "9", "16", "0", "16"), id="larger-servers"),
    ],
)
def test_a_rank_of_pytorch(
    tmp_path: Path, devices: int, soc: str, rank: int, expected: tuple[str, ...]
) -> None:
    found = environment(emulated(devices, tmp_path, soc=soc), rank, {})
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK")
    assert tuple(found[name] for name in (*names, "ASCENDIFY_DEVICES")) == expected
    assert found["ASCENDIFY_SOC"] == soc
    # the rank table, the device and the place on the server agree
    assert found["DEVICE_ID"] == found["ASCEND_DEVICE_ID"] == found["LOCAL_RANK"]


@pytest.mark.parametrize("once", [True, False], ids=["starts-its-own", "one-rank"])
def test_scripts_that_look_for_ranks_find_none(tmp_path: Path, once: bool) -> None:
    job = emulated(2 if once else 1, tmp_path, once=once)
    found = environment(job, 0, {"RANK": "7", "WORLD_SIZE": "8", "MASTER_PORT": "1"})
    assert not {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_PORT"} & set(found)
    assert ("RANK_ID" in found) is not once
    assert found["ASCENDIFY_DEVICES"] == ("2" if once else "1")
    assert (job.size, job.table) == (1, "")


def test_what_is_counted_and_captured_has_files_of_its_own(tmp_path: Path) -> None:
    found = environment(emulated(2, tmp_path, audit=True, capture=True), 1, {})
    assert found["ASCENDIFY_AUDIT"] == str(path_of(tmp_path, "audit", 1))
    assert found["ASCENDIFY_CAPTURE"] == str(tmp_path / "capture-1.jsonl")


def test_a_single_rank_has_no_table(tmp_path: Path) -> None:
    job = emulated(1, tmp_path)
    found = environment(job, 0, {"RANK_TABLE_FILE": "/etc/other.json"})
    assert not {"RANK_TABLE_FILE", "ASCENDIFY_STRICT", "ASCENDIFY_CAPTURE"} & set(found)
    assert job.table == ""


@pytest.mark.parametrize(
    ("users", "kept"),
    [
        pytest.param({"HCCL_CONNECT_TIMEOUT": "600"}, True, id="hccl"),
        pytest.param({"ASCEND_GLOBAL_LOG_LEVEL": "1"}, True, id="log-level"),
        pytest.param({"JOB_ID": "mine"}, True, id="job"),
        pytest.param({"PYTHONUNBUFFERED": "0"}, True, id="buffering"),
        pytest.param({"ASCENDIFY_SEED": "3"}, True, id="seed"),
        pytest.param({"RANK_ID": "5"}, False, id="rank"),
        pytest.param({"RANK_SIZE": "64"}, False, id="size"),
        pytest.param({"ASCEND_DEVICE_ID": "5"}, False, id="device"),
        pytest.param({"CM_CHIEF_IP": "10.0.0.1"}, False, id="chief"),
        pytest.param({"CM_WORKER_SIZE": "2"}, False, id="workers"),
        pytest.param({"POD_NAME": "a"}, False, id="pod"),
        pytest.param({"ASCEND_RT_VISIBLE_DEVICES": "0"}, False, id="visible"),
        pytest.param({"ASCENDIFY_STRICT": "1"}, False, id="outer-run"),
        pytest.param({"RANK": "5"}, False, id="torch-rank"),
        pytest.param({"MASTER_PORT": "29500"}, False, id="torch-port"),
        pytest.param({"ASCENDIFY_SOC": "910A"}, False, id="hardware"),
    ],
)
def test_what_the_user_set_is_kept_unless_it_contradicts(
    tmp_path: Path, users: dict[str, str], kept: bool
) -> None:
    found = environment(emulated(2, tmp_path, users), 0, users)
    assert (users.items() <= found.items()) is kept


def test_the_users_search_path_comes_last() -> None:
    base = {"PYTHONPATH": f"/my lib{os.pathsep}/other"}
    assert search_path(base).split(os.pathsep) == [str(STARTUP), "/my lib", "/other"]
    assert search_path({"PYTHONPATH": ""}, PACKAGES) == f"{STARTUP}{os.pathsep}{PACKAGES}"


def test_nothing_of_an_earlier_job_is_left(tmp_path: Path) -> None:
    old = [tmp_path / name for name in ("rank-7.log", "findings-7.jsonl", "rank_table.json")]
    mine = tmp_path / "notes.txt"
    for file in (*old, mine):
        file.write_text("old")
    prepare(emulated(1, tmp_path))
    assert not any(file.exists() for file in old)
    assert mine.exists()


@pytest.mark.parametrize(
    ("devices", "soc", "counts"),
    [(2, None, [2]), (8, None, [8]), (12, None, [8, 4]), (12, "A3", [12]), (2048, None, [8] * 256)],
)
def test_rank_tables_are_valid(
    tmp_path: Path, devices: int, soc: str | None, counts: list[int]
) -> None:
    job = emulated(devices, tmp_path, soc=soc)
    table = ranktable.read(job.table, "made").table
    wrong = [each for each in ranktable.check(table) if each.severity == "error"]
    assert wrong == []
    placed = [(each.rank, each.device) for each in table.placements]
    assert placed == [(rank.number, rank.device) for rank in job.ranks]
    entries = json.loads(job.table)["server_list"]
    assert [len(server["device"]) for server in entries] == counts
    addresses = {device["device_ip"] for server in entries for device in server["device"]}
    assert len(addresses) == devices


def test_device_counts_of_the_hardware() -> None:
    assert [n for n in range(1, 33) if hardware_allows(n)] == [1, 2, 4, 8, 16, 24, 32]
    assert [n for n in range(1, 9) if hardware_allows(n, "910A")] == [1, 2, 4, 8]
    assert all(hardware_allows(n, soc) for n in range(1, 33) for soc in ("910B", "A3"))


def test_scripts_that_ask_for_the_devices_go_on(tmp_path: Path) -> None:
    base = dict(os.environ)
    reported = subprocess.run(
        ["sh", "-ec", "npu-smi info; npu-smi info -l"],
        env=environment(emulated(2, tmp_path / "logs", base), 0, base),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Total Count : 2" in reported.stdout
