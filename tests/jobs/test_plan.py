"""The variables of every rank, by rank table, through a chief, alone, and when it starts others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ascendify.cluster import inventory, ranktable
from ascendify.errors import UsageError
from ascendify.jobs.environment import rank_environment
from ascendify.jobs.job import TABLE_FILE, JobRequest
from ascendify.jobs.plan import keep_search_path, plan
from ascendify.jobs.unset import SEARCH
from ascendify.launch.request import LaunchRequest, plan_job, ranks_here

COMMAND = ("python", "train.py")


def environments(tmp_path: Path, **options: object) -> list[dict[str, str]]:
    """The environments of the ranks of a job."""
    warned: list[str] = []
    job = LaunchRequest(COMMAND, project=tmp_path, folder=tmp_path / "logs", **options)  # type: ignore[arg-type]
    return [dict(rank.environment) for rank in plan_job(job, warned.append).ranks]


def test_a_lone_rank_is_no_job_of_several(tmp_path: Path) -> None:
    (rank,) = environments(tmp_path, name="one")
    assert rank == {
        "JOB_ID": "one",
        "RANK_ID": "0",
        "RANK_SIZE": "1",
        "ASCEND_DEVICE_ID": "0",
        "DEVICE_ID": "0",
    }


def test_eight_devices_of_one_server(tmp_path: Path) -> None:
    ranks = environments(tmp_path, devices="8", name="eight")
    assert [rank["RANK_ID"] for rank in ranks] == list("01234567")
    assert [rank["ASCEND_DEVICE_ID"] for rank in ranks] == list("01234567")
    assert {rank["RANK_SIZE"] for rank in ranks} == {"8"}
    assert {rank["WORLD_SIZE"] for rank in ranks} == {"8"}
    assert [rank["LOCAL_RANK"] for rank in ranks] == list("01234567")
    assert {rank["MASTER_ADDR"] for rank in ranks} == {"127.0.0.1"}
    assert len({rank["MASTER_PORT"] for rank in ranks}) == 1
    assert {rank["RANK_TABLE_FILE"] for rank in ranks} == {str(tmp_path / "logs" / TABLE_FILE)}
    assert {rank["HCCL_CONNECT_TIMEOUT"] for rank in ranks} == {"600"}
    assert not any("ASCEND_RT_VISIBLE_DEVICES" in rank for rank in ranks)


def test_some_devices_of_a_server_are_made_to_look_like_the_first(tmp_path: Path) -> None:
    ranks = environments(tmp_path, devices="4-7")
    assert [rank["DEVICE_ID"] for rank in ranks] == list("4567")
    assert [rank["ASCEND_DEVICE_ID"] for rank in ranks] == list("0123")
    assert [rank["LOCAL_RANK"] for rank in ranks] == list("0123")
    assert {rank["ASCEND_RT_VISIBLE_DEVICES"] for rank in ranks} == {"4,5,6,7"}


def test_two_servers(tmp_path: Path) -> None:
    ranks = environments(tmp_path, hosts="10.1.0.1:8,10.1.0.2:8")
    assert [int(rank["RANK"]) for rank in ranks] == list(range(16))
    assert [rank["LOCAL_RANK"] for rank in ranks] == [*"01234567", *"01234567"]
    assert [rank["GROUP_RANK"] for rank in ranks] == ["0"] * 8 + ["1"] * 8
    assert {rank["MASTER_ADDR"] for rank in ranks} == {"10.1.0.1"}
    assert {rank["MASTER_PORT"] for rank in ranks} == {"29500"}


def test_a_chief_instead_of_a_table(tmp_path: Path) -> None:
    ranks = environments(tmp_path, hosts="10.1.0.1:8,10.1.0.2:8", by_chief=True)
    for rank in ranks:
        assert rank["CM_CHIEF_IP"] == "10.1.0.1"
        assert rank["CM_WORKER_SIZE"] == "16"
        # the two ways exclude each other
        assert not {"RANK_ID", "RANK_SIZE", "RANK_TABLE_FILE"} & rank.keys()
    assert [rank["ASCEND_DEVICE_ID"] for rank in ranks] == [*"01234567", *"01234567"]


def test_a_command_that_starts_the_ranks_by_itself(tmp_path: Path) -> None:
    (rank,) = environments(tmp_path, devices="4", once=True, name="t")
    assert rank == {"JOB_ID": "t", "ASCEND_RT_VISIBLE_DEVICES": "0,1,2,3"}


def test_torchrun_is_such_a_command(tmp_path: Path) -> None:
    job = LaunchRequest(
        ("torchrun", "--nproc_per_node=4", "train.py"), devices="4", project=tmp_path
    )
    assert plan_job(job, print).size == 1


def test_variables_of_the_user_win(tmp_path: Path) -> None:
    ranks = environments(tmp_path, devices="2", variables=("HCCL_CONNECT_TIMEOUT=1200", "A=b=c"))
    assert {rank["HCCL_CONNECT_TIMEOUT"] for rank in ranks} == {"1200"}
    assert {rank["A"] for rank in ranks} == {"b=c"}


def test_words_of_an_earlier_job_are_not_passed_on(tmp_path: Path) -> None:
    job = plan(JobRequest(COMMAND, inventory.from_counts(1, 1), tmp_path, tmp_path / "logs"))
    base = {"RANK": "7", "CM_CHIEF_IP": "1.2.3.4", "POD_NAME": "x", "HOME": "/root"}
    found = rank_environment(job.ranks[0], base)
    assert not {"RANK", "CM_CHIEF_IP", "POD_NAME"} & found.keys()
    assert found["HOME"] == "/root"
    assert found["RANK_ID"] == "0"


def test_the_table_fits_the_ranks(tmp_path: Path) -> None:
    job = LaunchRequest(COMMAND, hosts="10.1.0.1:8,10.1.0.2:8", project=tmp_path, folder=tmp_path)
    made = plan_job(job, print)
    table = ranktable.read(made.table, "made").table
    assert [(each.rank, each.device) for each in table.placements] == [
        (rank.number, rank.device) for rank in made.ranks
    ]


@pytest.mark.parametrize("template", ["1.0", "2"])
def test_a_given_table_decides(tmp_path: Path, template: str) -> None:
    servers = inventory.from_counts(2, 4)
    text = ranktable.dump(ranktable.create(inventory.with_addresses(servers), template))
    path = tmp_path / "table.json"
    path.write_text(text, encoding="utf-8")
    ranks = environments(tmp_path, rank_table=path)
    # a rank of a table with pods would be named, where scripts expect a number
    assert [rank["RANK_ID"] for rank in ranks] == list("01234567")
    assert [rank["DEVICE_ID"] for rank in ranks] == [*"0123", *"0123"]


def test_the_plan_can_be_read_by_a_program(tmp_path: Path) -> None:
    made = plan_job(LaunchRequest(COMMAND, devices="2", project=tmp_path, folder=tmp_path), print)
    read = json.loads(made.dump())
    assert read["command"] == list(COMMAND)
    assert [rank["environment"]["RANK_ID"] for rank in read["ranks"]] == ["0", "1"]
    assert json.loads(read["files"][TABLE_FILE])["status"] == "completed"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1", (0,)), ("3", (0, 1, 2)), ("4-7", (4, 5, 6, 7)), ("5,0-1", (0, 1, 5)), ("0, 2", (0, 2))],
)
def test_devices(text: str, numbers: tuple[int, ...]) -> None:
    request = LaunchRequest(COMMAND, text)
    assert tuple(rank.device for rank in plan_job(request, print).ranks) == numbers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"devices": "0"}, "0 devices in --devices"),
        ({"devices": "-1"}, "does not name devices"),
        ({"devices": "0,0"}, "twice"),
        ({"devices": "3-1"}, "does not name devices"),
        ({"devices": "99999999"}, "99999999 devices in --devices"),
        ({"servers": 0}, "leaves nothing"),
        ({"servers": 2, "hosts": "a:8"}, "--hosts and --servers both"),
        ({"variables": ("A",)}, "sets no variable"),
        ({"variables": ("A B=1",)}, "sets no variable"),
        ({"name": "a b"}, "cannot be a JOB_ID"),
        ({"name": "007"}, "may not start with 0"),
        ({"hardware": "910A", "devices": "3"}, "cannot run this job"),
        ({"hardware": "910A", "devices": "2-5"}, "cannot run this job"),
    ],
)
def test_what_cannot_be_a_job(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        environments(tmp_path, **options)


def test_which_server_this_is(tmp_path: Path) -> None:
    job = LaunchRequest(COMMAND, hosts="a:8,b:8", project=tmp_path, folder=tmp_path)
    made = plan_job(job, print)
    with pytest.raises(UsageError, match="2 servers"):
        ranks_here(job, made)
    for name, number in (("a", 0), ("b", 1), ("1", 1)):
        named = LaunchRequest(
            COMMAND, hosts="a:8,b:8", server=name, project=tmp_path, folder=tmp_path
        )
        assert ranks_here(named, made) == made.on(number)
    with pytest.raises(UsageError, match="not among the servers"):
        ranks_here(LaunchRequest(COMMAND, hosts="a:8,b:8", server="c"), made)
    assert ranks_here(LaunchRequest(COMMAND, hosts="a:8,b:8", server="all"), made) == made.ranks


OURS = {"PYTHONPATH": "/ours:/stand-ins:/users"}
KEPT = {
    "set anew": ("env PYTHONPATH=. python t.py", "env PYTHONPATH=/ours:/stand-ins:. python t.py"),
    "emptied": ("env PYTHONPATH= python t.py", "env PYTHONPATH=/ours:/stand-ins python t.py"),
    "among others": (
        "/usr/bin/env -i A=1 PYTHONPATH=lib python t.py",
        "/usr/bin/env -i A=1 PYTHONPATH=/ours:/stand-ins:lib python t.py",
    ),
    "an argument of the program": ("env python t.py PYTHONPATH=.",) * 2,
    "another variable": ("env MY_PYTHONPATH=. python t.py",) * 2,
    "no env": ("python t.py PYTHONPATH=.",) * 2,
}


@pytest.mark.parametrize(("command", "expected"), KEPT.values(), ids=KEPT)
def test_our_folders_stay_in_a_search_path_that_env_sets(command: str, expected: str) -> None:
    base = {"PYTHONPATH": "/users"}
    assert keep_search_path(tuple(command.split()), OURS, base) == tuple(expected.split())


IN_SHELL = {
    "set for one command": (
        "cd src && PYTHONPATH=.. python t.py",
        "cd src && PYTHONPATH=/ours:/stand-ins:.. python t.py",
    ),
    "exported in quotes": (
        'export PYTHONPATH="lib:."; python t.py',
        'export PYTHONPATH=/ours:/stand-ins:"lib:."; python t.py',
    ),
    "emptied": ("PYTHONPATH= python t.py", "PYTHONPATH=/ours:/stand-ins python t.py"),
    "the old value stays": ("PYTHONPATH=.:$PYTHONPATH python t.py",) * 2,
    "the old value stays in quotes": ('PYTHONPATH="${PYTHONPATH}:." python t.py',) * 2,
    "another variable": ("MY_PYTHONPATH=. python t.py --PYTHONPATH=x",) * 2,
}


@pytest.mark.parametrize(("text", "expected"), IN_SHELL.values(), ids=IN_SHELL)
def test_our_folders_stay_in_a_search_path_that_a_shell_sets(text: str, expected: str) -> None:
    changed = keep_search_path(("sh", "-c", text), OURS, {"PYTHONPATH": "/users"})
    assert changed == ("sh", "-c", expected)


def test_a_search_path_without_folders_of_ours_stays() -> None:
    command = ("env", "PYTHONPATH=.", "python", "t.py")
    assert keep_search_path(command, {}, {"PYTHONPATH": "/users"}) == command
    (changed,) = keep_search_path(command, {SEARCH: "/ours"}, {})[1:2]
    assert changed == "PYTHONPATH=/ours:."
