"""Launching with Ray: real processes on a cluster of two servers that declare devices."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import ascendify
from support.launches import PATIENCE, PYTHON, in_time, logs
from support.processes import is_alive, processes_in, wait_until

SUPPORT = Path(__file__).parents[1] / "support"

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None, reason="needs Ray (pip install 'ascendify[ray]')"
    ),
    pytest.mark.xdist_group("ray"),
]


@contextlib.contextmanager
def started_cluster() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    running = subprocess.Popen(
        (PYTHON, str(SUPPORT / "ray_cluster.py")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
        text=True,
    )
    assert running.stdout is not None
    try:
        yield running.stdout.readline().strip(), running
    finally:
        running.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two servers, with two devices each."""
    with started_cluster() as (address, _):
        assert address
        yield address


def arguments_for(address: str, *arguments: str) -> tuple[str, ...]:
    options = ("-e", "ray", "-O", f"address={address}", "--log-dir", "logs")
    return ("launch", *options, *arguments)


def launch(folder: Path, address: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ascendify(*arguments_for(address, *arguments), cwd=folder)


def started(folder: Path, address: str, *arguments: str) -> subprocess.Popen[str]:
    command = (PYTHON, "-m", "ascendify", *arguments_for(address, *arguments))
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)


def script(folder: Path, source: str) -> tuple[str, ...]:
    (folder / "train.py").write_text(source, encoding="utf-8")
    return "--", PYTHON, "train.py"


TWO = ("--servers", "2", "-n", "2")
REPORT = """
import json, os
names = ("RANK_ID", "RANK_SIZE", "LOCAL_RANK", "GROUP_RANK", "DEVICE_ID", "MASTER_ADDR",
         "RANK_TABLE_FILE", "OMP_NUM_THREADS", "ASCEND_RT_VISIBLE_DEVICES", "MINE")
print(json.dumps({**{name: os.environ.get(name) for name in names}, "folder": os.getcwd()}))
"""


def test_ranks_on_two_servers(tmp_path: Path, cluster: str) -> None:
    hccn = tmp_path / "hccn.conf"
    hccn.write_text("address_0=29.1.1.1\naddress_1=29.1.1.2\n")
    arguments = (*TWO, "-O", f"hccn={hccn}", "--env", "MINE=a 'b' $c")
    ended = launch(tmp_path, cluster, *arguments, *script(tmp_path, REPORT))
    assert ended.returncode == 0, ended.stderr
    reported = [json.loads(text) for text in logs(tmp_path).values()]
    assert [each["RANK_ID"] for each in reported] == list("0123")
    assert [each["GROUP_RANK"] for each in reported] == list("0011")
    assert [each["DEVICE_ID"] for each in reported] == list("0101")
    assert {each["MASTER_ADDR"] for each in reported} == {cluster.partition(":")[0]}
    assert {each["MINE"] for each in reported} == {"a 'b' $c"}
    assert {each["folder"] for each in reported} == {str(tmp_path)}
    # what Ray sets for its own workers is not for the ranks
    assert {each["OMP_NUM_THREADS"] for each in reported} == {None}
    assert json.loads(ended.stdout) == reported[0]
    table = json.loads((tmp_path / "logs" / "rank_table.json").read_text())
    assert table["server_list"][1]["device"][1] == {
        "device_id": "1",
        "rank_id": "3",
        "device_ip": "29.1.1.2",
    }


PRINTS = """
import os, sys
for number in range(20000):
    print(os.environ["RANK_ID"], number, "x" * 50)
sys.stdout.flush()
sys.stdout.buffer.write(b"\\xff no end of line")
"""


def test_no_output_is_lost(tmp_path: Path, cluster: str) -> None:
    ended = launch(tmp_path, cluster, *TWO, "-q", *script(tmp_path, PRINTS))
    assert ended.returncode == 0, ended.stderr
    for rank in range(4):
        expected = "".join(f"{rank} {number} {'x' * 50}\n" for number in range(20000))
        found = (tmp_path / "logs" / f"rank-{rank}.log").read_bytes()
        assert found == expected.encode() + b"\xff no end of line"


FAMILY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open("processes", "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
while len(open("processes").readlines()) < 4:
    time.sleep(0.01)
"""
FAILS = (
    FAMILY
    + """
if os.environ["RANK_ID"] == "2":
    raise ValueError("the data of rank 2 are bad")
time.sleep(600)
"""
)
WAITS = FAMILY + "time.sleep(600)\n"


def test_the_first_failure_ends_all(tmp_path: Path, cluster: str) -> None:
    ended = launch(tmp_path, cluster, *TWO, *script(tmp_path, FAILS))
    assert ended.returncode == 3, ended.stderr
    assert "ValueError: the data of rank 2 are bad" in ended.stderr
    assert "error: rank 2 on " in ended.stderr
    assert "exit code 1; the others were stopped" in ended.stderr
    assert wait_until(lambda: not any(map(is_alive, processes_in(tmp_path / "processes"))))


KILLED = """
import os, signal, time
if os.environ["RANK_ID"] == "3":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(600)
"""


def test_a_rank_that_is_killed(tmp_path: Path, cluster: str) -> None:
    ended = launch(tmp_path, cluster, *TWO, *script(tmp_path, KILLED))
    assert ended.returncode == 3, ended.stderr
    assert "error: rank 3 on " in ended.stderr
    assert "SIGKILL" in ended.stderr


def test_a_command_that_is_not_there(tmp_path: Path, cluster: str) -> None:
    ended = launch(tmp_path, cluster, *TWO, "--", "no-such-program")
    assert ended.returncode == 3
    assert "cannot start no-such-program" in ended.stdout + ended.stderr


RESUMES = """
import os
print("attempt", os.environ["ASCENDIFY_RESTARTS"])
if os.environ["RANK_ID"] == "1" and os.environ["ASCENDIFY_RESTARTS"] == "0":
    raise SystemExit("a device was lost")
"""


def test_a_job_is_started_again(tmp_path: Path, cluster: str) -> None:
    arguments = (*TWO, "--max-restarts", "1", *script(tmp_path, RESUMES))
    ended = launch(tmp_path, cluster, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert set(logs(tmp_path).values()) == {"attempt 1\n"}
    assert "a device was lost" in (tmp_path / "logs/attempt-1/rank-1.log").read_text()


LISTENS = """
import os, signal, sys, time
def reported(number, frame):
    time.sleep(0.3)
    print("saved", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, reported)
open("began-" + os.environ["RANK_ID"], "w").close()
time.sleep(600)
"""


def test_the_time_is_up(tmp_path: Path, cluster: str) -> None:
    command = script(tmp_path, LISTENS)
    ended = in_time(
        tmp_path, 4, lambda most: launch(tmp_path, cluster, *TWO, "--timeout", most, *command)
    )
    assert ended.returncode == 4, ended.stderr
    assert set(logs(tmp_path).values()) == {"saved\n"}


STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open("processes", "a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("source", "count", "signals"),
    [
        (WAITS, 8, [signal.SIGINT]),
        (WAITS, 8, [signal.SIGTERM]),
        # ranks that do not listen are given a time; a second interruption ends the kindness
        (STUBBORN, 4, [signal.SIGINT, signal.SIGINT]),
        # nobody is left to stop them but the servers themselves
        (WAITS, 8, [signal.SIGKILL]),
    ],
)
def test_interruptions_leave_nothing(
    tmp_path: Path, cluster: str, source: str, count: int, signals: list[int]
) -> None:
    arguments = (*TWO, "--grace", "20", "-q", *script(tmp_path, source))
    running = started(tmp_path, cluster, *arguments)
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == count)
    for number in signals:
        running.send_signal(number)
        time.sleep(0.3)
    running.communicate(timeout=PATIENCE)
    assert running.returncode in (130, 143, -signal.SIGKILL)
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


def test_notices_of_a_scheduler_reach_the_ranks(tmp_path: Path, cluster: str) -> None:
    running = started(tmp_path, cluster, *TWO, "-q", *script(tmp_path, NOTICED))
    assert wait_until(lambda: len(list(tmp_path.glob("ready-*"))) == 4)
    running.send_signal(signal.SIGUSR1)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert set(logs(tmp_path).values()) == {f"reported {signal.SIGUSR1.value}\n"}


HOLDS = """
import os, time
open("ready-" + os.environ["RANK_ID"], "w").close()
while not os.path.exists("go"):
    time.sleep(0.05)
"""


def test_a_job_waits_for_whole_servers(tmp_path: Path, cluster: str) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    # one device of one server is enough to keep the other job from starting
    holding = started(first, cluster, "-n", "1", "-q", *script(first, HOLDS))
    assert wait_until((first / "ready-0").exists)
    waiting = started(second, cluster, *TWO, "-q", *script(second, REPORT))
    assert waiting.stderr is not None
    line = waiting.stderr.readline()
    assert line == (
        "warning: waiting for 2 servers with 2 NPUs and 2 cores; the cluster has 2, which others "
        "use\n"
    )
    assert not logs(second)
    (first / "go").touch()
    assert holding.wait(timeout=PATIENCE) == 0
    said = waiting.communicate(timeout=PATIENCE)[1]
    assert waiting.returncode == 0, said
    assert len(logs(second)) == 4
    holding.communicate()


def test_a_cluster_that_is_too_small(tmp_path: Path, cluster: str) -> None:
    arguments = ("--servers", "3", "-n", "2", "-O", "wait=3", *script(tmp_path, REPORT))
    ended = launch(tmp_path, cluster, *arguments)
    assert ended.returncode == 2
    assert "waiting for 3 servers with 2 NPUs and 2 cores; the cluster has 2\n" in ended.stderr
    assert "error: no servers after 3 s" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_files_that_ray_takes_along(tmp_path: Path, cluster: str) -> None:
    arguments = (*TWO, "-O", "upload=yes", *script(tmp_path, REPORT))
    ended = launch(tmp_path, cluster, *arguments)
    assert ended.returncode == 0, ended.stderr
    reported = [json.loads(text) for text in logs(tmp_path).values()]
    assert str(tmp_path) not in {each["folder"] for each in reported}


def test_a_server_that_is_lost(tmp_path: Path) -> None:
    with started_cluster() as (address, control):
        arguments = (*TWO, "--grace", "1", "-q", *script(tmp_path, WAITS))
        running = started(tmp_path, address, *arguments)
        marked = tmp_path / "processes"
        assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 8)
        assert control.stdin is not None
        control.stdin.write("lose\n")
        control.stdin.flush()
        said = running.communicate(timeout=PATIENCE)[1]
        assert running.returncode == 3, said
        assert "its server was lost" in said
        assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-O", "address=127.0.0.1:1"), "no Ray cluster at 127.0.0.1:1"),
        (("-O", "cpus=many"), "-O cpus=many is no number"),
        (("-O", "upload=1"), "say yes or no"),
        (("--hosts", "a:8"), "--hosts names servers"),
        (("--emulate",), "--emulate runs on this machine"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = launch(tmp_path, "127.0.0.1:1", *arguments, *script(tmp_path, REPORT))
    assert ended.returncode == 2, ended.stderr
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_ray(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['ray'] = None; "
    source = hidden + "from ascendify.cli import main; sys.exit(main())"
    ended = subprocess.run(
        (PYTHON, "-c", source, "launch", "-e", "ray", *script(tmp_path, REPORT)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "pip install 'ascendify[ray]'" in ended.stderr


def test_a_dry_run(tmp_path: Path) -> None:
    ended = launch(tmp_path, "head:6379", *TWO, "--dry-run", *script(tmp_path, REPORT))
    assert ended.returncode == 0, ended.stderr
    assert 'Ray cluster at head:6379: 2 servers, each with {"NPU": 2.0, "CPU": 2.0}' in ended.stdout
    assert not (tmp_path / "logs").exists()
