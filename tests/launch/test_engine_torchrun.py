"""``--engine torchrun``: the torchrun of a real PyTorch, on CPUs."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from support import launches
from support.launches import PATIENCE, logs, script
from support.processes import is_alive, processes_in, wait_until


def start(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    return launches.start(folder, "-e", "torchrun", *arguments, **variables)


def launch(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    variables = {"OMP_NUM_THREADS": "1", **variables}
    return launches.launch(folder, "-e", "torchrun", *arguments, **variables)


REPORT = """
import json, os, sys
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "RANK_ID", "JOB_ID", "TEXT")
print(json.dumps({name: os.environ.get(name) for name in names} | {"arguments": sys.argv[1:]}))
print("to the other stream", file=sys.stderr)
"""


@pytest.mark.parametrize(
    "form",
    ["{python} train.py", "{python} -u train.py", "{python} -O train.py", "{python} -m train"],
)
def test_ranks_of_this_machine(tmp_path: Path, preloaded_torch: str, form: str) -> None:
    script(tmp_path, REPORT)
    text = "a 'b' \"$c\" \\ é\nend"
    command = (*form.format(python=preloaded_torch).split(), "--epochs", text)
    arguments = ("-n", "2", "--name", "two", "--env", f"TEXT={text}", "-a")
    ended = launch(tmp_path, *arguments, "--", *command, RANK_ID="7")
    assert ended.returncode == 0, ended.stderr
    first = [json.loads(text.splitlines()[0]) for text in logs(tmp_path).values()]
    assert [each["RANK"] for each in first] == ["0", "1"]
    assert {each["WORLD_SIZE"] for each in first} == {"2"}
    assert {each["RANK_ID"] for each in first} == {None}
    assert {each["JOB_ID"] for each in first} == {"two"}
    assert {each["TEXT"] for each in first} == {text}
    assert all(each["arguments"] == ["--epochs", text] for each in first)
    # both streams of a rank are in its log, and nothing is left in folders of torchrun's naming
    assert all("to the other stream" in text for text in logs(tmp_path).values())
    assert "[1] to the other stream" in ended.stdout
    assert not [path for path in (tmp_path / "logs").iterdir() if path.is_dir()]
    assert "2 ranks finished" in ended.stderr


COLLECTIVE = """
import torch
import torch.distributed as dist
import torch_npu

dist.init_process_group("hccl")
x = torch.ones(3, device="npu") * (dist.get_rank() + 1)
dist.all_reduce(x)
print(x.tolist())
"""


def test_emulated_servers_work_together(tmp_path: Path, preloaded_torch: str) -> None:
    arguments = ("--servers", "2", "-n", "2", "--emulate", "--", preloaded_torch)
    ended = launch(tmp_path, *arguments, script(tmp_path, COLLECTIVE))
    assert ended.returncode == 0, ended.stderr
    assert list(logs(tmp_path).values()) == ["[10.0, 10.0, 10.0]\n"] * 4


FAILS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open("processes", "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
while len(open("processes").readlines()) < 2:
    time.sleep(0.01)
if os.environ["RANK"] == "1":
    END
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("end", "reported"),
    [
        ("raise ValueError('bad data')", "exit code 1"),
        ("os.kill(os.getpid(), 9)", "signal SIGKILL"),
    ],
)
def test_the_first_failure_ends_all(
    tmp_path: Path, torch_python: str, end: str, reported: str
) -> None:
    name = script(tmp_path, FAILS.replace("END", end))
    ended = launch(tmp_path, "-n", "2", "--", torch_python, name)
    assert ended.returncode == 3, ended.stderr
    assert "error: rank 1 failed first" in ended.stderr
    assert f"{reported}; the others were stopped" in ended.stderr
    assert ("ValueError: bad data" in ended.stderr) == ("ValueError" in end)
    # what torchrun itself prints about it is in a log of its own
    assert "ChildFailedError" not in ended.stderr
    marked = processes_in(tmp_path / "processes")
    assert len(marked) == 4
    assert wait_until(lambda: not any(map(is_alive, marked)))


RECORDED = """
import os, sys, time, traceback
from torch.distributed.elastic.multiprocessing.errors import record

rank = os.environ["RANK"]

def meet(name):
    open(name + "-" + rank, "w").close()
    while not all(os.path.exists(f"{name}-{each}") for each in range(3)):
        time.sleep(0.001)

@record
def main():
    meet("ready")
    # rank 2 has its error first, and is the last to end
    while rank != "2" and not os.path.exists("raised-2"):
        time.sleep(0.001)
    if rank != "2":
        time.sleep(1.1)  # error files have whole seconds
    raise ValueError("bad data of rank " + rank)

try:
    main()
except ValueError:
    traceback.print_exc()
    sys.stderr.flush()
    meet("raised")
    # at once, so that torchrun's monitor finds all of them ended when it looks
    os._exit(1)
"""


def test_error_files_tell_who_was_first(tmp_path: Path, torch_python: str) -> None:
    arguments = ("-n", "3", "-O", "arguments=--monitor-interval 3", "--", torch_python)
    ended = launch(tmp_path, *arguments, script(tmp_path, RECORDED))
    assert ended.returncode == 3, ended.stderr
    assert "ValueError: bad data of rank 2" in ended.stderr
    assert "error: rank 2 failed first" in ended.stderr


def test_a_job_is_started_again(tmp_path: Path, preloaded_torch: str) -> None:
    source = """
import os, time
count = os.environ["TORCHELASTIC_RESTART_COUNT"]
print("attempt", count, flush=True)
if os.environ["RANK"] == "1" and count == "0":
    raise SystemExit("a device was lost")
time.sleep(600 if count == "0" else 0)
"""
    arguments = (
        "-n",
        "2",
        "-a",
        "--max-restarts",
        "2",
        "--",
        preloaded_torch,
        script(tmp_path, source),
    )
    ended = launch(tmp_path, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert "torchrun starts again, 1 of 2" in ended.stderr
    assert set(logs(tmp_path).values()) == {"attempt 1\n"}
    assert "[1] attempt 0\n" in ended.stdout
    assert "[1] attempt 1\n" in ended.stdout
    before = (tmp_path / "logs" / "attempt-1" / "rank-1.log").read_text()
    assert "a device was lost" in before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_launch_is_ended(
    tmp_path: Path, torch_python: str, number: int
) -> None:
    source = FAILS.replace("END", "pass").replace(
        "import os", "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nimport os", 1
    )
    arguments = ("-n", "2", "--grace", "0.5", "--", torch_python, script(tmp_path, source))
    running = start(tmp_path, *arguments)
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 4)
    running.send_signal(number)
    running.communicate(timeout=PATIENCE)
    assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))


def test_ranks_that_hang(tmp_path: Path, torch_python: str) -> None:
    source = "import time\nprint('epoch 3, waiting', flush=True)\ntime.sleep(600)"
    command = (torch_python, script(tmp_path, source))
    reported = "rank 1: epoch 3, waiting"
    for seconds in ("8", "30", "120"):  # a slow machine needs more until its ranks have begun
        ended = launch(tmp_path, "-n", "2", "--timeout", seconds, "--", *command)
        assert ended.returncode == 4, ended.stderr
        if reported in ended.stderr:
            break
    assert reported in ended.stderr


def test_paths_with_anything_in_them(tmp_path: Path, preloaded_torch: str) -> None:
    project = tmp_path / 'it\'s a "$(touch hit)"\nproject'
    project.mkdir()
    name = script(project, "import os\nprint(os.getcwd())", "my train.py")
    ended = launch(project, "-n", "2", "--", preloaded_torch, name)
    assert ended.returncode == 0, ended.stderr
    assert set(logs(project).values()) == {f"{project}\n"}
    assert not list(tmp_path.rglob("hit"))


def test_one_of_several_servers_is_shown_in_a_dry_run(tmp_path: Path, torch_python: str) -> None:
    arguments = ("--hosts", "node1:8,node2:0+2", "--server", "1", "--port", "29501", "--dry-run")
    name = script(tmp_path, REPORT)
    ended = launch(
        tmp_path, *arguments, "--env", "TEXT=two\nlines", "--", torch_python, name, "it's"
    )
    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "logs").exists()
    shown = shlex.split(ended.stdout, comments=True)
    assert "ASCEND_RT_VISIBLE_DEVICES=0,2" in shown
    assert "TEXT=two\nlines" in shown
    options = dict(zip(shown, shown[1:]))
    reported = {
        "--nnodes": "2",
        "--nproc_per_node": "2",
        "--node_rank": "1",
        "--master_addr": "node1",
        "--master_port": "29501",
    }
    assert {name: options[name] for name in reported} == reported
    assert shown[-2:] == ["train.py", "it's"]


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("--", "torchrun", "train.py"), "torchrun"),
        (("--", "PYTHON", "-m", "torch.distributed.run", "train.py"), "so torchrun must not"),
        (("--", "PYTHON", "missing.py"), "missing.py does not exist"),
        (("--", "BARE", "train.py"), "has no PyTorch with torchrun"),
        (("-O", "arguments='open", "--", "PYTHON", "train.py"), "close every quote"),
        (("-O", "arguments=--no-such", "--", "PYTHON", "train.py"), "torchrun started no rank"),
        (("-O", "python=/none/python", "--", "PYTHON", "train.py"), "cannot start /none/python"),
        (("--hosts", "a:1,b:1", "--", "PYTHON", "train.py"), "say which this is with --server"),
        (
            ("--hosts", "a:1,b:1", "--server", "a", "--max-restarts", "1", "--", "PYTHON", "-V"),
            "do not restart together",
        ),
        (("--hosts", "-oProxyCommand=x:1", "--", "PYTHON", "-V"), "is not a valid server name"),
    ],
)
def test_mistakes_are_reported(
    tmp_path: Path,
    torch_python: str,
    bare_python: str,
    arguments: tuple[str, ...],
    reported: str,
) -> None:
    script(tmp_path, REPORT)
    interpreters = {"PYTHON": torch_python, "BARE": bare_python}
    given = (interpreters.get(argument, argument) for argument in arguments)
    ended = launch(tmp_path, *given)
    assert ended.returncode == 2, ended.stderr
    assert reported in ended.stderr
    assert "Traceback" not in ended.stderr
