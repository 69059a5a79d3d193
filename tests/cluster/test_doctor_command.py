"""``ascendify doctor``: what it prints, what it tells the shell, what machines read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import ascendify.cluster.doctor
from ascendify.cli import main
from support.made_machine import Made


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """The machine the command looks at."""
    made = Made(tmp_path)
    monkeypatch.setattr(ascendify.cluster.doctor, "Machine", lambda: made.machine)
    return made


def test_a_ready_machine(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.ready()
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "driver and firmware",
        "  ok        driver 24.1.rc3",
        "  ok        firmware 7.5.0.1.129",
    ]
    assert lines[-1] == "20 ok, 0 warning, 0 problem, 0 not seen"


def test_warnings_are_no_failure(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.ready().environment["NCCL_DEBUG"] = "INFO"
    assert main(["doctor"]) == 0
    assert "1 warning, 0 problem" in capsys.readouterr().out


def test_problems_come_with_what_to_do(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.ready().process(77, "/env/bin/python", "train.py", files=("/dev/davinci0",))
    assert main(["doctor", "--quiet"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "left-over processes",
        "  problem   process 77 (/env/bin/python train.py) holds device 0, and its launcher "
        "has exited",
        "            -> kill 77; if it stays, kill -9 77; then wait ten seconds",
        "",
        "19 ok, 0 warning, 1 problem, 0 not seen",
    ]


def test_nothing_that_was_read_steers_the_terminal(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    made.ready().command("npu-smi", "printf 'no \\033[2Jdriver\\n'; exit 1")
    assert main(["doctor"]) == 1
    assert "npu-smi failed: no  [2Jdriver\n" in capsys.readouterr().out


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--require-npu"], 1)])
def test_a_machine_without_an_npu(
    made: Made, options: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    made.real_python()
    assert main(["doctor", *options]) == code
    assert "not seen  no NPU" in capsys.readouterr().out


def test_for_machines(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.ready().limits(files="1024")
    assert main(["doctor", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["counts"] == {"ok": 19, "warning": 1, "problem": 0, "not seen": 0}
    assert document["installed"] == {
        "driver": "24.1.rc3",
        "firmware": "7.5.0.1.129",
        "cann": [
            {
                "folder": "/usr/local/Ascend/ascend-toolkit/latest",
                "version": "8.2.RC1",
                "used": True,
            }
        ],
        "python": {"program": "/env/bin/python", "version": "3.10.12"},
        "packages": {"torch": "2.1.0+cpu", "torch_npu": "2.1.0.post13", "numpy": "1.26.4"},
        "hardware": "910B",
        "devices": [0, 1],
    }
    (warning,) = [each for each in document["observations"] if each["state"] == "warning"]
    assert warning["subject"] == "limits"
    assert warning["advice"].startswith("ulimit -n")


def test_this_machine_as_a_shell_runs_it(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "ascendify", "doctor", "--python", str(tmp_path / "none"))
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (result.returncode, result.stderr) == (1, "")
    assert f"{tmp_path}/none could not be queried" in result.stdout
