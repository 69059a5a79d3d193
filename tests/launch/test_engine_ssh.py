"""``--engine ssh``: real ranks behind real ssh servers, which are this machine by other names."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ascendify.launch import remote
from support import launches
from support.launches import CORES, PATIENCE, PYTHON, logs, script, two_cores
from support.processes import expect_line, is_alive, processes_in, wait_until

pytest.importorskip("asyncssh", reason="asyncssh is the server of these tests")
pytestmark = pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh client")


SUPPORT = Path(__file__).parents[1] / "support"


@dataclass
class Servers:
    folder: Path
    process: subprocess.Popen[str]

    @property
    def config(self) -> str:
        return f"config={self.folder / 'config'}"

    def drop(self) -> None:
        """Cut all connections."""
        assert self.process.stdin is not None
        self.process.stdin.write("drop\n")
        self.process.stdin.flush()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    folder = tmp_path_factory.mktemp("servers")
    process = subprocess.Popen(
        (PYTHON, str(SUPPORT / "ssh_servers.py"), str(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    expect_line(process, "ready")
    yield Servers(folder, process)
    process.communicate(timeout=PATIENCE)


def options(servers: Servers, hosts: str) -> tuple[str, ...]:
    named = ("--hosts", hosts) if hosts else ()
    return ("-e", "ssh", "-O", servers.config, *named)


def start(
    servers: Servers, folder: Path, *arguments: str, hosts: str = "first:1,second:1"
) -> subprocess.Popen[str]:
    return launches.start(folder, *options(servers, hosts), *arguments)


def launch(
    servers: Servers, folder: Path, *arguments: str, hosts: str = "first:1,second:1"
) -> subprocess.CompletedProcess[str]:
    return launches.launch(folder, *options(servers, hosts), *arguments)


REPORT = """
import json, os
names = ("RANK_ID", "RANK_SIZE", "ASCEND_DEVICE_ID", "GROUP_RANK", "MASTER_ADDR", "TEXT", "HERE")
print(json.dumps({name: os.environ.get(name) for name in names}))
with open(os.environ["RANK_TABLE_FILE"]) as file:
    assert len(json.load(file)["server_list"]) == 2
"""


def test_ranks_of_two_servers(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERE", "what is set here is not set there")
    arguments = ("--env", "TEXT=a 'b' \"$c\" \\ é", "-a", "--", PYTHON, script(tmp_path, REPORT))
    ended = launch(servers, tmp_path, *arguments, hosts="first:2,second:2")
    assert ended.returncode == 0, ended.stderr
    reported = [json.loads(text) for text in logs(tmp_path).values()]
    assert [each["RANK_ID"] for each in reported] == list("0123")
    assert [each["ASCEND_DEVICE_ID"] for each in reported] == list("0101")
    assert [each["GROUP_RANK"] for each in reported] == list("0011")
    assert {each["TEXT"] for each in reported} == {"a 'b' \"$c\" \\ é"}
    assert {each["HERE"] for each in reported} == {None}
    # a name that only the ssh_config knows is of no use to ranks
    assert {each["MASTER_ADDR"] for each in reported} == {"127.0.0.1"}
    assert "[3] " in ended.stdout
    assert "4 ranks finished" in ended.stderr
    assert not list((tmp_path / "logs").glob("ssh-*"))


@two_cores
def test_ranks_have_cores_of_their_own(servers: Servers, tmp_path: Path) -> None:
    command = ("--", PYTHON, script(tmp_path, CORES))
    launch(servers, tmp_path, *command, hosts="first:2")
    first, second = (set(json.loads(text)) for text in logs(tmp_path).values())
    assert first
    assert not first & second
    launch(servers, tmp_path, "--no-bind-cores", *command, hosts="first:2")
    assert len({*logs(tmp_path).values()}) == 1


FAILS = """
import os, subprocess, sys, time
# one that would outlive its parent: in a session of its own, with output of its own
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


@pytest.mark.parametrize(
    ("end", "reported"),
    [
        ("raise ValueError('bad data')", "exit code 1"),
        ("os.kill(os.getpid(), 9)", "signal SIGKILL"),
        ("sys.exit(255)", "exit code 255"),
    ],
)
def test_the_first_failure_ends_all(
    servers: Servers, tmp_path: Path, end: str, reported: str
) -> None:
    ended = launch(servers, tmp_path, "--", PYTHON, script(tmp_path, FAILS.replace("END", end)))
    assert ended.returncode == 3
    assert "rank 1 on second failed first" in ended.stderr
    assert f"{reported}; the others were stopped" in ended.stderr
    assert ("ValueError: bad data" in ended.stderr) == ("ValueError" in end)
    marked = processes_in(tmp_path / "processes")
    assert len(marked) == 4
    assert wait_until(lambda: not any(map(is_alive, marked)))


WAITS = FAILS.replace("END", "pass")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_launch_is_ended(
    servers: Servers, tmp_path: Path, number: int
) -> None:
    running = start(servers, tmp_path, "--", PYTHON, script(tmp_path, WAITS))
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 4)
    running.send_signal(number)
    running.communicate(timeout=PATIENCE)
    assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))


def test_a_second_interruption_does_not_wait(servers: Servers, tmp_path: Path) -> None:
    source = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + WAITS
    arguments = ("--grace", "4", "--", PYTHON, script(tmp_path, source))
    running = start(servers, tmp_path, *arguments)
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 4)
    running.send_signal(signal.SIGINT)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    # the servers give their ranks the time they were promised, and then end them
    assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))


def test_a_lost_connection_is_reported_and_ends_the_ranks(servers: Servers, tmp_path: Path) -> None:
    running = start(servers, tmp_path, "--", PYTHON, script(tmp_path, WAITS))
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 4)
    servers.drop()
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 3
    assert "the connection to " in errors
    assert "hint: the network broke" in errors
    assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))


def test_an_agent_that_is_killed_leaves_nothing(servers: Servers, tmp_path: Path) -> None:
    source = WAITS.replace("time.sleep(600)\n", "open('agent', 'w').write(str(os.getppid()))\n")
    running = start(servers, tmp_path, "--", PYTHON, script(tmp_path, source + "time.sleep(600)\n"))
    agent, marked = tmp_path / "agent", tmp_path / "processes"
    assert wait_until(lambda: agent.exists() and agent.read_text() != "")
    os.kill(int(agent.read_text()), signal.SIGKILL)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 3
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


def test_notices_of_a_scheduler_reach_the_ranks(servers: Servers, tmp_path: Path) -> None:
    running = start(servers, tmp_path, "-q", "--", PYTHON, script(tmp_path, NOTICED))
    assert wait_until(lambda: len(list(tmp_path.glob("ready-*"))) == 2)
    running.send_signal(signal.SIGUSR1)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert set(logs(tmp_path).values()) == {f"reported {signal.SIGUSR1.value}\n"}


def test_a_job_is_started_again(servers: Servers, tmp_path: Path) -> None:
    source = """
import os
print("attempt", os.environ["ASCENDIFY_RESTARTS"])
if os.environ["RANK_ID"] == "1" and os.environ["ASCENDIFY_RESTARTS"] == "0":
    raise SystemExit("a device was lost")
"""
    arguments = ("--max-restarts", "3", "--", PYTHON, script(tmp_path, source))
    ended = launch(servers, tmp_path, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert "starting again, 1 of 3" in ended.stderr
    assert set(logs(tmp_path).values()) == {"attempt 1\n"}


def test_ranks_of_this_machine_and_a_script_to_source(servers: Servers, tmp_path: Path) -> None:
    source = "import os\nprint(os.environ['SOURCED'], 'SSH_HERE' in os.environ)"
    setup = tmp_path / "set env.sh"
    setup.write_text("export SOURCED=yes\n")
    arguments = ("-O", "here=first", "-O", f"setup={setup}", "--env", "SSH_HERE=1")
    ended = launch(servers, tmp_path, *arguments, "--", PYTHON, script(tmp_path, source))
    assert ended.returncode == 0, ended.stderr
    assert set(logs(tmp_path).values()) == {"yes True\n"}
    shown = launch(servers, tmp_path, *arguments, "--dry-run", "--", PYTHON, "train.py").stdout
    assert shown.count("ssh -T") == 1
    assert "-- second" in shown


@pytest.mark.parametrize(
    ("host", "reported"),
    [
        ("off", "Connection refused; no ssh server listens there"),
        ("locked", "Permission denied (publickey); put your key there"),
        ("new", "Host key verification failed; connect to it once by hand"),
        ("nowhere.invalid", "check the name, /etc/hosts and ~/.ssh/config"),
        ("bare", "there is no such Python"),
    ],
)
def test_a_server_that_cannot_be_used_is_reported_before_anything_starts(
    servers: Servers, tmp_path: Path, host: str, reported: str
) -> None:
    source = script(tmp_path, "open('started', 'w')")
    ended = launch(servers, tmp_path, "--", PYTHON, source, hosts=f"first:1,{host}:1")
    assert ended.returncode == 2
    assert "1 of 2 servers cannot run this job" in ended.stderr
    assert f"  {host}: " in ended.stderr
    assert reported in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("--", PYTHON, "missing.py"), "missing.py is missing in"),
        (("--project", "/none", "--", PYTHON, "-V"), "the folder /none is missing; copy"),
        (("--", "no-such-program"), "command not found: no-such-program"),
        (("--log-dir", "/proc/none", "--", PYTHON, "-V"), "cannot write to /proc/none"),
        (("-O", "setup=/none.sh", "--", PYTHON, "-V"), "/none.sh is missing"),
        (("-O", "python=/none/python", "--", PYTHON, "-V"), "-O python=PATH"),
        (("-O", "here=third", "--", PYTHON, "-V"), "-O here=third is none of the servers"),
        (("-O", "user=-oProxyCommand=x", "--", PYTHON, "-V"), "is no name of a user"),
        (("-O", "port=ssh", "--", PYTHON, "-V"), "-O port=ssh is no number"),
        (("-O", "silence=5", "--", PYTHON, "-V"), "less than a sign of life takes"),
        (("-O", "identity=none", "--", PYTHON, "-V"), "there is no such file"),
        (("-O", "ssh=/none/ssh", "--", PYTHON, "-V"), "there is no such program"),
        (("--emulate", "--", PYTHON, "-V"), "leave out --engine ssh"),
    ],
)
def test_mistakes_are_reported(
    servers: Servers, tmp_path: Path, arguments: tuple[str, ...], reported: str
) -> None:
    ended = launch(servers, tmp_path, *arguments)
    assert ended.returncode == 2, ended.stderr
    assert reported in ended.stderr
    assert "Traceback" not in ended.stderr


HOSTILE = [
    "-oProxyCommand=touch${IFS}hit",
    "user@-oProxyCommand=x",
    "a b",
    "a;touch hit",
    "$(touch hit)",
    "`touch hit`",
    "it's",
    'say "x"',
    "two\nlines",
    "",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_in_a_file_reaches_no_shell(
    servers: Servers, tmp_path: Path, name: str
) -> None:
    (tmp_path / "servers.json").write_text(json.dumps({"server": [{"host": name, "devices": 1}]}))
    ended = launch(servers, tmp_path, "--inventory", "servers.json", "--", PYTHON, "-V", hosts="")
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "hit").exists()


def test_a_hostile_name_in_a_rank_table(servers: Servers, tmp_path: Path) -> None:
    device = {"device_id": "0", "device_ip": "10.0.0.1", "rank_id": "0"}
    server = {"server_id": "-oProxyCommand=touch hit", "device": [device]}
    table = {"status": "completed", "version": "1.0", "server_count": "1", "server_list": [server]}
    (tmp_path / "table.json").write_text(json.dumps(table))
    ended = launch(servers, tmp_path, "--rank-table", "table.json", "--", PYTHON, "-V", hosts="")
    assert ended.returncode == 2, ended.stdout
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "hit").exists()


def test_paths_and_arguments_with_anything_in_them(servers: Servers, tmp_path: Path) -> None:
    project = tmp_path / 'it\'s a "$(touch hit)"\nproject'
    project.mkdir()
    source = script(project, "import os, sys\nprint(os.getcwd() + sys.argv[1])")
    argument = "`touch hit` 'x' \\ \n end"
    ended = launch(servers, project, "--", PYTHON, source, argument)
    assert ended.returncode == 0, ended.stderr
    assert set(logs(project).values()) == {f"{project}{argument}\n"}
    assert not list(tmp_path.rglob("hit"))


def test_a_dry_run_connects_to_nobody(servers: Servers, tmp_path: Path) -> None:
    arguments = ("--env", "TEXT=two\nlines", "--dry-run", "--", "python", "train.py", "it's")
    ended = launch(servers, tmp_path, *arguments, hosts="off:9,nowhere.invalid:1")
    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "logs").exists()
    commands = [line for line in ended.stdout.splitlines() if not line.startswith("#")]
    assert len(commands) == 11
    assert all(" -o BatchMode=yes " in line for line in commands[:-1])
    # more connections at once than a server takes come a moment later
    assert sum(line.startswith("sh -c") for line in commands) == 1
    checked = subprocess.run(("bash", "-n"), input=ended.stdout, text=True, check=False)
    assert checked.returncode == 0


def test_an_agent_that_hears_nothing_stops_its_rank(tmp_path: Path) -> None:
    source = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)"
    order = {
        "command": [PYTHON, script(tmp_path, source)],
        "project": str(tmp_path),
        "folder": str(tmp_path / "logs"),
        "files": {},
        "unset": [],
        "ranks": [{"rank": 0, "environment": {}}],
        "grace": 1,
        "bind": False,
        "silence": 1,
    }
    program = remote.agent().encode()
    running = subprocess.Popen(
        (PYTHON, "-c", "import sys; r = sys.stdin.buffer; exec(r.read(int(r.readline())))"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(b"%d\n%s%s\n" % (len(program), program, json.dumps(order).encode()))
    running.stdin.flush()
    rank = int(running.stdout.readline())
    # its input stays open, as that of a server whose network was cut without a word
    assert running.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    assert not is_alive(rank)
    running.stdin.close()
    running.stdout.close()


def test_the_agent_is_for_old_interpreters() -> None:
    for program in (remote.agent(), remote.text("probe.py")):
        ast.parse(program, feature_version=(3, 6))
        assert "annotations" not in program
