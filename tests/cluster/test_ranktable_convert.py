"""Converting: placements stay, and what another template cannot say is reported."""

from __future__ import annotations

import pytest

from ascendify.cluster.inventory import Device, Inventory, Server
from ascendify.cluster.problem import errors
from ascendify.cluster.ranktable import TEMPLATES, Placement, check, convert, create, read
from ascendify.errors import UsageError
from support.ranktable_cases import SAMPLES, reading

LOST = [
    ("1.0", "1.2", ()),
    ("1.0", "2", ("host_ip of 4 ranks",)),
    ("1.0", "2.0", ("host_ip of 4 ranks",)),
    ("2", "1.0", ("pod_name of 2 ranks",)),
    ("2", "1.2", ("pod_name of 2 ranks",)),
    ("2", "2.0", ("pod_name of 2 ranks",)),
    (
        "1.2",
        "1.0",
        (
            "backup_device_ip of 4 ranks",
            "backup_device_port of 4 ranks",
            "super_device_id of 4 ranks",
            "super_pod_list of 4 ranks",
        ),
    ),
    ("2.0", "1.0", ("level_list of 4 ranks",)),
    ("2.0", "2", ("device_port of 4 ranks", "level_list of 4 ranks")),
]


@pytest.mark.parametrize(
    ("source", "target", "losses"), LOST, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_conversion_keeps_who_sits_where_and_tells_what_it_loses(
    source: str, target: str, losses: tuple[str, ...]
) -> None:
    table = reading(SAMPLES[source]).table
    converted = convert(table, target)
    assert (converted.table.template, converted.losses) == (target, losses)
    assert _seats(converted.table.placements) == _seats(table.placements)


def _seats(placements: tuple[Placement, ...]) -> list[tuple[int, str, int, str]]:
    return [(place.rank, place.server, place.device, place.ip) for place in placements]


@pytest.mark.parametrize("template", SAMPLES)
def test_a_table_in_its_own_template_stays_as_it_is(template: str) -> None:
    table = reading(SAMPLES[template]).table
    converted = convert(table, template)
    assert (converted.table, converted.losses) == (table, ())


def test_ranks_that_mix_servers_cannot_be_kept_by_places_in_a_file() -> None:
    text = (
        '{"status": "completed", "version": "1.0", "server_count": "2", "server_list": ['
        '{"server_id": "a", "device": [{"device_id": "0", "rank_id": "0"},'
        ' {"device_id": "1", "rank_id": "2"}]},'
        '{"server_id": "b", "device": [{"device_id": "0", "rank_id": "1"}]}]}'
    )
    assert convert(read(text).table, "2").losses == ("the numbers of 2 ranks",)


def test_the_status_is_kept() -> None:
    data = {**SAMPLES["1.0"], "status": "initializing"}
    assert convert(reading(data).table, "2").table.status == "initializing"


def test_pods_of_one_server_become_that_server() -> None:
    converted = convert(reading(SAMPLES["2"]).table, "1.0").table
    assert errors(check(converted)) == []
    assert [place.server for place in converted.placements] == ["10.0.0.10"] * 2


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_table_is_made_of_an_inventory(template: str) -> None:
    devices = (Device(4, "10.1.0.4"), Device(5, "fd00::5"))
    inventory = Inventory(
        (Server("b", devices), Server("a", (Device(4, "10.1.1.4"), Device(5, "10.1.1.5"))))
    )
    table = create(inventory, template)
    assert table.template == template
    assert _seats(table.placements) == [
        (0, "b", 4, "10.1.0.4"),
        (1, "b", 5, "fd00::5"),
        (2, "a", 4, "10.1.1.4"),
        (3, "a", 5, "10.1.1.5"),
    ]
    assert check(table) == []


def test_an_unknown_template_is_refused() -> None:
    with pytest.raises(UsageError, match=r"there is no template 3\.0"):
        create(Inventory(()), "3.0")
