"""``ascendify launch`` as a user meets it: real processes, real logs, real signals."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ascendify.migrate.discovery import files
from ascendify.migrate.settings import load
from ascendify.migrate.survey import survey
from support.launches import CORES, PATIENCE, PYTHON, in_time, launch, logs, script, two_cores
from support.processes import is_alive, processes_in, wait_until

REPORT = """
import json, os, sys
names = ("RANK_ID", "RANK_SIZE", "ASCEND_DEVICE_ID", "LOCAL_RANK", "WORLD_SIZE", "JOB_ID")
print(json.dumps({name: os.environ.get(name) for name in names}))
"""


def test_every_rank_knows_its_place_and_has_a_log(tmp_path: Path) -> None:
    ended = launch(tmp_path, "-n", "4", "--name", "four", "--", PYTHON, script(tmp_path, REPORT))
    assert ended.returncode == 0, ended.stderr
    reported = [json.loads(text) for text in logs(tmp_path).values()]
    assert [each["RANK_ID"] for each in reported] == list("0123")
    assert {each["JOB_ID"] for each in reported} == {"four"}
    # rank 0 is shown while it runs, the others are in their logs
    assert json.loads(ended.stdout)["RANK_ID"] == "0"
    assert "4 ranks finished" in ended.stderr
    table = json.loads((tmp_path / "logs" / "rank_table.json").read_text())
    assert len(table["server_list"][0]["device"]) == 4


def test_logs_in_a_project_are_none_of_its_sources(tmp_path: Path) -> None:
    ended = launch(tmp_path, "--", PYTHON, script(tmp_path, REPORT))
    assert ended.returncode == 0, ended.stderr
    settings = load(tmp_path)
    (tmp_path / "logs" / "tool.py").write_text("import torch\n", encoding="utf-8")
    assert survey(settings, files(settings)).analysed == []


def test_a_folder_of_the_users_gets_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    launch(tmp_path, "--", PYTHON, script(tmp_path, REPORT))
    assert not (tmp_path / "logs" / ".gitignore").exists()


def test_one_of_several_servers(tmp_path: Path) -> None:
    arguments = ("--hosts", "10.0.0.1:2,10.0.0.2:2", "--server", "1", "-a")
    ended = launch(tmp_path, *arguments, "--", PYTHON, script(tmp_path, REPORT))
    assert ended.returncode == 0, ended.stderr
    assert sorted(logs(tmp_path)) == ["rank-2.log", "rank-3.log"]
    assert "[2] " in ended.stdout
    assert "[3] " in ended.stdout


FAILS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open("processes", "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
while len(open("processes").readlines()) < 4:
    time.sleep(0.01)
if os.environ["RANK_ID"] == "2":
    raise ValueError("the data of rank 2 are bad")
time.sleep(600)
"""


def test_the_first_failure_ends_all(tmp_path: Path) -> None:
    ended = launch(tmp_path, "-n", "4", "--", PYTHON, script(tmp_path, FAILS))
    assert ended.returncode == 3
    assert "ValueError: the data of rank 2 are bad" in ended.stderr
    assert "error: rank 2 failed first" in ended.stderr
    assert "exit code 1; the others were stopped" in ended.stderr
    assert not any(map(is_alive, processes_in(tmp_path / "processes")))


KILLED = """
import os, signal, time
if os.environ["RANK_ID"] == "1":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(600)
"""


def test_a_rank_that_is_killed(tmp_path: Path) -> None:
    ended = launch(tmp_path, "-n", "2", "--", PYTHON, script(tmp_path, KILLED))
    assert ended.returncode == 3
    assert "rank 1 failed first" in ended.stderr
    assert "SIGKILL" in ended.stderr


STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("epoch 3, waiting", flush=True)
with open("processes", "a") as file:
    file.write(f"{os.getpid()}\\n")
open("began-" + os.environ["RANK_ID"], "w").close()
time.sleep(600)
"""


def test_ranks_that_hang_and_do_not_listen(tmp_path: Path) -> None:
    command = ("--grace", "0.2", "--", PYTHON, script(tmp_path, STUBBORN))
    ended = in_time(
        tmp_path, 2, lambda most: launch(tmp_path, "-n", "2", "--timeout", most, *command)
    )
    assert ended.returncode == 4
    assert "rank 1: epoch 3, waiting" in ended.stderr
    assert not any(map(is_alive, processes_in(tmp_path / "processes")))


@pytest.mark.parametrize(("number", "times"), [(signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_interruptions_leave_nothing(tmp_path: Path, number: int, times: int) -> None:
    arguments = ("launch", "-n", "2", "--log-dir", "logs", "--grace", "30")
    running = subprocess.Popen(
        (PYTHON, "-m", "ascendify", *arguments, "--", PYTHON, script(tmp_path, STUBBORN)),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 2)
    running.send_signal(number)
    if times == 2:
        # ranks that do not listen are given a time; a second interruption ends the kindness
        time.sleep(0.3)
        running.send_signal(number)
    else:
        for process in processes_in(marked):
            os.kill(process, signal.SIGKILL)
    running.communicate(timeout=PATIENCE)
    assert running.returncode in (130, 143)
    assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))


NOTICED = """
import os, signal, time
def reported(number, frame):
    print("reported", number, flush=True)
    raise SystemExit(0)
signal.signal(signal.SIGUSR1, reported)
open("ready-" + os.environ["RANK_ID"], "w").close()
time.sleep(600)
"""


def test_notices_of_a_scheduler_reach_the_ranks(tmp_path: Path) -> None:
    arguments = ("launch", "-n", "2", "--log-dir", "logs", "-q")
    running = subprocess.Popen(
        (PYTHON, "-m", "ascendify", *arguments, "--", PYTHON, script(tmp_path, NOTICED)),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )
    assert wait_until(lambda: len(list(tmp_path.glob("ready-*"))) == 2)
    running.send_signal(signal.SIGUSR1)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert set(logs(tmp_path).values()) == {f"reported {signal.SIGUSR1.value}\n"}


RESUMES = """
import os
print("attempt", os.environ["ASCENDIFY_RESTARTS"])
if os.environ["RANK_ID"] == "1" and os.environ["ASCENDIFY_RESTARTS"] == "0":
    raise SystemExit("a device was lost")
"""


def test_a_job_is_started_again(tmp_path: Path) -> None:
    arguments = ("-n", "2", "--max-restarts", "3")
    ended = launch(tmp_path, *arguments, "--", PYTHON, script(tmp_path, RESUMES))
    assert ended.returncode == 0, ended.stderr
    assert "rank 1 failed (exit code 1); starting again, 1 of 3" in ended.stderr
    assert set(logs(tmp_path).values()) == {"attempt 1\n"}
    before = (tmp_path / "logs" / "attempt-1" / "rank-1.log").read_text()
    assert "a device was lost" in before


def test_restarts_come_to_an_end(tmp_path: Path) -> None:
    always = script(tmp_path, "raise SystemExit(9)")
    ended = launch(tmp_path, "--max-restarts", "2", "--", PYTHON, always)
    assert ended.returncode == 3
    assert "starting again, 2 of 2" in ended.stderr
    assert "exit code 9" in ended.stderr


def test_a_dry_run_is_what_a_shell_could_run(tmp_path: Path) -> None:
    arguments = ("-n", "2", "--name", "dry", "--env", "TEXT=a 'b' $c")
    reported = script(tmp_path, "import os\nprint(os.environ['RANK_ID'], os.environ['TEXT'])")
    ended = launch(tmp_path, *arguments, "--dry-run", "--", PYTHON, reported)
    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "logs").exists()
    (tmp_path / "logs").mkdir()
    subprocess.run(("bash", "-e"), input=ended.stdout, text=True, check=True, cwd=tmp_path)
    assert logs(tmp_path) == {"rank-0.log": "0 a 'b' $c\n", "rank-1.log": "1 a 'b' $c\n"}


@two_cores
def test_ranks_have_cores_of_their_own(tmp_path: Path) -> None:
    command = ("--", PYTHON, script(tmp_path, CORES))
    launch(tmp_path, "-n", "2", *command)
    first, second = (set(json.loads(text)) for text in logs(tmp_path).values())
    assert first
    assert not first & second
    launch(tmp_path, "-n", "2", "--no-bind-cores", *command)
    assert len({*logs(tmp_path).values()}) == 1


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("0.0.0.0", 0))
        held.listen()
        port = str(held.getsockname()[1])
        ended = launch(tmp_path, "-n", "2", "--port", port, "--", PYTHON, script(tmp_path, ""))
    assert ended.returncode == 2
    assert f"port {port} cannot be used" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no command to launch"),
        (("--", "no-such-program"), "command not found"),
        (("--", PYTHON, "missing.py"), "missing.py does not exist"),
        (("--log-dir", "/proc/none", "--", PYTHON, "-V"), "cannot write to /proc/none"),
        (("--timeout", "0", "--", PYTHON, "-V"), "over at once"),
        (("--max-restarts", "-1", "--", PYTHON, "-V"), "too few"),
        (("--rank-table", "none.json", "--", PYTHON, "-V"), "none.json"),
    ],
)
def test_mistakes_are_reported_in_two_lines(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    ended = launch(tmp_path, *arguments)
    assert ended.returncode == 2, ended.stderr
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stderr.count("\n") == 2


def test_many_ranks_start_run_and_stop(tmp_path: Path) -> None:
    arguments = ("--servers", "32", "-n", "8", "--server", "all")
    text = "echo $RANK_ID; echo $$ >> processes"
    ended = launch(tmp_path, *arguments, "--", "sh", script(tmp_path, text, "train.sh"))
    assert ended.returncode == 0, ended.stderr
    assert len(logs(tmp_path)) == 256
    assert not any(map(is_alive, processes_in(tmp_path / "processes")))


COLLECTIVE = """
import torch
import torch.distributed as dist
import torch_npu

dist.init_process_group("hccl")
torch.npu.set_device(dist.get_rank() % 2)
x = torch.ones(3, device="npu") * (dist.get_rank() + 1)
dist.all_reduce(x)
print(x.tolist(), x.device)
"""


def test_emulated_servers_work_together(tmp_path: Path, preloaded_torch: str) -> None:
    arguments = ("--servers", "2", "-n", "2", "--emulate", "--", preloaded_torch)
    ended = launch(tmp_path, *arguments, script(tmp_path, COLLECTIVE), OMP_NUM_THREADS="1")
    assert ended.returncode == 0, ended.stderr
    assert [text.split()[:3] for text in logs(tmp_path).values()] == [
        ["[10.0,", "10.0,", "10.0]"]
    ] * 4


FILLS = """
import sys
while True:
    print("x" * 1_000_000)
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that is soon full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=70m", "tmpfs", str(folder))
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can make a disk")
    yield folder
    subprocess.run(("umount", str(folder)), check=True)


def test_a_disk_that_is_full(tmp_path: Path, small_disk: Path) -> None:
    arguments = ("--log-dir", str(small_disk / "logs"), "-q")
    ended = launch(tmp_path, *arguments, "--", PYTHON, script(tmp_path, FILLS))
    assert ended.returncode == 3
    assert "is full, so logs may end early" in ended.stderr
    again = launch(tmp_path, *arguments, "--", PYTHON, script(tmp_path, "print('fine')"))
    # the logs of the job before went with it
    assert again.returncode == 0, again.stderr
    (small_disk / "data").write_bytes(b"x" * (10 << 20))
    refused = launch(tmp_path, *arguments, "--", PYTHON, script(tmp_path, "print('fine')"))
    assert refused.returncode == 2
    assert "MB left" in refused.stderr


DEVICE_LOST = """
import os, time
if os.environ["RANK_ID"] == "0":
    while not os.path.exists("lost"):
        time.sleep(0.01)
    print("EI0002: The wait execution of the Notify register times out.")
    raise SystemExit(1)
print("EJ0001: Failed to initialize the HCCP process. Reason: last training process is running.")
open("lost", "w").close()
raise SystemExit(1)
"""


def test_error_codes_are_explained_and_ranks_that_waited_in_vain_not_blamed(tmp_path: Path) -> None:
    ended = launch(tmp_path, "-n", "2", "--", PYTHON, script(tmp_path, DEVICE_LOST))
    assert ended.returncode == 3
    assert "rank 1 failed first" in ended.stderr
    assert "hint: EJ0001: " in ended.stderr


def test_variables_the_npu_would_refuse_are_reported(tmp_path: Path) -> None:
    command = ("--", PYTHON, script(tmp_path, ""))
    ended = launch(tmp_path, *command, HCCL_CONNECT_TIMEOUT="5")
    assert ended.returncode == 0
    assert "HCCL_CONNECT_TIMEOUT" in ended.stderr
    ended = launch(tmp_path, "--env", "HCCL_CONNECT_TIMEOUT=200", *command)
    assert "HCCL_CONNECT_TIMEOUT" not in ended.stderr
