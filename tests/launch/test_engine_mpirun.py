"""``--engine mpirun``: a real Open MPI, on this machine and on two that this one stands for."""

from __future__ import annotations

import ctypes
import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from support import launches
from support.commands import ascendify
from support.launches import CORES, PATIENCE, PYTHON, logs, script, two_cores
from support.processes import is_alive, processes_in, wait_until

pytestmark = pytest.mark.skipif(
    shutil.which("mpirun") is None, reason="there is no mpirun (Debian has it in openmpi-bin)"
)
HOSTS = ("--hosts", "10.99.0.1:1,10.99.0.2:1")
"""Two servers that nobody has: mpirun reaches them through a program that stays here."""
INSTEAD_OF_SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
export SERVER="$1"; shift
# a server has temporary files of its own
export TMPDIR="$(dirname "$0")/$SERVER"
mkdir -p "$TMPDIR"
exec sh -c "$*"
"""


def options(folder: Path, *arguments: str) -> tuple[str, ...]:
    reach = folder / "reach"
    reach.write_text(INSTEAD_OF_SSH)
    reach.chmod(0o755)
    through = ("-O", f"arguments=--mca plm_rsh_agent '{reach}'") if "--hosts" in arguments else ()
    return ("-e", "mpirun", *through, *arguments)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return launches.start(folder, *options(folder, *arguments))


def launch(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return launches.launch(folder, *options(folder, *arguments))


REPORT = """
import json, os
names = ("RANK_ID", "OMPI_COMM_WORLD_RANK", "ASCEND_DEVICE_ID", "SERVER", "TEXT")
print(json.dumps({name: os.environ.get(name) for name in names}))
with open(os.environ["RANK_TABLE_FILE"]) as file:
    json.load(file)
"""


def test_ranks_of_this_machine(tmp_path: Path) -> None:
    text = "a 'b' \"$c\" \\ é"
    arguments = ("-n", "4", "--env", f"TEXT={text}", "--", PYTHON, script(tmp_path, REPORT))
    ended = launch(tmp_path, *arguments)
    assert ended.returncode == 0, ended.stderr
    reported = [json.loads(text) for text in logs(tmp_path).values()]
    assert [each["RANK_ID"] for each in reported] == list("0123")
    assert [each["OMPI_COMM_WORLD_RANK"] for each in reported] == list("0123")
    assert {each["TEXT"] for each in reported} == {text}
    # rank 0 is shown while it runs
    assert json.loads(ended.stdout)["RANK_ID"] == "0"
    assert "4 ranks finished" in ended.stderr


def test_ranks_of_two_servers_are_where_the_plan_says(tmp_path: Path) -> None:
    arguments = ("--hosts", "10.99.0.2:1,10.99.0.1:2", "--", PYTHON, script(tmp_path, REPORT))
    ended = launch(tmp_path, *arguments)
    assert ended.returncode == 0, ended.stderr
    reported = [json.loads(text) for text in logs(tmp_path).values()]
    assert [each["SERVER"] for each in reported] == ["10.99.0.2", "10.99.0.1", "10.99.0.1"]
    assert [each["ASCEND_DEVICE_ID"] for each in reported] == ["0", "0", "1"]


@two_cores
def test_ranks_have_cores_of_their_own(tmp_path: Path) -> None:
    command = ("--", PYTHON, script(tmp_path, CORES))
    launch(tmp_path, "-n", "2", *command)
    first, second = (set(json.loads(text)) for text in logs(tmp_path).values())
    assert first
    assert not first & second
    launch(tmp_path, "-n", "2", "--no-bind-cores", *command)
    assert len({*logs(tmp_path).values()}) == 1


MPI = """
import ctypes
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
assert mpi.MPI_Init(None, None) == 0
world = ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))
rank, size = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(size))
mpi.MPI_Barrier(world)
print(rank.value, "of", size.value)
mpi.MPI_Finalize()
"""


def test_a_program_that_uses_mpi_itself(tmp_path: Path) -> None:
    try:
        ctypes.CDLL("libmpi.so.40")
    except OSError:
        pytest.skip("there is no libmpi.so.40")
    ended = launch(tmp_path, "-n", "2", "--", PYTHON, script(tmp_path, MPI))
    assert ended.returncode == 0, ended.stderr
    assert list(logs(tmp_path).values()) == ["0 of 2\n", "1 of 2\n"]


FAILS = """
import os, subprocess, sys, time
child = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)"],
    start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
)
with open("processes", "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
while len(open("processes").readlines()) < 2:
    time.sleep(0.01)
if os.environ["RANK_ID"] == "1":
    END
time.sleep(600)
"""


@pytest.mark.parametrize("where", [("-n", "2"), HOSTS], ids=["here", "servers"])
@pytest.mark.parametrize(
    ("end", "reported"),
    [
        ("raise ValueError('bad data')", "exit code 1"),
        ("os.kill(os.getpid(), 9)", "signal SIGKILL"),
    ],
)
def test_the_first_failure_ends_all(
    tmp_path: Path, where: tuple[str, ...], end: str, reported: str
) -> None:
    command = ("--", PYTHON, script(tmp_path, FAILS.replace("END", end)))
    ended = launch(tmp_path, *where, *command)
    assert ended.returncode == 3, ended.stderr
    name = "rank 1" if where != HOSTS else "rank 1 on 10.99.0.2"
    assert f"{name} failed first" in ended.stderr
    assert f"{reported}; the others were stopped" in ended.stderr
    assert ("ValueError: bad data" in ended.stderr) == ("ValueError" in end)
    marked = processes_in(tmp_path / "processes")
    assert len(marked) == 4
    assert wait_until(lambda: not any(map(is_alive, marked)))


WAITS = FAILS.replace("END", "pass")
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + WAITS


@pytest.mark.parametrize("where", [("-n", "2"), HOSTS], ids=["here", "servers"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_the_launch_is_ended(
    tmp_path: Path, where: tuple[str, ...], number: int
) -> None:
    arguments = (*where, "--grace", "1", "--", PYTHON, script(tmp_path, STUBBORN))
    running = start(tmp_path, *arguments)
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 4)
    running.send_signal(number)
    running.communicate(timeout=PATIENCE)
    assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))


def test_ranks_that_hang(tmp_path: Path) -> None:
    source = "print('epoch 3, waiting', flush=True)\n" + STUBBORN
    arguments = (
        "-n",
        "2",
        "--timeout",
        "8",
        "--grace",
        "0.5",
        "--",
        PYTHON,
        script(tmp_path, source),
    )
    ended = launch(tmp_path, *arguments)
    assert ended.returncode == 4, ended.stderr
    assert "rank 1: epoch 3, waiting" in ended.stderr
    assert wait_until(lambda: not any(map(is_alive, processes_in(tmp_path / "processes"))))


def test_a_server_that_is_lost(tmp_path: Path) -> None:
    source = FAILS.replace("END", "os.kill(int(open('daemon').read()), 9)")
    daemon = (
        "import os\n"
        "if os.environ['RANK_ID'] == '1':\n"
        "    agent = os.getppid()\n"
        "    parent = open(f'/proc/{agent}/stat').read().rpartition(')')[2].split()[1]\n"
        "    open('daemon', 'w').write(parent)\n"
    )
    ended = launch(tmp_path, *HOSTS, "--", PYTHON, script(tmp_path, daemon + source))
    assert ended.returncode == 3, ended.stderr
    assert "rank 1 on 10.99.0.2 failed first" in ended.stderr
    assert "lost communication" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert wait_until(lambda: not any(map(is_alive, processes_in(tmp_path / "processes"))))


def test_a_job_is_started_again(tmp_path: Path) -> None:
    source = """
import os
print("attempt", os.environ["ASCENDIFY_RESTARTS"])
if os.environ["RANK_ID"] == "1" and os.environ["ASCENDIFY_RESTARTS"] == "0":
    raise SystemExit("a device was lost")
"""
    arguments = (*HOSTS, "--max-restarts", "3", "--", PYTHON, script(tmp_path, source))
    ended = launch(tmp_path, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert "rank 1 failed (exit code 1); starting again, 1 of 3" in ended.stderr
    assert set(logs(tmp_path).values()) == {"attempt 1\n"}


def test_notices_of_a_scheduler_reach_the_ranks(tmp_path: Path) -> None:
    source = """
import os, signal, time
def reported(number, frame):
    print("reported", number, flush=True)
    raise SystemExit(0)
signal.signal(signal.SIGUSR1, reported)
open("ready-" + os.environ["RANK_ID"], "w").close()
time.sleep(600)
"""
    running = start(tmp_path, "-n", "2", "-q", "--", PYTHON, script(tmp_path, source))
    assert wait_until(lambda: len(list(tmp_path.glob("ready-*"))) == 2)
    running.send_signal(signal.SIGUSR1)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert set(logs(tmp_path).values()) == {f"reported {signal.SIGUSR1.value}\n"}


def test_paths_and_arguments_with_anything_in_them(tmp_path: Path) -> None:
    project = tmp_path / 'it\'s a "$(touch hit)"\nproject'
    project.mkdir()
    source = script(project, "import os, sys\nprint(os.getcwd() + sys.argv[1])")
    argument = "`touch hit` 'x' : \\ \n end"
    ended = launch(project, "-n", "2", "--", PYTHON, source, argument)
    assert ended.returncode == 0, ended.stderr
    assert set(logs(project).values()) == {f"{project}{argument}\n"}
    assert not list(tmp_path.rglob("hit"))


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("--hosts", "nowhere.invalid:1,b.invalid:1"), "mpirun must reach every server by ssh"),
        (("-O", "python=/none/python"), "-O python=PATH"),
        (("-O", "mpirun=/none/mpirun"), "/none/mpirun: there is no such program"),
        (("-O", "mpirun=true"), "true is not of Open MPI"),
        (("-O", "arguments='open"), "close every quote"),
        (("-O", "arguments=--no-such-option"), "mpirun started no rank"),
        (("--hosts", "fe80::1:1"), "is not a host with devices"),
        (("--hosts", "[fe80::1]:1"), "cannot be the name of a server for mpirun"),
        (("--hosts", "a;touch hit:1"), "no name of a server"),
    ],
)
def test_mistakes_are_reported(tmp_path: Path, arguments: tuple[str, ...], reported: str) -> None:
    ended = ascendify("launch", "-e", "mpirun", *arguments, "--", PYTHON, "-V", cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr
    assert reported in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "hit").exists()


@pytest.mark.parametrize(
    "name", ["-oProxyCommand=x", "a b", "it's", 'say "x"', "two\nlines", "x,y"]
)
def test_a_hostile_name_in_a_rank_table(tmp_path: Path, name: str) -> None:
    device = {"device_id": "0", "device_ip": "10.0.0.1", "rank_id": "0"}
    server = {"server_id": name, "device": [device]}
    table = {"status": "completed", "version": "1.0", "server_count": "1", "server_list": [server]}
    (tmp_path / "table.json").write_text(json.dumps(table))
    ended = launch(tmp_path, "--rank-table", "table.json", "--", PYTHON, "-V")
    assert ended.returncode == 2, ended.stdout
    assert "Traceback" not in ended.stderr


def test_a_dry_run_shows_the_command(tmp_path: Path) -> None:
    arguments = ("--env", "TEXT=two\nlines", "--dry-run", "--", PYTHON, "-V")
    ended = launch(tmp_path, *HOSTS, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "logs").exists()
    *_, last = ended.stdout.splitlines()
    assert " --host 10.99.0.1:1 -n 1 python3 " in last
    assert " : --host 10.99.0.2:1 -n 1 python3 " in last
    checked = subprocess.run(("bash", "-n"), input=ended.stdout, text=True, check=False)
    assert checked.returncode == 0


def test_emulated_ranks(tmp_path: Path, torch_python: Path) -> None:
    source = """
import torch
import torch.distributed as dist
import torch_npu

dist.init_process_group("hccl")
x = torch.ones(3, device="npu") * (dist.get_rank() + 1)
dist.all_reduce(x)
print(x.tolist())
"""
    arguments = ("--servers", "2", "-n", "1", "--emulate", "--", str(torch_python))
    ended = launch(tmp_path, *arguments, script(tmp_path, source))
    assert ended.returncode == 0, ended.stderr + str(logs(tmp_path))
    assert set(logs(tmp_path).values()) == {"[3.0, 3.0, 3.0]\n"}
