"""Which devices work together, on inventories; tables are in test_ranktable_check."""

from __future__ import annotations

import pytest

from ascendify.cluster.inventory import from_counts, from_hosts
from ascendify.cluster.topology import HARDWARE, find, inventory_problems
from ascendify.errors import UsageError


def test_a_problem_names_the_server() -> None:
    (problem,) = inventory_problems("910A", from_hosts("a:4,b:3-6"))
    assert (problem.path, problem.value, problem.severity) == ("server b", "3, 4, 5, 6", "error")


@pytest.mark.parametrize("servers", [1, 2, 3, 128])
@pytest.mark.parametrize("devices", [1, 2, 4, 8])
def test_every_hardware_takes_the_numbers_of_the_oldest(servers: int, devices: int) -> None:
    for name in (*HARDWARE, None):
        assert inventory_problems(name, from_counts(servers, devices)) == []


def test_early_releases_know_128_servers() -> None:
    (problem,) = inventory_problems("910A", from_counts(129, 8))
    assert (problem.value, problem.severity) == ("129 servers", "warning")


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("at", "910A"),
        ("Ascend910", "910A"),
        ("A2", "910B"),
        ("910b", "910B"),
        ("a3", "A3"),
        ("950", "950"),
    ],
)
def test_hardware_has_several_names(word: str, name: str) -> None:
    assert find(word) is HARDWARE[name]


def test_unknown_hardware_is_refused() -> None:
    with pytest.raises(UsageError, match='unknown hardware "V100"') as caught:
        inventory_problems("V100", from_counts(1, 1))
    assert "910A, 910B, A3, 950" in caught.value.hint
