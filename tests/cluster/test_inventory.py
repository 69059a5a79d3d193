"""Inventories: the same servers, however they are described."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ascendify.cluster.inventory import (
    Device,
    Inventory,
    Server,
    from_counts,
    from_file,
    from_hccn,
    from_hosts,
    with_addresses,
)
from ascendify.errors import UsageError


def ids(inventory: Inventory) -> dict[str, list[int]]:
    return {server.id: [device.id for device in server.devices] for server in inventory.servers}


def test_counts_make_servers_alike_with_addresses_of_their_own() -> None:
    made = from_counts(2, 4)
    assert ids(made) == {"node_0": [0, 1, 2, 3], "node_1": [0, 1, 2, 3]}
    assert [device.ip for device in made.servers[1].devices] == [
        f"192.168.0.{number}" for number in (5, 6, 7, 8)
    ]
    assert [server.host for server in made.servers] == ["", ""]


def test_the_largest_cluster_has_addresses_for_all() -> None:
    made = from_counts(4096, 64)
    assert len({device.ip for server in made.servers for device in server.devices}) == made.size


@pytest.mark.parametrize("counts", [(0, 8), (1, 0), (-1, 8), (1, 65), (10**9, 8)], ids=str)
def test_counts_have_limits(counts: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match=r"(servers|devices)$"):
        from_counts(*counts)


def test_made_up_addresses_leave_known_ones_alone() -> None:
    known = Inventory((Server("a", (Device(0), Device(1, "192.168.0.1"), Device(2))),))
    assert [device.ip for device in with_addresses(known).servers[0].devices] == [
        "192.168.0.2",
        "192.168.0.1",
        "192.168.0.3",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a:2,b:1", {"a": [0, 1], "b": [0]}, id="counts"),
        pytest.param("a", {"a": list(range(8))}, id="all"),
        pytest.param("a:4-7", {"a": [4, 5, 6, 7]}, id="range"),
        pytest.param("a:0+2+5", {"a": [0, 2, 5]}, id="list"),
        pytest.param("a:3-3", {"a": [3]}, id="one-device"),
        pytest.param("a:6-7+0-1", {"a": [6, 7, 0, 1]}, id="in-that-order"),
        pytest.param(" a:1 , b:1 ", {"a": [0], "b": [0]}, id="spaces"),
        pytest.param("10.0.0.1:2", {"10.0.0.1": [0, 1]}, id="ipv4"),
        pytest.param("[fd00::1]:2", {"fd00::1": [0, 1]}, id="ipv6"),
    ],
)
def test_hosts(text: str, expected: dict[str, list[int]]) -> None:
    found = from_hosts(text)
    assert ids(found) == expected
    assert all(server.host == server.id for server in found.servers)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "an empty name", id="empty"),
        pytest.param("a:8,,b:8", "an empty name", id="gap"),
        pytest.param("a:0", "0 devices", id="no-device"),
        pytest.param("a:65", "65 devices", id="too-many"),
        pytest.param("a:x", "does not name devices", id="word"),
        pytest.param("a:7-4", "does not name devices", id="backwards"),
        pytest.param("a:1+1", "a device is listed twice", id="device-twice"),
        pytest.param("a:60-70", "there is no device 64", id="no-such-device"),
        pytest.param("a:8,a:8", "a is listed twice", id="host-twice"),
        pytest.param("fd00::1:8", "is not a host with devices", id="bare-ipv6"),
        pytest.param("-oProxyCommand=x:8", "is not a valid server name", id="option"),
        pytest.param("a b:8", "is not a valid server name", id="space"),
        pytest.param("a\x1b[2J:8", "not a (valid|host)", id="control-character"),
    ],
)
def test_hosts_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        from_hosts(text)
    assert caught.value.message.isprintable()
    assert caught.value.hint


TOML = """
[[server]]
id = "node_0"
host = "node0.lan"
devices = 2

[[server]]
host = "node1.lan"
devices = [{id = 4, ip = "192.168.100.101"}, {id = 5}]

[[server]]
id = "node_2"
hccn = "hccn.conf"
"""
JSON = """{"server": [  // of the lab
  {"id": "node_0", "host": "node0.lan", "devices": 2},
  {"host": "node1.lan", "devices": [{"id": 4, "ip": "192.168.100.101"}, 5]},
  {"id": "node_2", "hccn": "hccn.conf"}
]}"""
HCCN = """# written by hccn_tool
address_1=192.168.102.101
netmask_1=255.255.255.0
address_0 = 192.168.101.101
IPv6address_0=fd00::1
IPv6address_2=fd00::2
gateway_0=192.168.101.1
send_arp_status_0=1
"""


@pytest.mark.parametrize(("name", "text"), [("cluster.toml", TOML), ("cluster.json", JSON)])
def test_an_inventory_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "hccn.conf").write_text(HCCN, encoding="utf-8")
    assert from_file(tmp_path / name) == Inventory(
        (
            Server("node_0", (Device(0), Device(1)), "node0.lan"),
            Server("node1.lan", (Device(4, "192.168.100.101"), Device(5)), "node1.lan"),
            Server(
                "node_2",
                (Device(0, "192.168.101.101"), Device(1, "192.168.102.101"), Device(2, "fd00::2")),
                "node_2",
            ),
        )
    )


def test_a_hostfile(tmp_path: Path) -> None:
    file = tmp_path / "hostfile"
    file.write_text(
        "# the lab\nnode1 slots=2 max_slots=8\n\nnode2:1\nnode3 # all\n", encoding="utf-8"
    )
    assert ids(from_file(file)) == {"node1": [0, 1], "node2": [0], "node3": list(range(8))}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        pytest.param("c.toml", "[[server]\n", r"c\.toml: .*line 1", id="toml"),
        pytest.param("c.toml", "", "no list of servers", id="empty-toml"),
        pytest.param("c.json", "", r"line 1, column 1\): the file is empty", id="empty-json"),
        pytest.param("c.json", "[]", "no list of servers", id="list"),
        pytest.param("c.json", '{"server": []}', "no server", id="no-server"),
        pytest.param("c.json", '{"server": [3]}', r"server\[0\] is 3", id="number"),
        pytest.param(
            "c.json", '{"server": [{}]}', r"server\[0\] has neither id nor host", id="nameless"
        ),
        pytest.param("c.json", '{"server": [{"id": 3}]}', r"server\[0\]\.id is 3", id="name-type"),
        pytest.param(
            "c.json", '{"server": [{"hots": "a"}]}', '"hots", which is not known', id="key"
        ),
        pytest.param(
            "c.json",
            '{"server": [{"id": "a", "devices": true}]}',
            r"devices is true",
            id="count-type",
        ),
        pytest.param(
            "c.json", '{"server": [{"id": "a", "devices": 999}]}', "999 devices", id="count"
        ),
        pytest.param("c.json", '{"server": [{"id": "a", "devices": []}]}', "no device", id="none"),
        pytest.param(
            "c.json",
            '{"server": [{"id": "a", "devices": ["0"]}]}',
            r"devices\[0\] is not a device",
            id="id",
        ),
        pytest.param(
            "c.json",
            '{"server": [{"id": "a", "devices": [{"id": 0, "ip": "x"}]}]}',
            '"x" is not an IP address',
            id="ip",
        ),
        pytest.param(
            "c.json",
            '{"server": [{"id": "a", "hccn": "none.conf"}]}',
            r"none\.conf does not exist",
            id="hccn",
        ),
        pytest.param(
            "c.json", '{"server": [{"id": "a", "hccn": "\\u0000"}]}', "not a name", id="nul"
        ),
        pytest.param("c.json", '{"server_list": []}', "is a rank table", id="rank-table"),
        pytest.param("hosts", "", "no server", id="empty-hosts"),
        pytest.param("hosts", "a slots=x", r"hosts:1: \"slots=x\" is not known", id="slots"),
        pytest.param("hosts", "a\na", "a is listed twice", id="host-twice"),
        pytest.param("hosts", "a\nb slots=99", "hosts:2: 99 devices", id="slots-too-many"),
    ],
)
def test_inventory_files_that_are_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        from_file(tmp_path / name)
    assert re.search(message, caught.value.message), caught.value.message
    assert caught.value.hint


def test_hccn_files_of_several_servers(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("address_0=10.0.0.1\n", encoding="utf-8")
    (tmp_path / "b").write_text("address_1=10.0.0.3\naddress_0=10.0.0.2\n", encoding="utf-8")
    found = from_hccn({"node1": tmp_path / "a", "node2": tmp_path / "b"})
    assert found == Inventory(
        (
            Server("node1", (Device(0, "10.0.0.1"),), "node1"),
            Server("node2", (Device(0, "10.0.0.2"), Device(1, "10.0.0.3")), "node2"),
        )
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "no line such as address_0", id="empty"),
        pytest.param("netmask_0=255.255.255.0", "no line such as address_0", id="no-address"),
        pytest.param("address_0=10.0.0", '1: "10.0.0" is not an IP address', id="address"),
        pytest.param(
            "address_0=10.0.0.1\naddress_0=10.0.0.2", "2: address_0 is set twice", id="twice"
        ),
        pytest.param("address_99=10.0.0.1", "no device 99", id="device"),
    ],
)
def test_hccn_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "hccn.conf").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        from_hccn({"a": tmp_path / "hccn.conf"})
