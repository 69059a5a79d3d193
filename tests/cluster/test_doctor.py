"""The doctor: machines, and what it says of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Callable

import pytest

from ascendify.cluster.doctor import Machine, Observation, ObservationState, examine, npu_smi
from ascendify.cluster.doctor.compatibility import covers
from ascendify.cluster.doctor.machine import CommandResult, run
from support.made_machine import A3_INFO, A_PROCESS, HEALTH, OLD_INFO, Made, a2_info
from support.processes import wait_until

OK, WARNING, PROBLEM, NOT_SEEN = (
    ObservationState.OK,
    ObservationState.WARNING,
    ObservationState.PROBLEM,
    ObservationState.NOT_SEEN,
)
Build = Callable[[Made], object]

TORCHRUN = ("/env/bin/python", "/env/bin/torchrun", "train.py")
RANK = ("/env/bin/python", "-u", "train.py", "--epochs", "3")


def reported(made: Made, *states: ObservationState) -> list[Observation]:
    """What is said of a machine, in these states."""
    return [each for each in examine(made.machine).observations if each.state in states]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def test_nothing_is_to_be_done_on_a_ready_machine(made: Made) -> None:
    assert reported(made.ready(), WARNING, PROBLEM, NOT_SEEN) == []
    assert [each.text for each in reported(made, OK)] == [
        "driver 24.1.rc3",
        "firmware 7.5.0.1.129",
        "8.2.RC1 in /usr/local/Ascend/ascend-toolkit/latest, used by this shell",
        "Python 3.10.12 (/env/bin/python)",
        "torch 2.1.0+cpu",
        "torch_npu 2.1.0.post13",
        "numpy 1.26.4",
        "driver 24.1.rc3 with CANN 8.2.RC1",
        "torch 2.1.0+cpu with torch_npu 2.1.0.post13",
        "torch_npu 2.1.0.post13 with CANN 8.2.RC1",
        "torch 2.1.0+cpu with Python 3.10",
        "2 devices: /dev/davinci0 to 1",
        "/etc/hccn.conf has 2 addresses",
        "2 x 910B3: all OK",
        "none is set",
        "HCCL: 60000 to 60015 free",
        "no training was left over",
        "logs (/home/me/ascend/log): 100.0 GB free",
        "working folder (/job): 100.0 GB free",
        "open files: 65535",
    ]


def test_an_empty_machine_is_no_failure_unless_an_npu_is_required(
    made: Made, bare_python: str
) -> None:
    made.real_python(bare_python)
    assert reported(made, WARNING, PROBLEM) == []
    assert {each.subject for each in reported(made, NOT_SEEN)} == {
        "driver and firmware",
        "CANN",
        "Python and frameworks",
        "devices",
        "health",
        "ports",
        "left-over processes",
        "limits",
    }
    required = examine(made.machine, require_npu=True).observations
    assert [each.text for each in required if each.state is PROBLEM] == [
        "an NPU is required, and none was found"
    ]


# What is changed on a ready machine, and the one thing that is said of it.
CASES: dict[str, tuple[Build, str, ObservationState, str]] = {
    # driver, firmware
    "firmware-too-old": (
        lambda made: made.driver(firmware="6.4.12.1.241"),
        "driver and firmware",
        PROBLEM,
        "firmware 6.4.12.1.241: driver 24.1.rc3 works with 7.0.0 to 7.7.99",
    ),
    "firmware-too-new": (
        lambda made: made.driver(firmware="7.8.0.2.212"),
        "driver and firmware",
        PROBLEM,
        "firmware 7.8.0.2.212",
    ),
    "driver-upgraded-without-restart": (
        lambda made: made.driver(version="25.0.rc1"),
        "driver and firmware",
        WARNING,
        "npu-smi reports driver 24.1.rc3",
    ),
    "driver-elsewhere": (
        lambda made: made.file("/etc/ascend_install.info", "Driver_Install_Path_Param=/opt/A\n"),
        "driver and firmware",
        NOT_SEEN,
        "firmware: no version file",
    ),
    # CANN
    "environment-not-set": (
        lambda made: made.environment.pop("ASCEND_HOME_PATH"),
        "CANN",
        PROBLEM,
        "its environment is not set",
    ),
    "environment-leads-nowhere": (
        lambda made: made.environment.update(ASCEND_OPP_PATH="/gone/opp"),
        "CANN",
        PROBLEM,
        "ASCEND_OPP_PATH is /gone/opp, which does not exist",
    ),
    "driver-not-published-for-this-cann": (
        lambda made: made.driver(version="23.0.3"),
        "what fits together",
        WARNING,
        "driver 23.0.3 with CANN 8.2.RC1: published are 25.2.0, 25.0.RC1, 24.1.0",
    ),
    "cann-no-table-names": (
        lambda made: made.cann("8.4.RC9").environment.update(
            ASCEND_HOME_PATH="/usr/local/Ascend/ascend-toolkit/8.4.RC9"
        ),
        "what fits together",
        NOT_SEEN,
        "driver 24.1.rc3 with CANN 8.4.RC9: no table here names this CANN",
    ),
    "python-package-cann-needs": (
        lambda made: made.file(
            "/answers/python",
            (made.root / "answers/python").read_text().replace('"sympy", ', ""),
        ),
        "Python and frameworks",
        WARNING,
        "CANN's operator compiler needs sympy",
    ),
    # frameworks
    "torch-of-another-release": (
        lambda made: made.python(torch="2.3.1", torch_npu="2.1.0.post13"),
        "what fits together",
        PROBLEM,
        "torch 2.3.1 with torch_npu 2.1.0.post13: the first numbers must be the same",
    ),
    "torch_npu-for-another-cann": (
        lambda made: made.python(torch="2.12.0", torch_npu="2.12.0"),
        "what fits together",
        WARNING,
        "torch_npu 2.12.0 with CANN 8.2.RC1: it is published with CANN 9.1.0",
    ),
    "torch_npu-not-in-the-table": (
        lambda made: made.python(torch="2.1.0", torch_npu="2.1.0.post99"),
        "what fits together",
        NOT_SEEN,
        "torch_npu 2.1.0.post99 with CANN 8.2.RC1: no table here names this torch_npu",
    ),
    "torch-without-torch_npu": (
        lambda made: made.python(torch="2.1.0"),
        "what fits together",
        PROBLEM,
        "torch 2.1.0 without torch_npu, although CANN is installed",
    ),
    "torch_npu-without-torch": (
        lambda made: made.python(torch_npu="2.1.0.post13"),
        "what fits together",
        PROBLEM,
        "torch_npu 2.1.0.post13 without torch",
    ),
    "python-too-new": (
        lambda made: made.python("3.13.1", torch="2.1.0", torch_npu="2.1.0.post13"),
        "what fits together",
        PROBLEM,
        "torch 2.1.0 with Python 3.13",
    ),
    "torch-for-cuda": (
        lambda made: made.python(torch="2.1.0+cu118", torch_npu="2.1.0.post13"),
        "Python and frameworks",
        WARNING,
        "torch 2.1.0+cu118 is a build for CUDA",
    ),
    "tensorflow-of-another-release": (
        lambda made: made.python("3.7.5", tensorflow="2.6.5", npu_bridge="1.15.0"),
        "what fits together",
        PROBLEM,
        "TensorFlow 2.6.5 with npu_bridge: it is made for 1.15",
    ),
    "tensorflow-without-its-adapter": (
        lambda made: made.python("3.7.5", tensorflow="1.15.0"),
        "what fits together",
        PROBLEM,
        "TensorFlow 1.15.0 without npu_bridge, although CANN is installed",
    ),
    "tensorflow-that-has-no-adapter": (
        lambda made: made.python("3.11.2", tensorflow="2.15.1"),
        "what fits together",
        PROBLEM,
        "TensorFlow 2.15.1: no adapter is published for this release",
    ),
    "adapter-without-tensorflow": (
        lambda made: made.python("3.8.10", npu_device="2.6.5"),
        "what fits together",
        PROBLEM,
        "npu_device without TensorFlow",
    ),
    "tensorflow-with-another-python": (
        lambda made: made.python("3.11.2", tensorflow="2.6.5", npu_device="2.6.5"),
        "what fits together",
        WARNING,
        "npu_device with Python 3.11: published for 3.7 or 3.8 or 3.9",
    ),
    "no-framework": (
        lambda made: made.python(),
        "Python and frameworks",
        NOT_SEEN,
        "it has neither PyTorch nor TensorFlow",
    ),
    "python-that-fails": (
        lambda made: made.command("python", "echo 'no such library' >&2; exit 127"),
        "Python and frameworks",
        PROBLEM,
        "could not be queried: no such library",
    ),
    # devices
    "manager-missing": (
        lambda made: (made.root / "dev/hisi_hdc").unlink(),
        "devices",
        PROBLEM,
        "/dev/hisi_hdc is missing",
    ),
    "no-permission": (
        lambda made: setattr(made, "locked", ("davinci1",)),
        "devices",
        PROBLEM,
        "this user may not open /dev/davinci1",
    ),
    "device-that-is-not-there": (
        lambda made: made.environment.update(ASCEND_DEVICE_ID="2"),
        "devices",
        PROBLEM,
        "ASCEND_DEVICE_ID is 2, and there are 2 devices",
    ),
    "visible-device-that-is-not-there": (
        lambda made: made.environment.update(ASCEND_RT_VISIBLE_DEVICES="1,2"),
        "devices",
        PROBLEM,
        "ASCEND_RT_VISIBLE_DEVICES names 2",
    ),
    "address-lacking": (
        lambda made: made.hccn("192.168.1.1"),
        "devices",
        WARNING,
        "/etc/hccn.conf has no address for device 1",
    ),
    "address-twice": (
        lambda made: made.hccn("192.168.1.1", "192.168.1.1"),
        "devices",
        PROBLEM,
        "192.168.1.1 belongs to two devices",
    ),
    "address-wrong": (
        lambda made: made.hccn("192.168.1.1", "192.168.1.256"),
        "devices",
        PROBLEM,
        "192.168.1.256 is not an IP address",
    ),
    "no-addresses": (
        lambda made: (made.root / "etc/hccn.conf").unlink(),
        "devices",
        NOT_SEEN,
        "/etc/hccn.conf is missing",
    ),
    # health
    "alarm": (
        lambda made: made.npu_smi(a2_info(health="Alarm"), HEALTH),
        "health",
        PROBLEM,
        "NPU 1 chip 0 (910B3) is Alarm (Health Alarm)",
    ),
    "minor-alarm": (
        lambda made: made.npu_smi(a2_info(health="Warning")),
        "health",
        WARNING,
        "NPU 1 chip 0 (910B3) is Warning",
    ),
    "memory-nobody-holds": (
        lambda made: made.npu_smi(a2_info(used="31877")),
        "health",
        WARNING,
        "NPU 1 chip 0 has 31877 of 65536 MB in use, and npu-smi names no process",
    ),
    "driver-does-not-answer": (
        lambda made: made.command("npu-smi", "echo dcmi module initialize failed. ret is -8005"),
        "health",
        PROBLEM,
        "npu-smi failed: dcmi module initialize failed. ret is -8005",
    ),
    "npu-smi-fails": (
        lambda made: made.command("npu-smi", "exit 3"),
        "health",
        PROBLEM,
        "npu-smi failed: npu-smi: exit status 3",
    ),
    # variables
    "variable-out-of-range": (
        lambda made: made.environment.update(HCCL_CONNECT_TIMEOUT="60"),
        "environment variables",
        PROBLEM,
        "HCCL_CONNECT_TIMEOUT: must be a whole number from 120 to 7200 seconds",
    ),
    "variable-of-gpus": (
        lambda made: made.environment.update(NCCL_DEBUG="INFO"),
        "environment variables",
        WARNING,
        "NCCL_DEBUG: is read by GPU software only",
    ),
    "rank-table-missing": (
        lambda made: made.environment.update(
            RANK_TABLE_FILE="tables/8p.json", RANK_SIZE="2", RANK_ID="0", JOB_ID="1"
        ),
        "environment variables",
        PROBLEM,
        "RANK_TABLE_FILE is tables/8p.json, which does not exist",
    ),
    # ports
    "hccl-port-taken": (
        lambda made: made.sockets((60003, "0A", 31)).process(
            77, *RANK, parent=1, files=("socket:[31]",)
        ),
        "ports",
        PROBLEM,
        "HCCL: 60003 is used by process 77 (/env/bin/python -u train.py --epochs 3)",
    ),
    "hccl-port-taken-by-someone": (
        lambda made: made.sockets((60015, "01", 31)),
        "ports",
        PROBLEM,
        "HCCL: 60015 is used by a process of another user or container",
    ),
    "master-port-taken": (
        lambda made: made.sockets((29501, "0A", 31)).environment.update(MASTER_PORT="29501"),
        "ports",
        PROBLEM,
        "MASTER_PORT: 29501 is used",
    ),
    "chief-port-taken": (
        lambda made: made.sockets((7000, "0A", 31)).environment.update(CM_CHIEF_PORT="7000"),
        "ports",
        PROBLEM,
        "CM_CHIEF_PORT: 7000 is used",
    ),
    "port-just-closed": (
        lambda made: made.sockets((60003, "06", 0)),
        "ports",
        OK,
        "HCCL: 60000 to 60015 free",
    ),
    "other-base-port": (
        lambda made: made.sockets((50007, "0A", 3)).environment.update(HCCL_IF_BASE_PORT="50000"),
        "ports",
        PROBLEM,
        "HCCL (HCCL_IF_BASE_PORT): 50007 is used",
    ),
    "range-of-ports": (
        lambda made: made.environment.update(HCCL_HOST_SOCKET_PORT_RANGE="61000-61050"),
        "ports",
        OK,
        "HCCL (HCCL_HOST_SOCKET_PORT_RANGE): 61000 to 61050 free",
    ),
    "ports-not-reserved": (
        lambda made: made.file("/proc/sys/net/ipv4/ip_local_reserved_ports", "\n"),
        "ports",
        WARNING,
        "the system may assign 60000 to 60015 to any program",
    ),
    # left-over processes
    "orphan-with-a-device": (
        lambda made: made.process(77, *RANK, files=("/dev/null", "/dev/davinci1")),
        "left-over processes",
        PROBLEM,
        "process 77 (/env/bin/python -u train.py --epochs 3) holds device 1, and its launcher",
    ),
    "orphan-that-was-a-rank": (
        lambda made: made.process(77, *RANK, RANK_ID="3"),
        "left-over processes",
        WARNING,
        "was started as a rank, and its launcher has exited",
    ),
    "orphan-whose-parent-is-unknown": (
        lambda made: made.process(77, *RANK, parent=76, ASCEND_DEVICE_ID="3"),
        "left-over processes",
        WARNING,
        "was started as a rank",
    ),
    "orphan-of-a-user-session": (
        lambda made: made.process(9, "/lib/systemd/systemd", "--user").process(
            77, *RANK, parent=9, files=("/dev/davinci0",)
        ),
        "left-over processes",
        PROBLEM,
        "holds device 0, and its launcher has exited",
    ),
    "orphan-in-a-container": (
        lambda made: made.process(1, "/usr/bin/agent", parent=0).process(
            77, *RANK, files=("/dev/davinci0",)
        ),
        "left-over processes",
        PROBLEM,
        "holds device 0, and its launcher has exited",
    ),
    "training-that-the-container-started": (
        lambda made: made.process(1, "/bin/bash", "run.sh", parent=0).process(
            77, *RANK, files=("/dev/davinci0",)
        ),
        "left-over processes",
        WARNING,
        "holds device 0: a training is running",
    ),
    "training-whose-parent-is-hidden": (
        lambda made: shutil.rmtree(
            made.process(77, *RANK, parent=70, files=("/dev/davinci0",)).root / "proc/1"
        ),
        "left-over processes",
        WARNING,
        "holds device 0: a training is running",
    ),
    "training-with-its-launcher": (
        lambda made: made.process(70, *TORCHRUN).process(
            77, *RANK, parent=70, files=("/dev/davinci0", "/dev/davinci1"), RANK_ID="0"
        ),
        "left-over processes",
        WARNING,
        "holds device 0, 1: a training is running",
    ),
    "other-user": (
        lambda made: made.process(77, *RANK, readable=False),
        "left-over processes",
        NOT_SEEN,
        "1 Python process of other users cannot be read",
    ),
    # disk
    "no-space-for-logs": (
        lambda made: made.space("/home/me", 200 << 20),
        "disk",
        PROBLEM,
        "logs (/home/me/ascend/log): 0.2 GB free",
    ),
    "little-space-where-logs-were-moved": (
        lambda made: made.space("/logs", 5 << 30).environment.update(
            ASCEND_PROCESS_LOG_PATH="/logs"
        ),
        "disk",
        WARNING,
        "logs (/logs): 5.0 GB free",
    ),
    "core-dump": (
        lambda made: made.file("/job/core.12345", "x" * (2 << 20)),
        "disk",
        WARNING,
        "1 core dump in /job: core.12345",
    ),
    "core-dumps-to-come": (
        lambda made: made.limits(core="unlimited"),
        "disk",
        WARNING,
        "each rank that crashes writes a core dump",
    ),
    # limits
    "few-open-files": (
        lambda made: made.limits(files="1024"),
        "limits",
        WARNING,
        "open files: 1024",
    ),
    "little-locked-memory": (
        lambda made: made.limits(locked="65536"),
        "limits",
        WARNING,
        "locked memory: 65536 bytes",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_change_and_what_is_said(made: Made, case: str) -> None:
    build, subject, state, part = CASES[case]
    build(made.ready())
    said = [
        (each.state, each.text)
        for each in reported(made, *ObservationState)
        if each.subject == subject
    ]
    found = [text for found_state, text in said if found_state is state and part in text]
    assert len(found) == 1, said


@pytest.mark.parametrize("case", CASES)
def test_every_warning_and_problem_says_what_to_do(made: Made, case: str) -> None:
    CASES[case][0](made.ready())
    assert [each for each in reported(made, WARNING, PROBLEM) if not each.advice] == []


NO_PROBLEM: dict[str, Build] = {
    "a-python-that-does-not-train": lambda made: made.process(9, "/usr/bin/python3", "backup.py"),
    "a-rank-that-has-ended": lambda made: made.process(9, *RANK, state="Z", RANK_ID="0"),
    "a-shell-with-a-rank": lambda made: made.process(9, "/bin/bash", RANK_ID="0"),
    "the-doctor-in-a-rank": lambda made: made.process(4242, *RANK, RANK_ID="0"),
    "what-started-the-doctor": lambda made: made.process(
        4242, "python", "-m", "ascendify", parent=9
    ).process(9, *RANK, RANK_ID="0"),
    "older-launch-scripts": lambda made: (
        made.environment.pop("ASCEND_HOME_PATH"),
        made.file("/usr/local/Ascend/opp/x").environment.update(
            ASCEND_OPP_PATH="/usr/local/Ascend/opp",
            LD_LIBRARY_PATH="/usr/local/Ascend/nnae/latest/fwkacllib/lib64",
        ),
    ),
    "process-that-npu-smi-names": lambda made: made.npu_smi(
        a2_info(used="31877", processes=A_PROCESS)
    ),
    "a-published-compatible-pair": lambda made: made.python(
        torch="2.1.0", torch_npu="2.1.0.post10"
    ),
    "torch-beside-tensorflow-that-trains": lambda made: made.python(
        "3.7.5", torch="1.11.0", tensorflow="1.15.0", npu_bridge="1.15.0"
    ),
    "tensorflow-beside-torch-that-trains": lambda made: made.python(
        torch="2.1.0", torch_npu="2.1.0.post13", tensorflow="2.15.1"
    ),
    "a-folder-called-core": lambda made: made.file("/job/core/__init__.py", "x" * (2 << 20)),
}


@pytest.mark.parametrize("case", NO_PROBLEM)
def test_nothing_is_said_against(made: Made, case: str) -> None:
    NO_PROBLEM[case](made.ready())
    assert reported(made, WARNING, PROBLEM) == []


@pytest.mark.parametrize(
    ("files", "home", "version"),
    [
        pytest.param(
            {"ascend-toolkit/latest/version.cfg": "toolkit_running_version=[7.6.0.1.220:8.0.0]\n"},
            "ascend-toolkit/latest",
            "8.0.0",
            id="version-file",
        ),
        pytest.param(
            {
                "ascend-toolkit/latest/version.cfg": "toolkit_installed_version="
                "[7.0.0.5.242:7.0.RC1][7.3.0.1.231:8.0.RC2]\n"
            },
            "ascend-toolkit/latest",
            "8.0.RC2",
            id="newest-of-several",
        ),
        pytest.param(
            {"cann/x86_64-linux/ascend_toolkit_install.info": "version=8.5.0\n"},
            "cann",
            "8.5.0",
            id="new-layout",
        ),
        pytest.param(
            {"nnae/latest/ascend_nnae_install.info": "version=5.1.RC1\n"},
            "nnae/latest",
            "5.1.RC1",
            id="engine-only",
        ),
        pytest.param(
            {"ascend-toolkit/latest/opp/x": ""}, "ascend-toolkit/latest", None, id="not-reported"
        ),
    ],
)
def test_where_releases_are_written(
    made: Made, files: dict[str, str], home: str, version: str | None
) -> None:
    for name, text in files.items():
        made.file(f"/usr/local/Ascend/{name}", text)
    assert examine(made.machine).installed["cann"] == [
        {"folder": f"/usr/local/Ascend/{home}", "version": version, "used": False}
    ]


def test_two_releases_in_one_shell(made: Made) -> None:
    made.ready().file(
        "/usr/local/Ascend/cann/x86_64-linux/ascend_ops_install.info", "version=8.5.0"
    )
    made.environment["LD_LIBRARY_PATH"] = (
        "/usr/local/Ascend/ascend-toolkit/latest/lib64:/usr/local/Ascend/cann/lib64"
    )
    assert [each.text for each in reported(made, WARNING)] == [
        "LD_LIBRARY_PATH names libraries of 8.2.RC1 and 8.5.0"
    ]


@pytest.mark.parametrize(
    ("text", "driver", "hardware", "chips"),
    [
        (a2_info(), "24.1.rc3", "910B", [(0, 0, "910B3", 3379), (1, 0, "910B3", 3385)]),
        (A3_INFO, "25.0.rc1.1", "A3", [(0, 0, "Ascend910", 3416), (0, 1, "Ascend910", 3191)]),
        (OLD_INFO, "20.0.0", "910A", [(0, 0, "910A", 2654)]),
        ("nothing like a table", "", None, []),
        ("| 0 | 1 |\n| x |\n|||||\n", "", None, []),
    ],
    ids=["A2", "A3", "910A", "no-table", "broken-table"],
)
def test_tables_of_npu_smi(
    text: str, driver: str, hardware: str | None, chips: list[tuple[int, int, str, int]]
) -> None:
    table = npu_smi.parse(text)
    found = [(chip.npu, chip.chip, chip.name, chip.used_mb) for chip in table.chips]
    assert (table.driver, table.hardware, found) == (driver, hardware, chips)


def test_an_npu_smi_that_hangs(made: Made) -> None:
    def hangs(
        command: Sequence[str], environment: Mapping[str, str], patience: float
    ) -> CommandResult:
        if command[0].endswith("npu-smi"):
            return CommandResult(None, failure=f"npu-smi did not answer within {patience:.0f} s")
        return run(command, environment, patience)

    seen = examine(replace(made.ready().machine, runner=hangs)).observations
    assert [each.text for each in seen if each.state is PROBLEM] == [
        "npu-smi failed: npu-smi did not answer within 20 s"
    ]


def test_a_port_of_hccl_matters_where_there_are_npus(made: Made) -> None:
    made.real_python().sockets((60003, "0A", 31))
    assert [each.subject for each in reported(made, PROBLEM)] == []
    assert [each.subject for each in reported(made, WARNING)] == ["ports"]


def test_processes_of_npu_smi() -> None:
    (holder,) = npu_smi.parse(a2_info(processes=A_PROCESS)).holders
    assert (holder.npu, holder.pid, holder.name) == (1, 632268, "python3.1")


def test_the_hardware_decides_which_values_are_allowed(made: Made) -> None:
    made.ready().environment["HCCL_EXEC_TIMEOUT"] = "20400"
    assert reported(made, WARNING, PROBLEM) == []
    made.npu_smi(OLD_INFO)
    assert [each.text for each in reported(made, PROBLEM)] == [
        'HCCL_EXEC_TIMEOUT: must be a whole number from 1 to 17340 seconds, found "20400"'
    ]


def test_a_real_interpreter_is_requested(made: Made, tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in ("torch-2.1.0+cpu.dist-info", "torch_npu-2.1.0.post13.dist-info", "npu_bridge"):
        (site / name).mkdir(parents=True)
    (site / "npu_bridge" / "__init__.py").write_text("raise SystemExit('imported')")
    made.real_python().environment["PYTHONPATH"] = str(site)
    seen = examine(made.machine).installed
    assert seen["python"]["version"].startswith("3.")
    packages = {name: seen["packages"].get(name) for name in ("torch", "torch_npu", "npu_bridge")}
    assert packages == {"torch": "2.1.0+cpu", "torch_npu": "2.1.0.post13", "npu_bridge": ""}


def test_tensorflow_is_reported_once_under_the_name_of_its_build(
    made: Made, tmp_path: Path
) -> None:
    for name in ("tensorflow_cpu-2.15.1.dist-info", "tensorflow"):
        (tmp_path / "site" / name).mkdir(parents=True)
    (tmp_path / "site/tensorflow/__init__.py").write_text("")
    made.real_python().environment["PYTHONPATH"] = str(tmp_path / "site")
    packages = examine(made.machine).installed["packages"]
    assert {name for name in packages if name.startswith("tensorflow")} == {"tensorflow_cpu"}


def test_commands_that_hang_are_ended_with_their_children(tmp_path: Path) -> None:
    script = tmp_path / "hang"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/child\nwait\n")
    script.chmod(0o755)
    ran = run((str(script),), os.environ, patience=4.0)
    assert (ran.code, ran.failure) == (None, "hang did not answer within 4 s")
    child = int((tmp_path / "child").read_text())
    assert wait_until(lambda: not _lives(child))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


def test_a_command_that_does_not_start(tmp_path: Path) -> None:
    ran = run((str(tmp_path / "none"),), {}, patience=5.0)
    assert ran.code is None
    assert "does not start: No such file" in ran.failure


@pytest.mark.parametrize(
    ("published", "found", "same"),
    [
        ("8.0.RC2", "8.0.RC2", True),
        ("8.0.RC2", "8.0.rc2.1", True),
        ("8.0.0", "8.0.0.beta1", True),
        ("9.1", "9.1.3", True),
        ("8.0.RC1", "8.0.RC10", False),
        ("8.0.0", "8.0.RC1", False),
        ("1.15", "1.15.0", True),
        ("25.0", "25.0.rc1.1", True),
    ],
)
def test_releases_and_their_patches(published: str, found: str, same: bool) -> None:
    assert covers(published, found) is same


def test_this_very_machine_can_be_looked_at() -> None:
    seen = examine(Machine())
    assert seen.count(OK) > 0
    assert sum(map(seen.count, ObservationState)) == len(seen.observations)
