"""What the tests of rank tables share: tables as the vendor's documents print them, and changes."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from ascendify.cluster.ranktable import ClusterProblem, ParsedTable, check, read

DELETED: Any = object()

VERSION_1_0: dict[str, Any] = {
    "status": "completed",
    "version": "1.0",
    "server_count": "2",
    "server_list": [
        {
            "server_id": "node_0",
            "host_ip": "172.16.0.100",
            "device": [
                {"device_id": "0", "device_ip": "192.168.1.8", "rank_id": "0"},
                {"device_id": "1", "device_ip": "192.168.1.9", "rank_id": "1"},
            ],
        },
        {
            "server_id": "node_1",
            "host_ip": "172.16.0.101",
            "device": [
                {"device_id": "0", "device_ip": "192.168.2.8", "rank_id": "2"},
                {"device_id": "1", "device_ip": "192.168.2.9", "rank_id": "3"},
            ],
        },
    ],
}

TEMPLATE_2: dict[str, Any] = {
    "status": "completed",
    "group_count": "1",
    "group_list": [
        {
            "group_name": "hccl_world_group",
            "instance_count": "2",
            "device_count": "2",
            "instance_list": [
                {
                    "pod_name": "tf-bae41",
                    "server_id": "10.0.0.10",
                    "devices": [{"device_id": "0", "device_ip": "192.168.0.2"}],
                },
                {
                    "pod_name": "tf-tbdf1",
                    "server_id": "10.0.0.10",
                    "devices": [{"device_id": "1", "device_ip": "192.168.1.2"}],
                },
            ],
        }
    ],
}


def _a3(server: int, device: int) -> dict[str, str]:
    other = device ^ 1
    return {
        "device_id": str(device),
        "super_device_id": str(server * 2 + device),
        "device_ip": f"192.168.{server + 1}.{6 + device}",
        "device_port": "16666",
        "backup_device_ip": f"192.168.{server + 1}.{6 + other}",
        "backup_device_port": "16667",
        "host_port": str(16665 + device),
        "rank_id": str(server * 2 + device),
    }


VERSION_1_2: dict[str, Any] = {
    "status": "completed",
    "version": "1.2",
    "server_count": "2",
    "server_list": [
        {
            "server_id": f"node_{server}",
            "host_ip": f"172.16.0.{server + 100}",
            "device": [_a3(server, 0), _a3(server, 1)],
        }
        for server in range(2)
    ],
    "super_pod_list": [
        {"super_pod_id": "0", "server_list": [{"server_id": "node_0"}]},
        {"super_pod_id": "1", "server_list": [{"server_id": "node_1"}]},
    ],
}


def _950(rank: int) -> dict[str, Any]:
    def addresses(layer: int) -> list[dict[str, Any]]:
        return [{"addr_type": "EID", "addr": f"{layer:016x}{rank:016x}", "ports": ["0/1", "0/2"]}]

    return {
        "rank_id": rank,
        "local_id": rank % 2,
        "device_id": rank % 2,
        "device_port": 16666,
        "level_list": [
            {
                "net_layer": 0,
                "net_instance_id": f"az0-rack{rank // 2}",
                "net_type": "TOPO_FILE_DESC",
                "net_attr": "",
                "rank_addr_list": addresses(0),
            },
            {
                "net_layer": 1,
                "net_instance_id": "az0",
                "net_type": "CLOS",
                "net_attr": "",
                "rank_addr_list": addresses(1),
            },
        ],
    }


VERSION_2_0: dict[str, Any] = {
    "status": "completed",
    "version": "2.0",
    "rank_count": 4,
    "rank_list": [_950(rank) for rank in range(4)],
}

SAMPLES = {"1.0": VERSION_1_0, "2": TEMPLATE_2, "1.2": VERSION_1_2, "2.0": VERSION_2_0}


def steps(path: str) -> list[str | int]:
    """``$.a[0].b`` as keys and indices."""
    found = re.findall(r"\.(\w+)|\[(\d+)\]", path)
    return [key or int(index) for key, index in found]


def changed(template: str, path: str, value: Any) -> str:
    """The text of a sample with another value at a path, or with none."""
    data = copy.deepcopy(SAMPLES[template])
    *parents, last = steps(path)
    place: Any = data
    for step in parents:
        place = place[step]
    if value is DELETED:
        del place[last]
    else:
        place[last] = value
    return json.dumps(data)


def reading(data: Any) -> ParsedTable:
    """What is read of a table as JSON."""
    return read(json.dumps(data), "table.json")


def problems(
    template: str, path: str, value: Any, hardware: str | None = None
) -> list[ClusterProblem]:
    """What is wrong with a sample after a change."""
    return check(read(changed(template, path, value), "table.json").table, hardware=hardware)
