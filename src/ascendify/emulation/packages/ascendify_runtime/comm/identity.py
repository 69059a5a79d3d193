"""Find the rank of this process from RANK_ID, RANK_SIZE, the rank table and CM_WORKER_SIZE."""

import json
import os

DEVICES_PER_SERVER = 8


class RankIdentity:
    """Rank and size, in the job and on this server, and the devices of all ranks."""

    def __init__(self, rank, size, local_rank, local_size, devices=()):
        self.rank = rank
        self.size = size
        self.local_rank = local_rank
        self.local_size = local_size
        self.devices = tuple(devices) or tuple(
            (number // DEVICES_PER_SERVER, number % DEVICES_PER_SERVER) for number in range(size)
        )
        """Server and device number of every rank."""


def identity(environment=None):
    """Return the identity of this process.

    Raises:
        ValueError: a variable is wrong; the message names it.
    """
    environment = os.environ if environment is None else environment
    table = _table(environment.get("RANK_TABLE_FILE"))
    size = _size(environment)
    rank = _rank(environment, size, table)
    if not 0 <= rank < size:
        raise ValueError(
            "RANK_ID is {}, but RANK_SIZE is {}: it must be 0 to {}".format(rank, size, size - 1)
        )
    if len(table) >= size > 1:
        server = table[rank][0]
        here = [number for number, row in enumerate(table[:size]) if row[0] == server]
        devices = [(row[0], row[1]) for row in table[:size]]
        return RankIdentity(rank, size, here.index(rank), len(here), devices)
    return RankIdentity(
        rank, size, _local_rank(environment, rank, size), min(size, DEVICES_PER_SERVER)
    )


def _size(environment):
    if environment.get("RANK_SIZE") and environment.get("CM_WORKER_SIZE"):
        raise ValueError("RANK_SIZE and CM_WORK_SIZE cannot be configured at the same time")
    name = "CM_WORKER_SIZE" if environment.get("CM_WORKER_SIZE") else "RANK_SIZE"
    size = _number(environment, name, 1)
    if size < 1:
        raise ValueError("{} is {}; it must be at least 1".format(name, size))
    return size


def _rank(environment, size, table):
    given = environment.get("RANK_ID", "").strip()
    if given.isdigit():
        return int(given)
    pod = environment.get("POD_NAME") or given
    if pod and table:
        return _rank_of_pod(environment, pod, table)
    if size == 1:
        return 0
    if given:
        raise ValueError(
            "RANK_ID is {!r}, which is neither a number nor a pod_name of the rank table".format(
                given
            )
        )
    if environment.get("CM_CHIEF_IP"):
        device = _number(environment, "ASCEND_DEVICE_ID", 0)
        return device - _number(environment, "CM_CHIEF_DEVICE", 0)
    raise ValueError("RANK_SIZE is {}, but RANK_ID is not set".format(size))


def _rank_of_pod(environment, pod, table):
    ranks = [number for number, row in enumerate(table) if row[2] == pod]
    if not ranks:
        raise ValueError("the rank table names no pod {!r}".format(pod))
    device = _number(environment, "ASCEND_DEVICE_ID", _number(environment, "DEVICE_ID", None))
    for rank in ranks:
        if device is not None and table[rank][1] == device:
            return rank
    return ranks[0]


def _local_rank(environment, rank, size):
    device = _number(environment, "ASCEND_DEVICE_ID", None) if size > 1 else 0
    return rank % DEVICES_PER_SERVER if device is None else device


def _number(environment, name, default):
    text = environment.get(name, "").strip()
    if not text:
        return default
    try:
        return int(text)
    except ValueError:
        raise ValueError("{} is {!r}; it must be a number".format(name, text))


def _table(path):
    """Return rows (server, device, pod) in the order of the ranks; none without a usable table."""
    if not path:
        return []
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        return _rows(content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _rows(content):
    if "server_list" in content:
        rows = [
            (int(device["rank_id"]), (server["server_id"], int(device["device_id"]), None))
            for server in content["server_list"]
            for device in server["device"]
        ]
        return [row for _, row in sorted(rows, key=lambda pair: pair[0])]
    return [
        (instance["server_id"], int(device["device_id"]), instance.get("pod_name"))
        for group in content["group_list"]
        for instance in group["instance_list"]
        for device in instance["devices"]
    ]
