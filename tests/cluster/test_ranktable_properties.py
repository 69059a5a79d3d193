"""What holds for every table: made, written, read, checked, converted, broken."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ascendify.cluster.inventory import Device, Inventory, Server
from ascendify.cluster.problem import errors
from ascendify.cluster.ranktable import (
    TEMPLATES,
    RankTableError,
    check,
    convert,
    create,
    dump,
    read,
)
from ascendify.cluster.topology import HARDWARE, inventory_problems
from ascendify.errors import UsageError

NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=64
)
_CHOICES_910A = [
    *([n] for n in range(8)),
    *([a, b] for block in (range(4), range(4, 8)) for a in block for b in block if a < b),
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    list(range(8)),
]


@st.composite
def inventories(draw: st.DrawFn, hardware: str) -> Inventory:
    """Servers that hardware allows, with addresses of either family."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    if hardware == "910A":
        count = len(draw(st.sampled_from(_CHOICES_910A)))
        choices = [choice for choice in _CHOICES_910A if len(choice) == count]
        chosen = [draw(st.sampled_from(choices)) for _ in names]
    else:
        devices = HARDWARE[hardware].devices
        count = draw(st.integers(1, devices))
        order = st.permutations(range(devices))
        chosen = [list(draw(order))[:count] for _ in names]
    total = count * len(names)
    address = st.ip_addresses(v=draw(st.sampled_from([4, 6]))).filter(_is_usable)
    ips = iter(draw(st.lists(address, min_size=total, max_size=total, unique=True)))
    return Inventory(
        tuple(
            Server(name, tuple(Device(device, str(next(ips))) for device in devices))
            for name, devices in zip(names, chosen)
        )
    )


def _is_usable(address: Any) -> bool:
    return not (address.is_multicast or address.is_unspecified or address.is_loopback)


@st.composite
def jobs(draw: st.DrawFn) -> tuple[str, str, Inventory]:
    """A template, hardware that reads it, and an inventory."""
    template = draw(st.sampled_from(list(TEMPLATES)))
    own = TEMPLATES[template].hardware
    hardware = own or draw(st.sampled_from(["910A", "910B", "A3"]))
    return template, hardware, draw(inventories(hardware))


@given(jobs())
@settings(max_examples=60)
def test_what_the_hardware_allows_is_made_written_read_and_clean(
    job: tuple[str, str, Inventory],
) -> None:
    template, hardware, inventory = job
    assert inventory_problems(hardware, inventory) == []
    table = create(inventory, template)
    reading = read(dump(table))
    assert (reading.table, reading.warnings) == (table, ())
    assert check(reading.table, hardware=hardware) == []
    expected = [
        (server.id, device.id, device.ip)
        for server in inventory.servers
        for device in server.devices
    ]
    assert [(p.server, p.device, p.ip) for p in table.placements] == expected
    assert [place.rank for place in table.placements] == list(range(inventory.size))


@given(jobs(), st.sampled_from(list(TEMPLATES)))
@settings(max_examples=60)
def test_there_and_back_keeps_placements(job: tuple[str, str, Inventory], through: str) -> None:
    template, _, inventory = job
    table = create(inventory, template)
    there = convert(table, through)
    back = convert(read(dump(there.table)).table, template)
    assert back.table.placements == table.placements


def _mutations(data: dict[str, Any], hardware: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Single changes that each break a rule of the checklist; template 1."""

    def changed(*steps: str | int, to: Any) -> dict[str, Any]:
        result = copy.deepcopy(data)
        place: Any = result
        for step in steps[:-1]:
            place = place[step]
        place[steps[-1]] = to
        return result

    servers = data["server_list"]
    ranks = sum(len(server["device"]) for server in servers)
    yield "status", changed("status", to="initializing")
    yield "version", changed("version", to="1.3")
    yield "count", changed("server_count", to=str(len(servers) + 1))
    for s, server in enumerate(servers):
        if s:
            yield "server twice", changed("server_list", s, "server_id", to=servers[0]["server_id"])
        for d, device in enumerate(server["device"]):
            at = ("server_list", s, "device", d)
            yield "rank out of range", changed(*at, "rank_id", to=str(ranks))
            if ranks > 1:
                twice = str((int(device["rank_id"]) + 1) % ranks)
                yield "rank twice", changed(*at, "rank_id", to=twice)
            if d:
                yield "device twice", changed(*at, "device_id", to=server["device"][0]["device_id"])
            yield "device out of range", changed(*at, "device_id", to=str(HARDWARE[hardware].most))
            yield "no address", changed(*at, "device_ip", to="10.0.0")
            if s or d:
                first = servers[0]["device"][0]["device_ip"]
                yield "address twice", changed(*at, "device_ip", to=first)
            for key in ("device_id", "rank_id"):
                broken = changed(*at, key, to=None)
                yield f"{key} of a wrong type", broken
                lacking = copy.deepcopy(data)
                del lacking["server_list"][s]["device"][d][key]
                yield f"{key} missing", lacking


@given(
    st.sampled_from(["910A", "910B", "A3"]).flatmap(lambda h: st.tuples(st.just(h), inventories(h)))
)
@settings(max_examples=25)
def test_any_single_fault_is_found(job: tuple[str, Inventory]) -> None:
    hardware, inventory = job
    data = json.loads(dump(create(inventory)))
    for name, broken in _mutations(data, hardware):
        try:
            found = check(read(json.dumps(broken)).table, hardware=hardware)
        except RankTableError as error:
            found = list(error.problems)
        assert errors(found), name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("status", "version", "server_list", "server_count", "device", "device_id"),
                    *("rank_id", "device_ip", "group_list", "instance_list", "devices", "pod_name"),
                    *("rank_list", "level_list", "rank_addr_list", "ports", "super_pod_list"),
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(JSON)
@settings(max_examples=200)
def test_any_json_is_a_table_or_a_clear_error(value: Any) -> None:
    _is_read_or_refused(json.dumps(value))


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_any_text_is_a_table_or_a_clear_error(text: str) -> None:
    _is_read_or_refused(text)


@given(st.data())
@settings(max_examples=150)
def test_a_damaged_table_is_a_table_or_a_clear_error(data: st.DataObject) -> None:
    inventory = Inventory((Server("a", (Device(0, "10.0.0.1"), Device(1, "10.0.0.2"))),))
    text = dump(create(inventory, data.draw(st.sampled_from(list(TEMPLATES)))))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    patch = data.draw(st.text(alphabet='{}[]:,"\\/#*0129eE.-tfn \n\x00é', max_size=3))
    _is_read_or_refused(text[:start] + patch + text[end:])


def _is_read_or_refused(text: str) -> None:
    try:
        reading = read(text, "table.json")
    except UsageError as error:
        assert error.message.startswith("table.json: $")
        assert error.message.isprintable()
    else:
        check(reading.table, {"RANK_SIZE": "1", "RANK_ID": "0"})
        for template in TEMPLATES:
            dump(convert(reading.table, template).table)
