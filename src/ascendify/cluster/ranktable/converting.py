"""Create a rank table from an inventory, and convert tables between templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.inventory import Inventory
from ascendify.cluster.ranktable.model import WORLD, RankEntry, Table
from ascendify.cluster.ranktable.templates import find

_NAMES = {
    "pod": "pod_name",
    "group": "group_name",
    "super_pod": "super_pod_list",
    "levels": "level_list",
}
"""Names that the fields of an entry have in the tables, where they differ."""
_OPTIONAL = tuple(RankEntry._field_defaults.keys() - {"ip", "path", "server_path"})


@dataclass(frozen=True)
class Conversion:
    """A table in another template."""

    table: Table
    losses: tuple[str, ...] = ()
    """Fields that the other template lacks, with the number of ranks that had a value."""


def create(inventory: Inventory, template: str = "1.0") -> Table:
    """Create a table for all devices of an inventory, ranks in its order."""
    places = (
        (server.id, device.id, device.ip)
        for server in inventory.servers
        for device in server.devices
    )
    return find(template).build([RankEntry(rank, *place) for rank, place in enumerate(places)])


def convert(table: Table, template: str) -> Conversion:
    """Convert a table to another template, and list what is lost."""
    target = find(template)
    if isinstance(table, target):
        return Conversion(table)
    entries = sorted(table.entries(), key=lambda entry: entry.rank)
    built = target.build(entries, table.status)
    losses = [*_losses(entries, target), *_list_renumbered(table, built)]
    return Conversion(built, tuple(losses))


def _losses(entries: Sequence[RankEntry], target: type[Table]) -> Iterator[str]:
    for name in sorted(set(_OPTIONAL) - target.keeps):
        having = [entry for entry in entries if getattr(entry, name) not in ("", None, ())]
        if having and not _is_redundant(name, having):
            yield f"{_NAMES.get(name, name)} of {len(having)} ranks"


def _list_renumbered(table: Table, built: Table) -> Iterator[str]:
    """Report ranks whose number changed: template 2 numbers ranks by their order in the file."""
    pairs = zip(table.placements, built.placements)
    moved = sum((a.rank, a.server, a.device) != (b.rank, b.server, b.device) for a, b in pairs)
    if moved:
        yield f"the numbers of {moved} ranks"


def _is_redundant(name: str, entries: Sequence[RankEntry]) -> bool:
    """Whether a field repeats another: a pod named like its server, a local id like its device."""
    if name == "pod":
        return all(entry.pod == entry.server for entry in entries)
    if name == "group":
        return all(entry.group == WORLD for entry in entries)
    if name == "local_id":
        return all(entry.local_id == entry.device for entry in entries)
    return False
