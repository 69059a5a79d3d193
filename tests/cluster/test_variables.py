"""Environment variables of a training: allowed values, per hardware, and the rules between them."""

from __future__ import annotations

import re

import pytest

from ascendify.cluster.problem import ERROR, WARNING
from ascendify.cluster.variables import check, describe_values, devices, ports, specs
from ascendify.errors import UsageError

TABLE = {"RANK_TABLE_FILE": "/t.json", "RANK_ID": "0", "RANK_SIZE": "8", "JOB_ID": "10086"}
CHIEF = {
    "CM_CHIEF_IP": "10.0.0.1",
    "CM_CHIEF_PORT": "60001",
    "CM_CHIEF_DEVICE": "0",
    "CM_WORKER_SIZE": "16",
}

FINE: list[tuple[dict[str, str], str | None]] = [
    ({}, None),
    (TABLE, None),
    (TABLE, "910A"),
    (CHIEF, "A2"),
    ({"JOB_ID": "job-7_a"}, None),
    ({"JOB_ID": "10087"}, None),
    ({"JOB_ID": "0abc"}, None),
    ({"HCCL_CONNECT_TIMEOUT": "600"}, None),
    ({"HCCL_EXEC_TIMEOUT": "1836"}, "910A"),
    ({"HCCL_EXEC_TIMEOUT": "0"}, "910B"),
    ({"HCCL_CONNECT_TIMEOUT": "7200", "HCCL_EXEC_TIMEOUT": "0"}, "910B"),
    ({"HCCL_SOCKET_IFNAME": "^=eth0,endvnic"}, None),
    ({"HCCL_ALGO": "level0:NA;level1:H-D_R"}, None),
    ({"HCCL_ALGO": "allreduce=level0:NA;level1:ring/allgather=level0:NA;level1:NHR"}, None),
    ({"HCCL_NPU_SOCKET_PORT_RANGE": "auto"}, "A2"),
    ({"HCCL_NPU_SOCKET_PORT_RANGE": "61000,61050-61100"}, "A2"),
    ({"HCCL_INTRA_PCIE_ENABLE": "1", "HCCL_INTRA_ROCE_ENABLE": "0"}, None),
    ({"HCCL_RDMA_TIMEOUT": "24"}, "910A"),
    ({"HCCL_OP_RETRY_ENABLE": "L1:1, L2:1"}, "A3"),
    ({"ASCEND_RT_VISIBLE_DEVICES": "0,2,7", "ASCEND_DEVICE_ID": "2"}, None),
    ({"CM_CHIEF_IP": "", **TABLE}, None),
    ({"CUDA_HOME": "/usr/local/cuda", "TF_CPP_MIN_LOG_LEVEL": "2"}, None),
    ({"TF_CONFIG": '{"cluster": {}}'}, None),
]


@pytest.mark.parametrize(("environment", "hardware"), FINE)
def test_nothing_to_say(environment: dict[str, str], hardware: str | None) -> None:
    assert check(environment, hardware) == []


WRONG: list[tuple[dict[str, str], str | None, str, str, str]] = [
    # environment, hardware, variable, severity, part of the rule
    ({"JOB_ID": "0123"}, None, "JOB_ID", ERROR, "not digits alone that begin with 0"),
    ({"JOB_ID": "a b"}, None, "JOB_ID", ERROR, "letters, digits"),
    ({"RANK_ID": "npu8p"}, None, "RANK_ID", WARNING, "template 2"),
    ({"RANK_ID": "8", "RANK_SIZE": "8"}, None, "RANK_ID", ERROR, "less than RANK_SIZE"),
    ({"RANK_SIZE": "eight"}, None, "RANK_SIZE", ERROR, "whole number"),
    ({"ASCEND_DEVICE_ID": "-1"}, None, "ASCEND_DEVICE_ID", ERROR, "whole number from 0"),
    ({"ASCEND_DEVICE_ID": "1", "DEVICE_ID": "0"}, None, "DEVICE_ID", WARNING, "goes before"),
    ({"ASCEND_RT_VISIBLE_DEVICES": "1,0"}, None, "ASCEND_RT_VISIBLE_DEVICES", ERROR, "ascending"),
    ({"ASCEND_RT_VISIBLE_DEVICES": ""}, None, "ASCEND_RT_VISIBLE_DEVICES", ERROR, "hides every"),
    (
        {"ASCEND_RT_VISIBLE_DEVICES": "4,5", "ASCEND_DEVICE_ID": "4"},
        None,
        "ASCEND_DEVICE_ID",
        ERROR,
        "counts the devices of ASCEND_RT_VISIBLE_DEVICES",
    ),
    ({**TABLE, **CHIEF}, None, "CM_CHIEF_IP", ERROR, "never both"),
    ({"CM_CHIEF_IP": "10.0.0.1"}, "A2", "CM_CHIEF_IP", ERROR, "needs all of"),
    ({**CHIEF, "CM_CHIEF_PORT": "65521"}, None, "CM_CHIEF_PORT", ERROR, "0 to 65520"),
    ({**CHIEF, "CM_CHIEF_IP": "chief"}, None, "CM_CHIEF_IP", ERROR, "an IP address"),
    ({"CM_WORKER_IP": "10.0.0.2"}, "A3", "CM_WORKER_IP", WARNING, "is not read on A3"),
    (
        {"RANK_TABLE_FILE": "/t.json", "RANK_ID": "0", "JOB_ID": "1"},
        None,
        "RANK_TABLE_FILE",
        WARNING,
        "RANK_SIZE",
    ),
    ({"HCCL_CONNECT_TIMEOUT": "60"}, None, "HCCL_CONNECT_TIMEOUT", ERROR, "120 to 7200 seconds"),
    ({"HCCL_CONNECT_TIMEOUT": "10m"}, None, "HCCL_CONNECT_TIMEOUT", ERROR, "whole number"),
    ({"HCCL_EXEC_TIMEOUT": "1800"}, "AT", "HCCL_EXEC_TIMEOUT", WARNING, "multiples of 68"),
    ({"HCCL_EXEC_TIMEOUT": "20400"}, "AT", "HCCL_EXEC_TIMEOUT", ERROR, "1 to 17340"),
    ({"HCCL_EXEC_TIMEOUT": "20400"}, None, "HCCL_EXEC_TIMEOUT", WARNING, "on 910A it must be"),
    (
        {"HCCL_CONNECT_TIMEOUT": "3600", "HCCL_EXEC_TIMEOUT": "1836"},
        None,
        "HCCL_CONNECT_TIMEOUT",
        WARNING,
        "less than HCCL_EXEC_TIMEOUT",
    ),
    (
        {"HCCL_INTRA_PCIE_ENABLE": "1", "HCCL_INTRA_ROCE_ENABLE": "1"},
        None,
        "HCCL_INTRA_PCIE_ENABLE",
        ERROR,
        "not both 1",
    ),
    (
        {"HCCL_IF_IP": "10.0.0.1", "HCCL_SOCKET_IFNAME": "eth0"},
        None,
        "HCCL_SOCKET_IFNAME",
        WARNING,
        "goes before",
    ),
    ({"HCCL_WHITELIST_DISABLE": "0"}, None, "HCCL_WHITELIST_DISABLE", ERROR, "HCCL_WHITELIST_FILE"),
    ({"HCCL_IF_BASE_PORT": "65521"}, None, "HCCL_IF_BASE_PORT", ERROR, "1024 to 65520"),
    ({"HCCL_SOCKET_FAMILY": "IPv6"}, None, "HCCL_SOCKET_FAMILY", ERROR, "AF_INET or AF_INET6"),
    ({"HCCL_ALGO": "ring"}, None, "HCCL_ALGO", ERROR, "level0:NA;level1:"),
    ({"HCCL_DETERMINISTIC": "true"}, "AT", "HCCL_DETERMINISTIC", WARNING, "is not read on 910A"),
    ({"HCCL_DETERMINISTIC": "1"}, None, "HCCL_DETERMINISTIC", ERROR, "true or false"),
    ({"HCCL_RDMA_TIMEOUT": "22"}, "A2", "HCCL_RDMA_TIMEOUT", ERROR, "5 to 20"),
    ({"HCCL_RDMA_TC": "133"}, None, "HCCL_RDMA_TC", WARNING, "multiples of 4"),
    (
        {"HCCL_NPU_SOCKET_PORT_RANGE": "61000-60000"},
        "A2",
        "HCCL_NPU_SOCKET_PORT_RANGE",
        ERROR,
        "auto",
    ),
    ({"ASCEND_GLOBAL_LOG_LEVEL": "info"}, None, "ASCEND_GLOBAL_LOG_LEVEL", ERROR, "0 or 1 or 2"),
    ({"SLOG_PRINT_TO_STDOUT": "0"}, None, "SLOG_PRINT_TO_STDOUT", WARNING, "old name"),
    ({"NPU_ENABLE_PERF": "1"}, None, "NPU_ENABLE_PERF", WARNING, "NPU_DEBUG"),
    ({"TF_CONFIG": "{broken"}, None, "TF_CONFIG", ERROR, "a JSON object"),
    ({"PROFILING_OPTIONS": "[" * 100_000}, None, "PROFILING_OPTIONS", ERROR, "a JSON object"),
    ({"HCCL_BUFFSIZE": "9" * 5000}, None, "HCCL_BUFFSIZE", ERROR, "whole number"),
    ({"TORCH_TRANSFER_TO_NPU": "true"}, None, "TORCH_TRANSFER_TO_NPU", ERROR, "0 or 1"),
    ({"CUDA_VISIBLE_DEVICES": "0,1"}, None, "CUDA_VISIBLE_DEVICES", WARNING, "GPU software only"),
    ({"NCCL_IB_DISABLE": "1"}, None, "NCCL_IB_DISABLE", WARNING, "GPU software only"),
    ({"HOROVOD_TIMELINE": "x"}, None, "HOROVOD_TIMELINE", WARNING, "GPU software only"),
]


@pytest.mark.parametrize(("environment", "hardware", "variable", "severity", "expected"), WRONG)
def test_one_thing_to_say(
    environment: dict[str, str], hardware: str | None, variable: str, severity: str, expected: str
) -> None:
    found = [each for each in check(environment, hardware) if expected in each.rule]
    assert [(each.path, each.severity) for each in found] == [(variable, severity)]
    assert found[0].advice
    assert len(str(found[0])) < 400


def test_the_rounded_value_is_named() -> None:
    (found,) = check({"HCCL_EXEC_TIMEOUT": "1800"}, "AT")
    assert found.advice == "1768 is what is used"
    (found,) = check({"HCCL_EXEC_TIMEOUT": "30"}, "AT")
    assert found.advice == "68 is what is used"


def test_unknown_hardware_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown hardware"):
        check({}, "H100")


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec["name"])
def test_every_variable_is_described(spec: dict[str, str]) -> None:
    assert describe_values(spec)
    assert re.fullmatch(r"[A-Z0-9].*[.]", spec["meaning"])
    for value in filter(None, (spec["default"], spec.get("example"))):
        assert not [each for each in check({spec["name"]: value}, "910B") if "must be" in each.rule]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("auto", []),
        ("60000", [range(60000, 60001)]),
        ("60010-60020,60000", [range(60000, 60001), range(60010, 60021)]),
        ("60000-60010,60005", None),
        ("0", None),
        ("65536", None),
        ("60000-", None),
        ("", None),
    ],
)
def test_ranges_of_ports(text: str, found: list[range] | None) -> None:
    assert ports(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("0", [0]), ("0,3", [0, 3]), ("3,0", None), ("0,0", None), ("0-3", None), ("", None)],
)
def test_lists_of_devices(text: str, found: list[int] | None) -> None:
    assert devices(text) == found
