"""Families of Ascend training hardware: servers, memory, cores and number types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ascendify.catalog._data import sources, table


@dataclass(frozen=True)
class Hardware:
    """One family of servers and the devices in them."""

    name: str
    aliases: tuple[str, ...]
    series: str
    """The vendor's name of the products."""
    chip: str
    """The model of NPU that the emulation behaves like."""
    chips: str
    """A pattern of the names npu-smi shows, whatever their case."""
    emulated: bool
    """Whether the emulation can behave like this hardware."""
    devices: int
    """How many devices a server has."""
    most: int
    """How many the largest server of the family has."""
    memory: int
    """Bytes of a device; 0: no public figure."""
    cache: int
    """Bytes of the second-level cache; 0: no public figure."""
    cube_cores: int
    vector_cores: int
    bfloat16: bool
    """Whether it computes in bfloat16."""
    inf_nan: bool
    """Whether overflow gives infinity and NaN, rather than the largest number and a flag."""
    reduced: tuple[str, ...]
    """Types for which HCCL computes sum, maximum and minimum."""
    multiplied: tuple[str, ...]
    """Types for which HCCL computes products."""
    moved: tuple[str, ...]
    """Types that HCCL sends."""
    source: tuple[str, ...]
    counts: tuple[int, ...] = ()
    """How many devices of a server a job may use; empty: any number."""
    networks: tuple[frozenset[int], ...] = ()
    """Groups of devices that are connected; a job uses devices of one group, or all of them."""
    servers: int = 0
    """The largest number of servers that early releases support; 0: no limit is known."""
    shares_devices: bool = True
    """Whether several processes may use one device."""
    needs_addresses: bool = False
    """Whether devices need an address even on a single server."""


@cache
def families() -> dict[str, Hardware]:
    """Every family by its name, the oldest first."""
    found = [_hardware(row) for row in table("hardware")["hardware"]]
    return {each.name: each for each in found}


def emulated() -> tuple[str, ...]:
    """The names of the hardware families that can be emulated, the oldest first."""
    return tuple(name for name, each in families().items() if each.emulated)


def of_chip(name: str) -> Hardware | None:
    """The family of a device by its name in npu-smi, None when it is unknown."""
    return next(
        (each for each in families().values() if re.fullmatch(each.chips, name, re.IGNORECASE)),
        None,
    )


def _hardware(row: Mapping[str, Any]) -> Hardware:
    lists = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    networks = tuple(frozenset(each) for each in row.get("networks", ()))
    named = sources("hardware", row["source"])
    return Hardware(**{**row, **lists, "networks": networks, "source": named})
