"""Checking: each rule of the vendor's documents, broken once, is reported with its path."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ascendify.cluster import ranktable
from ascendify.cluster.inventory import from_counts, from_hosts
from ascendify.cluster.problem import count_severities, errors, format_problems
from ascendify.cluster.ranktable import check, create, read
from support.ranktable_cases import SAMPLES, TEMPLATE_2, VERSION_1_0, changed, problems, reading

FIRST = "$.server_list[0].device[0]"
SECOND = "$.server_list[0].device[1]"
THIRD = "$.server_list[1].device[0]"
LAST = "$.server_list[1].device[1]"
INSTANCE = "$.group_list[0].instance_list[1]"
RANK = "$.rank_list[3]"
LEVEL = f"{RANK}.level_list[1]"
ADDRESS = f"{LEVEL}.rank_addr_list[0]"


@pytest.mark.parametrize("template", SAMPLES)
def test_the_documents_tables_are_right(template: str) -> None:
    assert check(reading(SAMPLES[template]).table) == []


def rule(name: str, template: str, path: str, value: Any, expected: str, at: str = "") -> Any:
    """A row: what is changed in a sample, to what, the rule that is reported, and where."""
    return pytest.param(template, path, value, at or path, expected, id=name)


RULES = [
    # every template
    rule("status", "1.0", "$.status", "initializing", "usable table"),
    rule("status-2", "2", "$.status", "done", "usable table"),
    rule("status-2.0", "2.0", "$.status", "", "usable table"),
    rule("version", "1.0", "$.version", "1.1", "version is 1.0 or 1.2"),
    rule("version-of-2.0", "1.0", "$.version", "2.0", "2.0 for a list"),
    rule("version-2.0", "2.0", "$.version", "1.0", "2.0 for a list"),
    # counts
    rule("servers", "1.0", "$.server_count", "3", "number of servers in server_list, 2"),
    rule("servers-1.2", "1.2", "$.server_count", "1", "number of servers"),
    rule("groups", "2", "$.group_count", "2", "number of groups"),
    rule("instances", "2", "$.group_list[0].instance_count", "1", "number of instances"),
    rule("devices", "2", "$.group_list[0].device_count", "8", "number of devices"),
    rule("ranks", "2.0", "$.rank_count", 5, "number of ranks"),
    # names
    rule(
        "server-twice",
        "1.0",
        "$.server_list[1].server_id",
        "node_0",
        "every server_id appears once",
    ),
    rule("server-unnamed", "1.0", "$.server_list[1].server_id", "", "1 to 64 characters"),
    rule("long-name", "1.2", "$.server_list[1].server_id", "n" * 65, "1 to 64 characters"),
    rule("long-name-2", "2", f"{INSTANCE}.server_id", "n" * 65, "1 to 64 characters"),
    rule("pod-twice", "2", f"{INSTANCE}.pod_name", "tf-bae41", "every pod_name appears once"),
    rule(
        "super-pod-twice",
        "1.2",
        "$.super_pod_list[1].super_pod_id",
        "0",
        "every super_pod_id appears once",
    ),
    # ranks
    rule("rank-twice", "1.0", f"{LAST}.rank_id", "2", "every rank_id appears once"),
    rule("rank-past-the-end", "1.0", f"{LAST}.rank_id", "4", "ranks are 0 to 3"),
    rule("rank-1.2", "1.2", f"{FIRST}.rank_id", "9", "ranks are 0 to 3"),
    rule("rank-2.0", "2.0", f"{RANK}.rank_id", 0, "every rank_id appears once"),
    # devices
    rule("device-twice", "1.0", f"{SECOND}.device_id", "0", "a device appears once"),
    rule("device-twice-2", "2", f"{INSTANCE}.devices[0].device_id", "0", "a device appears once"),
    rule("device-twice-2.0", "2.0", f"{RANK}.device_id", 0, "a device appears once"),
    rule("local-twice", "2.0", f"{RANK}.local_id", 0, "a local_id appears once"),
    rule("local-past-the-end", "2.0", f"{RANK}.local_id", 65, "0 to 64"),
    rule(
        "device-past-the-end",
        "1.2",
        f"{FIRST}.device_id",
        "16",
        "devices of A3 servers are 0 to 15",
        at="$.server_list[0]",
    ),
    rule("no-device", "1.0", "$.server_list[1].device", [], "at least one device"),
    rule("no-device-2", "2", f"{INSTANCE}.devices", [], "at least one device"),
    # addresses
    rule("address", "1.0", f"{LAST}.device_ip", "192.168.2", "it is an IP address"),
    rule("address-range", "1.0", f"{LAST}.device_ip", "192.168.2.256", "it is an IP address"),
    rule("no-device's-address", "1.0", f"{LAST}.device_ip", "0.0.0.0", "address of one device"),
    rule("multicast", "1.0", f"{LAST}.device_ip", "224.0.0.1", "address of one device"),
    rule("address-twice", "1.0", f"{LAST}.device_ip", "192.168.1.8", "belongs to one device"),
    rule(
        "address-twice-2",
        "2",
        f"{INSTANCE}.devices[0].device_ip",
        "192.168.0.2",
        "belongs to one device",
    ),
    rule(
        "no-address",
        "1.0",
        f"{LAST}.device_ip",
        "",
        "with several servers every device has an address",
    ),
    rule(
        "some-addresses",
        "2",
        f"{INSTANCE}.devices[0].device_ip",
        "",
        "all devices have an address, or none",
    ),
    rule("no-address-between-super-pods", "1.2", f"{LAST}.device_ip", "", "with several servers"),
    rule("host-address", "1.0", "$.server_list[0].host_ip", "node_0", "it is an IP address"),
    # ports
    rule("port-0", "1.2", f"{FIRST}.device_port", "0", "1 to 65535"),
    rule("port-past-the-end", "1.2", f"{FIRST}.host_port", "65536", "1 to 65535"),
    rule(
        "host-port-twice",
        "1.2",
        f"{FIRST}.host_port",
        "16666",
        "a host_port appears once",
        at=f"{SECOND}.host_port",
    ),
    # super pods
    rule(
        "own-backup",
        "1.2",
        f"{FIRST}.backup_device_ip",
        "192.168.1.6",
        "other device of the same NPU",
    ),
    rule(
        "other-backup",
        "1.2",
        f"{FIRST}.backup_device_ip",
        "192.168.2.6",
        "other device of the same NPU",
    ),
    rule(
        "unknown-server",
        "1.2",
        "$.super_pod_list[1].server_list[0].server_id",
        "node_7",
        "are in server_list",
    ),
    rule(
        "server-in-no-pod",
        "1.2",
        "$.super_pod_list[1].server_list",
        [],
        "every server is in a super pod",
        at="$.server_list[1].server_id",
    ),
    rule(
        "server-in-two-pods",
        "1.2",
        "$.super_pod_list[1].server_list[0].server_id",
        "node_0",
        "server_id appears once",
    ),
    # networks of the 950
    rule("no-level", "2.0", f"{RANK}.level_list", [], "1 to 8 levels"),
    rule("layer", "2.0", f"{LEVEL}.net_layer", 8, "0 to 7"),
    rule(
        "layer-twice", "2.0", f"{LEVEL}.net_layer", 0, "the lowest first", at=f"{RANK}.level_list"
    ),
    rule("net-type", "2.0", f"{LEVEL}.net_type", "RING", "TOPO_FILE_DESC or CLOS"),
    rule("instance", "2.0", f"{LEVEL}.net_instance_id", "", "not empty"),
    rule("fewer-addresses", "2.0", f"{LEVEL}.rank_addr_list", [], "equally many"),
    rule("address-type", "2.0", f"{ADDRESS}.addr_type", "MAC", "EID, IPV4, IPV6"),
    rule("eid", "2.0", f"{ADDRESS}.addr", "0123", "32 hexadecimal digits"),
    rule("eid-as-ip", "2.0", f"{ADDRESS}.addr_type", "IPV4", "an IP address", at=f"{ADDRESS}.addr"),
    rule("eid-twice", "2.0", f"{ADDRESS}.addr", f"{1:016x}{0:016x}", "belongs to one rank"),
    rule("no-port", "2.0", f"{ADDRESS}.ports", [], "1 to 16 ports"),
    rule("port-form", "2.0", f"{ADDRESS}.ports[1]", "1", "die/port"),
]


@pytest.mark.parametrize(("template", "path", "value", "reported", "rule"), RULES)
def test_a_broken_rule_is_reported_with_its_path(
    template: str, path: str, value: Any, reported: str, rule: str
) -> None:
    found = problems(template, path, value)
    assert [p for p in errors(found) if p.path == reported and rule in p.rule], found
    assert all(problem.advice for problem in found), found


WARNINGS = [
    pytest.param(
        "1.2",
        "$.super_pod_list[1].server_list",
        [{"server_id": "node_1"}, {"server_id": "node_2"}],
        "equally many servers in every super pod",
        id="super-pods-of-different-sizes",
    ),
    pytest.param("1.2", f"{FIRST}.host_port", "80", "belong to the system", id="reserved-port"),
    pytest.param("1.0", f"{LAST}.device_ip", "127.0.0.1", "cannot reach it", id="loopback"),
    pytest.param("2.0", f"{LEVEL}.net_type", "1DMESH", "TOPO_FILE_DESC or CLOS", id="net-type"),
    pytest.param(
        "2", "$.group_list", TEMPLATE_2["group_list"] * 2, "one group is advised", id="groups"
    ),
]


@pytest.mark.parametrize(("template", "path", "value", "rule"), WARNINGS)
def test_what_is_not_advised_is_a_warning(template: str, path: str, value: Any, rule: str) -> None:
    found = problems(template, path, value)
    assert [p for p in found if p.severity == "warning" and rule in p.rule], found


def test_super_device_ids_are_all_there_or_none_and_once_in_a_pod() -> None:
    data = json.loads(changed("1.2", f"{FIRST}.super_device_id", "1"))
    for server in data["server_list"]:
        for device in server["device"]:
            del device["device_port"]
    twice = check(reading(data).table)
    assert {p.path for p in twice} == {f"{FIRST}.super_device_id", f"{SECOND}.super_device_id"}
    del data["server_list"][0]["device"][0]["super_device_id"]
    assert [p.path for p in check(reading(data).table)] == [FIRST]


def test_interleaved_ranks_are_reported_by_server() -> None:
    """{0, 1, 2, 7} and {3, 4, 5, 6}, the documents' own example."""
    text = create_text("node_0:4,node_1:4")
    text = text.replace('"rank_id": "3"', '"rank_id": "x"').replace(
        '"rank_id": "7"', '"rank_id": "3"'
    )
    found = check(read(text.replace('"rank_id": "x"', '"rank_id": "7"')).table, hardware="910B")
    reported = [(p.path, p.value) for p in found if "follow each other" in p.rule]
    assert reported == [("$.server_list[0]", "0, 1, 2, 7")]


def create_text(hosts: str) -> str:
    from ascendify.cluster.inventory import with_addresses

    return ranktable.dump(create(with_addresses(from_hosts(hosts))))


def test_a_server_listed_in_any_order_of_its_ranks_is_right() -> None:
    text = json.dumps(VERSION_1_0).replace('"rank_id": "0"', '"rank_id": "x"')
    text = text.replace('"rank_id": "1"', '"rank_id": "0"').replace('"x"', '"1"')
    table = read(text).table
    assert check(table) == []
    assert [(place.rank, place.device) for place in table.placements[:2]] == [(0, 1), (1, 0)]


HARDWARE = [
    # hosts, hardware, severity of what is reported
    pytest.param("n:1", "910A", None, id="910A-1"),
    pytest.param("n:0-1", "910A", None, id="910A-2"),
    pytest.param("n:4-7", "910A", None, id="910A-second-network"),
    pytest.param("n:8", "910A", None, id="910A-8"),
    pytest.param("n:3", "910A", "error", id="910A-3"),
    pytest.param("n:0-5", "910A", "error", id="910A-6"),
    pytest.param("n:3-4", "910A", "error", id="910A-2-across-networks"),
    pytest.param("n:2-5", "910A", "error", id="910A-4-across-networks"),
    pytest.param("n:8+9", "910A", "error", id="910A-no-such-device"),
    pytest.param("a:8,b:8,c:8", "AT", None, id="910A-cluster"),
    pytest.param("a:4,b:4", "AT", None, id="910A-cluster-of-4"),
    pytest.param("a:8,b:4", "AT", "error", id="910A-cluster-of-different"),
    pytest.param("n:3", "910B", None, id="910B-any"),
    pytest.param("a:3,b:3", "A2", None, id="910B-cluster"),
    pytest.param("a:3,b:4", "A2", "warning", id="910B-cluster-of-different"),
    pytest.param("n:16", "A2", "warning", id="910B-box16"),
    pytest.param("n:17", "A2", "error", id="910B-no-such-device"),
    pytest.param("n:16", "A3", None, id="A3"),
    pytest.param("n:17", "A3", "error", id="A3-no-such-device"),
    pytest.param("n:64", "950", None, id="950"),
    pytest.param("n:8", None, None, id="unknown-8"),
    pytest.param("n:3", None, "warning", id="unknown-3"),
    pytest.param("n:16", None, None, id="unknown-16"),
]


@pytest.mark.parametrize(("hosts", "hardware", "severity"), HARDWARE)
def test_the_devices_of_a_table_fit_the_hardware(
    hosts: str, hardware: str | None, severity: str | None
) -> None:
    found = check(read(create_text(hosts)).table, hardware=hardware)
    assert {problem.severity for problem in found} == ({severity} if severity else set()), found
    assert all(problem.path.startswith("$.server_list[") for problem in found)


@pytest.mark.parametrize(("template", "hardware"), [("1.2", "910B"), ("2.0", "A3")])
def test_some_templates_are_for_one_hardware(template: str, hardware: str) -> None:
    found = check(reading(SAMPLES[template]).table, hardware=hardware)
    assert [p.path for p in found if p.rule.startswith("only ")] == ["$"]


def test_a_device_shared_by_processes_has_a_port_for_each() -> None:
    text = json.dumps(VERSION_1_0)
    shared = text.replace(
        '"device_id": "1", "device_ip": "192.168.1.9"',
        '"device_id": "0", "device_ip": "192.168.1.8", "device_port": "16667"',
    )
    shared = shared.replace(
        '"192.168.1.8", "rank_id": "0"', '"192.168.1.8", "device_port": "16666", "rank_id": "0"'
    )
    assert errors(check(read(shared).table, hardware="910B")) == []
    (alone, *_) = errors(check(read(shared).table, hardware="910A"))
    assert alone.path == f"{SECOND}.device_id"
    same = shared.replace('"16667"', '"16666"')
    assert [p.path for p in errors(check(read(same).table, hardware="910B"))] == [
        f"{SECOND}.device_id"
    ]


def test_one_super_pod_needs_no_addresses_of_devices() -> None:
    data = json.loads(
        changed(
            "1.2",
            "$.super_pod_list",
            [
                {
                    "super_pod_id": "0",
                    "server_list": [{"server_id": "node_0"}, {"server_id": "node_1"}],
                }
            ],
        )
    )
    for server in data["server_list"]:
        for device in server["device"]:
            del device["device_ip"], device["backup_device_ip"]
    assert check(reading(data).table) == []


ENVIRONMENTS = [
    # template, environment, what is reported: (variable, severity, part of the rule)
    pytest.param("1.0", {}, [], id="nothing-set"),
    pytest.param(
        "1.0",
        {"RANK_SIZE": "4", "RANK_ID": "3", "ASCEND_DEVICE_ID": "1", "DEVICE_ID": "1"},
        [],
        id="agrees",
    ),
    pytest.param("1.0", {"RANK_SIZE": "1"}, [("RANK_SIZE", "warning", "has 4 ranks")], id="subset"),
    pytest.param("1.0", {"RANK_SIZE": "8"}, [("RANK_SIZE", "error", "has 4 ranks")], id="too-many"),
    pytest.param("1.0", {"RANK_SIZE": "0"}, [("RANK_SIZE", "error", "has 4 ranks")], id="none"),
    pytest.param("1.0", {"RANK_SIZE": "four"}, [("RANK_SIZE", "error", "")], id="size-word"),
    pytest.param("1.0", {"RANK_SIZE": ""}, [], id="empty-is-unset"),
    pytest.param("1.0", {"RANK_ID": "4"}, [("RANK_ID", "error", "are 0 to 3")], id="rank"),
    pytest.param(
        "1.0", {"RANK_ID": "npu8p"}, [("RANK_ID", "error", "are 0 to 3")], id="pod-in-1.0"
    ),
    pytest.param(
        "1.0",
        {"RANK_ID": "3", "ASCEND_DEVICE_ID": "0"},
        [("ASCEND_DEVICE_ID", "error", "has device 1 in the table")],
        id="device",
    ),
    pytest.param(
        "1.0",
        {"RANK_ID": "3", "DEVICE_ID": "7"},
        [("DEVICE_ID", "error", "has device 1 in the table")],
        id="device-of-older-scripts",
    ),
    pytest.param(
        "1.0",
        {"RANK_ID": "3", "ASCEND_DEVICE_ID": "0", "ASCEND_RT_VISIBLE_DEVICES": "1"},
        [],
        id="visible-devices",
    ),
    pytest.param(
        "1.0",
        {"ASCEND_DEVICE_ID": "-1"},
        [("ASCEND_DEVICE_ID", "error", "a number from 0 up")],
        id="negative-device",
    ),
    pytest.param(
        "1.0",
        {"CM_CHIEF_IP": "10.0.0.1", "CM_WORKER_SIZE": "4"},
        [("CM_CHIEF_IP", "error", "never by both"), ("CM_WORKER_SIZE", "error", "never by both")],
        id="chief",
    ),
    pytest.param("1.0", {"POD_NAME": "train-0"}, [], id="pod-of-kubernetes"),
    pytest.param("2", {"RANK_ID": "tf-bae41", "ASCEND_DEVICE_ID": "0"}, [], id="rank-is-pod"),
    pytest.param("2", {"POD_NAME": "tf-tbdf1", "RANK_ID": "1"}, [], id="pod"),
    pytest.param("2", {"POD_NAME": "other"}, [("POD_NAME", "error", "tf-bae41")], id="unknown-pod"),
    pytest.param("2", {"RANK_ID": "0"}, [("RANK_ID", "error", "names its pod")], id="number-in-2"),
    pytest.param(
        "2",
        {"POD_NAME": "tf-tbdf1", "ASCEND_DEVICE_ID": "0"},
        [("ASCEND_DEVICE_ID", "error", "has device 1")],
        id="device-of-a-pod",
    ),
    pytest.param(
        "1.0",
        {"RANK_TABLE_FILE": "other.json", "RANK_SIZE": "99"},
        [("RANK_TABLE_FILE", "warning", "another table")],
        id="another-table",
    ),
    pytest.param("1.0", {"RANK_TABLE_FILE": "./table.json"}, [], id="this-table"),
    pytest.param(
        "1.2",
        {"HCCL_OP_EXPANSION_MODE": "HOST"},
        [
            ("HCCL_OP_EXPANSION_MODE", "warning", "no effect"),
            ("HCCL_OP_RETRY_ENABLE", "warning", "no effect"),
        ],
        id="backups-without-retries",
    ),
    pytest.param(
        "1.2",
        {"HCCL_OP_EXPANSION_MODE": "AI_CPU", "HCCL_OP_RETRY_ENABLE": "L1:1,L2:1"},
        [],
        id="backups-with-retries",
    ),
    pytest.param("2.0", {"RANK_ID": "5"}, [("RANK_ID", "error", "are 0 to 3")], id="rank-2.0"),
]


@pytest.mark.parametrize(("template", "environment", "reported"), ENVIRONMENTS)
def test_the_environment_agrees_with_the_table(
    template: str, environment: dict[str, str], reported: list[tuple[str, str, str]]
) -> None:
    found = check(reading(SAMPLES[template]).table, environment, source="table.json")
    assert [(p.path, p.severity) for p in found] == [(name, how) for name, how, _ in reported]
    assert all(expected in p.rule for p, (_, _, expected) in zip(found, reported))


OF_A_GUIDE = """
 {"group_count": "1","group_list":
                [{"group_name": "worker","device_count": "8","instance_count": "1", "instance_list":
                                         [{"devices":
                                         [{"device_id":"0","device_ip":"192.168.100.101"},
                                         {"device_id":"1","device_ip":"192.168.101.101"},
                                         {"device_id":"2","device_ip":"192.168.102.101"},
                                         {"device_id":"3","device_ip":"192.168.103.101"},
                                         {"device_id":"4","device_ip":"192.168.100.100"},
                                         {"device_id":"5","device_ip":"192.168.101.100"},
                                         {"device_id":"6","device_ip":"192.168.102.100"},
                                         {"device_id":"7","device_ip":"192.168.103.100"}],
                 "pod_name":"npu8p",        "server_id":"127.0.0.1"}]}],"status": "completed"}
"""


def test_a_guides_table_is_right_and_its_script_asks_for_one_rank_of_eight() -> None:
    found = read(OF_A_GUIDE)
    assert (found.warnings, check(found.table, hardware="910A")) == ((), [])
    script = {"RANK_SIZE": "1", "RANK_ID": "npu8p", "JOB_ID": "9999001"}
    assert [(p.path, p.severity) for p in check(found.table, script)] == [("RANK_SIZE", "warning")]


def test_a_table_of_4096_servers_is_checked_and_a_fault_in_it_found() -> None:
    text = ranktable.dump(create(from_counts(4096, 8)))
    assert check(read(text).table, hardware="910B") == []
    broken = text.replace('"rank_id": "32767"', '"rank_id": "32766"')
    (problem,) = check(read(broken).table, hardware="910B")
    assert problem.path == "$.server_list[4095].device[7].rank_id"
    assert "free: 32767" in problem.advice


def test_many_problems_of_one_kind_are_folded() -> None:
    text = ranktable.dump(create(from_hosts("a:8,b:8")))
    found = check(read(text).table, hardware="910B")
    lines = list(format_problems(found))
    assert (len(found), len(lines)) == (16, 5)
    assert lines[-1].strip() == "and 13 more like these"
    assert count_severities(found) == "16 errors"
