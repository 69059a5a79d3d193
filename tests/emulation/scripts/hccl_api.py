"""Ranks, groups and splits: every check and its text."""

import json
import os
import sys
import tempfile

from ascendify_runtime.comm.identity import identity
from ascendify_runtime.world import world
from atlasboost.tensorflow import mpi_ops
from hccl.manage import api
from hccl.split import api as split


def raises(text, function, *arguments):
    try:
        function(*arguments)
    except ValueError as error:
        assert str(error).startswith(text), (text, str(error))
    else:
        raise AssertionError(f"no error, expected: {text}")


def before_initialisation():
    raises("get rank size error. ret[", api.get_rank_size)
    raises("get rank id error. ret[", api.get_rank_id)
    raises("get local rank size error. ret[", api.get_local_rank_size)
    raises("get local rank id error. ret[", api.get_local_rank_id)
    raises("get world rank from group rank error. ret[", api.get_world_rank_from_group_rank, "g", 0)
    raises("get group rank from world rank error. ret[", api.get_group_rank_from_world_rank, 0, "g")
    raises("create group error:g", api.create_group, "g", 1, [0])
    raises("destroy group error :g", api.destroy_group, "g")
    raises("atlasboost has not been initialised", mpi_ops.rank)


def arguments():
    raises("group must be a python str", api.create_group, 3, 1, [0])
    raises("group name is empty.", api.get_rank_size, "")
    raises("group name is invalid. group: xxx", api.get_rank_id, "x" * 128)
    raises("rank_num must be a python int", api.create_group, "g", "1", [0])
    raises("rank_num[0] is less than 0 or equal to 0", api.create_group, "g", 0, [])
    raises("rank_ids must be a python list", api.create_group, "g", 1, (0,))
    raises("rank_num[2] not equal to rank_ids len[1].", api.create_group, "g", 2, [0])
    raises("rank_id[-1] is less than 0", api.create_group, "g", 1, [-1])


def groups():
    create = api.create_group
    raises("create group error:hccl_world_group", create, "hccl_world_group", 1, [0])
    raises("destroy group error :hccl_world_group", api.destroy_group, "hccl_world_group")
    raises("destroy group error :none", api.destroy_group, "none")
    raises("create group error:three", create, "three", 3, [0, 1, 2])
    raises("create group error:across", create, "across", 2, [3, 4])
    raises("create group error:twice", create, "twice", 2, [0, 0])
    raises("create group error:outside", create, "outside", 1, [8])
    create("back", 4, [4, 5, 6, 7])
    raises("create group error:back", create, "back", 4, [4, 5, 6, 7])
    assert api.get_rank_size("back") == 4
    assert api.get_rank_id("back") == 1
    assert api.get_local_rank_size("back") == 4
    assert api.get_local_rank_id("back") == 1
    assert api.get_world_rank_from_group_rank("back", 3) == 7
    assert api.get_group_rank_from_world_rank(6, "back") == 2
    raises("get world rank from group rank error", api.get_world_rank_from_group_rank, "back", 4)
    raises("get group rank from world rank error", api.get_group_rank_from_world_rank, 0, "back")
    api.destroy_group("back")
    raises("get rank size error. ret[", api.get_rank_size, "back")
    os.environ["ASCENDIFY_SOC"] = "910B"
    create("any", 3, [0, 4, 5])
    del os.environ["ASCENDIFY_SOC"]


def ranks():
    assert (api.get_rank_size(), api.get_rank_id()) == (8, 5)
    assert (api.get_local_rank_size(), api.get_local_rank_id()) == (8, 5)
    mpi_ops.init()
    assert (mpi_ops.rank(), mpi_ops.size(), mpi_ops.local_rank()) == (5, 8, 5)
    mpi_ops.set_device_id(3)
    assert os.environ["ASCEND_DEVICE_ID"] == "3"


def splits():
    by_index, by_size = split.set_split_strategy_by_idx, split.set_split_strategy_by_size
    by_index([0, 5, 160])
    by_size([60, 20, 20])
    by_size([33.4, 33.3, 33.3])
    raises("idxList must be a python list", by_index, (1, 2))
    raises("idxList length is 0", by_index, [])
    raises("idx in idxList is not ascending", by_index, [5, 5])
    raises("idx in idxList must be a python int", by_index, [1.5])
    raises("idx[-1] in idxList", by_index, [-1])
    raises("dataSizeList must be a python list", by_size, 100)
    raises("size percentage list sum is not 100%", by_size, [60, 30])
    raises("data size[-10] in dataSizeList is less than 0", by_size, [110, -10])
    raises("group must be a python str", by_size, [100], 1)


def table(content):
    handle, path = tempfile.mkstemp()
    with os.fdopen(handle, "w") as file:
        json.dump(content, file)
    return path


def tables():
    """Both templates: two servers with two devices each."""
    devices = [[{"device_id": str(d), "rank_id": str(2 * s + d)} for d in (0, 1)] for s in (0, 1)]
    first = {"server_list": [{"server_id": f"s{s}", "device": devices[s]} for s in (0, 1)]}
    second = {
        "group_list": [
            {
                "instance_list": [
                    {"pod_name": f"pod{s}", "server_id": f"s{s}", "devices": devices[s]}
                    for s in (0, 1)
                ]
            }
        ]
    }
    rows = [
        (first, {"RANK_ID": "3"}, (3, 4, 1, 2)),
        (second, {"RANK_ID": "2"}, (2, 4, 0, 2)),
        (second, {"RANK_ID": "pod1", "ASCEND_DEVICE_ID": "1"}, (3, 4, 1, 2)),
        (second, {"POD_NAME": "pod0", "DEVICE_ID": "1"}, (1, 4, 1, 2)),
    ]
    for content, variables, expected in rows:
        path = table(content)
        who = identity(dict(variables, RANK_SIZE="4", RANK_TABLE_FILE=path))
        os.unlink(path)  # noqa: PTH108 - Python 3.6
        assert (who.rank, who.size, who.local_rank, who.local_size) == expected, (
            variables,
            expected,
        )


def variables():
    rows = [
        ({}, (0, 1, 0, 1)),
        ({"RANK_SIZE": "16", "RANK_ID": "11"}, (11, 16, 3, 8)),
        ({"RANK_SIZE": "2", "RANK_ID": "1", "ASCEND_DEVICE_ID": "5"}, (1, 2, 5, 2)),
        ({"CM_WORKER_SIZE": "2", "CM_CHIEF_IP": "1.1.1.1", "ASCEND_DEVICE_ID": "1"}, (1, 2, 1, 2)),
    ]
    for environment, expected in rows:
        who = identity(environment)
        found = (who.rank, who.size, who.local_rank, who.local_size)
        assert found == expected, (environment, found)
    raises("RANK_SIZE is 2, but RANK_ID is not set", identity, {"RANK_SIZE": "2"})
    raises("RANK_ID is 2, but RANK_SIZE is 2", identity, {"RANK_SIZE": "2", "RANK_ID": "2"})
    raises("RANK_SIZE is 'two'", identity, {"RANK_SIZE": "two"})
    raises("RANK_ID is 'pod'", identity, {"RANK_SIZE": "2", "RANK_ID": "pod"})
    both = {"RANK_SIZE": "2", "CM_WORKER_SIZE": "2"}
    raises("RANK_SIZE and CM_WORK_SIZE cannot be configured at the same time", identity, both)


before_initialisation()
world().initialise()
arguments()
ranks()
groups()
splits()
tables()
variables()
world().shut_down()
raises("get rank size error. ret[", api.get_rank_size)
assert "tensorflow" not in sys.modules
print("as it should be")
