"""A rank finds in its environment what a real machine would give it, and what stand-ins read."""

from __future__ import annotations

import ipaddress
import json
import os
import subprocess
from pathlib import Path

import pytest

from ascendify.emulation.environment import (
    HIDDEN_GPU,
    hardware_allows,
    new_job,
    rank_environment,
    rank_table,
    search_path,
)
from ascendify.emulation.paths import COMMANDS, PACKAGES, STARTUP


def test_a_rank_of_several(tmp_path: Path) -> None:
    job = new_job(16, tmp_path / "project", tmp_path / "logs", strict=True)
    ranks = [rank_environment(job, rank, {"PATH": "/bin"}) for rank in range(16)]
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
        told = (findings, emulation)
        expected = (str(number), device, device, *told, str(number), device, server)
        assert tuple(rank[key] for key in own) == expected
    shared = [{key: value for key, value in rank.items() if key not in own} for rank in ranks]
    assert all(each == shared[0] for each in shared)
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
        "MASTER_PORT": str(job.port),
        "ASCENDIFY_DEVICES": "8",
        "ASCENDIFY_SOC": "910B",
        "ASCENDIFY_JOB": job.address,
        "ASCENDIFY_ROOT": str(tmp_path / "project"),
        "ASCENDIFY_STRICT": "1",
    }
    host, port, token = job.address.split(":")
    assert host == "127.0.0.1"
    assert 1024 <= int(port) < 65536
    assert int(port) != job.port
    assert len(token) == 16
    assert json.loads(job.rank_table.read_text()) == rank_table(16)


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
    environment = rank_environment(new_job(devices, tmp_path, tmp_path, soc=soc), rank, {})
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK")
    assert tuple(environment[name] for name in (*names, "ASCENDIFY_DEVICES")) == expected
    assert environment["ASCENDIFY_SOC"] == soc


@pytest.mark.parametrize("once", [True, False], ids=["starts-its-own", "one-rank"])
def test_scripts_that_look_for_ranks_find_none(tmp_path: Path, once: bool) -> None:
    job = new_job(2 if once else 1, tmp_path, tmp_path, once=once)
    environment = rank_environment(job, 0, {"RANK": "7", "WORLD_SIZE": "8", "MASTER_PORT": "1"})
    assert not {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_PORT"} & set(environment)
    assert ("RANK_ID" in environment) is not once
    assert environment["ASCENDIFY_DEVICES"] == ("2" if once else "1")
    assert job.processes == 1
    assert not job.rank_table.exists()


def test_what_is_counted_has_a_file_of_its_own(tmp_path: Path) -> None:
    job = new_job(2, tmp_path, tmp_path, audit=True)
    assert rank_environment(job, 1, {})["ASCENDIFY_AUDIT"] == str(job.audited(1))


def test_a_single_rank_has_no_table(tmp_path: Path) -> None:
    job = new_job(1, tmp_path, tmp_path)
    environment = rank_environment(job, 0, {"RANK_TABLE_FILE": "/etc/other.json"})
    assert "RANK_TABLE_FILE" not in environment
    assert "ASCENDIFY_STRICT" not in environment
    assert "ASCENDIFY_CAPTURE" not in environment
    assert not job.rank_table.exists()


def test_captured_numbers_have_a_file_of_their_own(tmp_path: Path) -> None:
    job = new_job(2, tmp_path, tmp_path)
    environment = rank_environment(job, 1, {}, capture=True)
    assert environment["ASCENDIFY_CAPTURE"] == str(job.capture(1))


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
    job = new_job(2, tmp_path, tmp_path)
    environment = rank_environment(job, 0, users)
    assert (users.items() <= environment.items()) is kept


def test_the_users_search_path_comes_last() -> None:
    base = {"PYTHONPATH": f"/my lib{os.pathsep}/other"}
    assert search_path(base).split(os.pathsep) == [str(STARTUP), "/my lib", "/other"]
    assert search_path({"PYTHONPATH": ""}, PACKAGES) == f"{STARTUP}{os.pathsep}{PACKAGES}"


def test_nothing_of_an_earlier_job_is_left(tmp_path: Path) -> None:
    old = [tmp_path / name for name in ("rank-7.log", "findings-7.jsonl", "rank_table.json")]
    mine = tmp_path / "notes.txt"
    for file in (*old, mine):
        file.write_text("old")
    new_job(1, tmp_path, tmp_path)
    assert not any(file.exists() for file in old)
    assert mine.exists()


@pytest.mark.parametrize(
    ("devices", "servers"), [(2, [2]), (8, [8]), (12, [8, 4]), (2048, [8] * 256)]
)
def test_rank_tables_are_valid(devices: int, servers: list[int]) -> None:
    table = json.loads(json.dumps(rank_table(devices)))
    assert (table["status"], table["version"]) == ("completed", "1.0")
    assert table["server_count"] == str(len(table["server_list"]))
    assert [len(server["device"]) for server in table["server_list"]] == servers
    assert len({server["server_id"] for server in table["server_list"]}) == len(servers)
    entries = [device for server in table["server_list"] for device in server["device"]]
    assert [entry["rank_id"] for entry in entries] == [str(rank) for rank in range(devices)]
    assert len({ipaddress.ip_address(entry["device_ip"]) for entry in entries}) == devices
    for server in table["server_list"]:
        ids = [device["device_id"] for device in server["device"]]
        assert ids == [str(number) for number in range(len(ids))]


def test_device_counts_of_the_hardware() -> None:
    assert [n for n in range(1, 33) if hardware_allows(n)] == [1, 2, 4, 8, 16, 24, 32]
    assert [n for n in range(1, 9) if hardware_allows(n, "910A")] == [1, 2, 4, 8]
    assert all(hardware_allows(n, soc) for n in range(1, 33) for soc in ("910B", "A3"))


def test_scripts_that_ask_for_the_devices_go_on(tmp_path: Path) -> None:
    environment = rank_environment(new_job(2, tmp_path, tmp_path / "logs"), 0)
    told = subprocess.run(
        ["sh", "-ec", "npu-smi info; npu-smi info -l"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Total Count : 2" in told.stdout
