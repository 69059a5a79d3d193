"""From one template to another, and from an inventory to a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.inventory import Inventory
from ascendify.cluster.ranktable.model import WORLD, Seat, Table
from ascendify.cluster.ranktable.templates import find

_NAMES = {
    "pod": "pod_name",
    "group": "group_name",
    "super_pod": "super_pod_list",
    "levels": "level_list",
}
"""What a seat's field is called in the tables."""
_OPTIONAL = tuple(Seat._field_defaults.keys() - {"ip", "path", "server_path"})


@dataclass(frozen=True)
class Conversion:
    """A table in another template."""

    table: Table
    losses: tuple[str, ...] = ()
    """What the other template cannot say, each with how many ranks had it."""


def create(inventory: Inventory, template: str = "1.0") -> Table:
    """A table for all devices of an inventory; ranks are in its order."""
    places = (
        (server.id, device.id, device.ip)
        for server in inventory.servers
        for device in server.devices
    )
    return find(template).build([Seat(rank, *place) for rank, place in enumerate(places)])


def convert(table: Table, template: str) -> Conversion:
    """The same placements in another template, and what is lost on the way."""
    target = find(template)
    if isinstance(table, target):
        return Conversion(table)
    seats = sorted(table.seats(), key=lambda seat: seat.rank)
    built = target.build(seats, table.status)
    losses = [*_losses(seats, target), *_moved(table, built)]
    return Conversion(built, tuple(losses))


def _losses(seats: Sequence[Seat], target: type[Table]) -> Iterator[str]:
    for name in sorted(set(_OPTIONAL) - target.keeps):
        having = [seat for seat in seats if getattr(seat, name) not in ("", None, ())]
        if having and not _follows(name, having):
            yield f"{_NAMES.get(name, name)} of {len(having)} ranks"


def _moved(table: Table, built: Table) -> Iterator[str]:
    """Ranks that sit elsewhere: numbers that are places in the file cannot mix servers."""
    pairs = zip(table.placements, built.placements)
    moved = sum((a.rank, a.server, a.device) != (b.rank, b.server, b.device) for a, b in pairs)
    if moved:
        yield f"the numbers of {moved} ranks"


def _follows(name: str, seats: Sequence[Seat]) -> bool:
    """Whether it says nothing new: a pod that is its server, a local id that is its device."""
    if name == "pod":
        return all(seat.pod == seat.server for seat in seats)
    if name == "group":
        return all(seat.group == WORLD for seat in seats)
    if name == "local_id":
        return all(seat.local_id == seat.device for seat in seats)
    return False
