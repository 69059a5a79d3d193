"""Draw a rank table on the terminal: a row for each server, a cell for each of its devices."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import ROUNDED
from rich.table import Table as Grid
from rich.text import Text

from ascendify.cluster.ranktable.model import RankEntry, Table, by_server

_SIZES = (8, 16, 32, 64, 128)
"""How many devices servers have."""
_Row = tuple[str, list[RankEntry]]
_BLOCK = 4
"""Devices drawn as one block: those of one network, on hardware that has networks."""
_BLOCKS_A_LINE = 8
_MOST_ROWS = 16
_FIRST, _LAST = 8, 4
"""Rows that stay when others are folded."""
_USED, _FREE, _WALL = "■", "·", "│"
_PLAIN = {_USED: "#", _FREE: ".", _WALL: "|", "…": "..."}


def summary(table: Table) -> str:
    """Summarise a table in one line."""
    servers = len({place.server for place in table.placements})
    what = [
        f"template {table.template}",
        table.status,
        f"{_plural(table.size, 'rank')} on {_plural(servers, 'server')}",
    ]
    return ", ".join(what)


def picture(table: Table, width: int, *, everything: bool = False, plain: bool = False) -> Grid:
    """Draw the servers in order; fold the middle of a long list unless ``everything`` is set."""
    entries = sorted(table.entries(), key=lambda entry: entry.rank)
    rows = list(by_server(entries).items())
    marks = {key: key for key in _PLAIN} if not plain else _PLAIN
    grid = Grid(box=ROUNDED, pad_edge=True, expand=False)
    extra = [
        key
        for key in ("super_pod", "pod")
        if any(getattr(entry, key) not in ("", entry.server) for entry in entries)
    ]
    for key in ("server", *extra, "ranks"):
        grid.add_column(key.replace("_", " "), overflow="ellipsis", no_wrap=True)
    used = sum(min(24, _widest(rows, key)) + 3 for key in ("server", *extra)) + 16
    cells = _Cells(entries, width - used, marks)
    grid.add_column(cells.header(), no_wrap=True)
    first, folded, last = _fold(rows, everything)
    for number, (name, members) in enumerate(first + last):
        if folded and number == len(first):
            grid.add_row(f"{marks['…']} {folded} more")
        own = [", ".join(dict.fromkeys(getattr(entry, key) for entry in members)) for key in extra]
        grid.add_row(Text(name), *map(Text, own), _ranks(members), cells.row(members))
    return grid


def listing(table: Table, *, everything: bool = False) -> Grid:
    """List every rank with its address."""
    grid = Grid(box=None, pad_edge=False)
    for key in ("rank", "server", "device", "address", "pod"):
        grid.add_column(key, no_wrap=True)
    places = list(table.placements)
    most = len(places) if everything else _MOST_ROWS * 8
    for place in places[:most]:
        named = (place.server, str(place.device), place.ip or "-", place.pod or "-")
        grid.add_row(str(place.rank), *map(Text, named))
    if len(places) > most:
        grid.add_row("", f"{len(places) - most} more ranks")
    return grid


class _Cells:
    """The devices of a row: numbers of ranks where they fit, marks where they do not."""

    def __init__(self, entries: Sequence[RankEntry], room: int, marks: dict[str, str]) -> None:
        highest = max((entry.device for entry in entries), default=0)
        self._slots = next((size for size in _SIZES if highest < size), highest + 1)
        self._marks = marks
        last = max((entry.rank for entry in entries), default=0)
        width = max(len(str(last)), len(str(self._slots - 1)))
        blocks = -(-self._slots // _BLOCK)
        self._fits = self._slots * (width + 1) + blocks * 2 <= room
        self._width = width if self._fits else 1

    def header(self) -> Text:
        if not self._fits:
            return Text(f"devices 0 to {self._slots - 1}")
        return self._join([str(slot) for slot in range(self._slots)])

    def row(self, members: Sequence[RankEntry]) -> Text:
        ranks = {entry.device: str(entry.rank) for entry in members}
        free, used = self._marks[_FREE], self._marks[_USED]
        shown = [
            free if slot not in ranks else ranks[slot] if self._fits else used
            for slot in range(self._slots)
        ]
        return self._join(shown)

    def _join(self, cells: Sequence[str]) -> Text:
        gap = " " if self._fits else ""
        wall = f" {self._marks[_WALL]} " if self._fits else " "
        starts = range(0, len(cells), _BLOCK)
        blocks = [
            gap.join(f"{cell:>{self._width}}" for cell in cells[start : start + _BLOCK])
            for start in starts
        ]
        a_line = len(blocks) if self._fits else _BLOCKS_A_LINE
        lines = range(0, len(blocks), a_line)
        return Text("\n".join(wall.join(blocks[line : line + a_line]) for line in lines))


def _fold(rows: list[_Row], everything: bool) -> tuple[list[_Row], int, list[_Row]]:
    """Return the first rows, the number of rows left out, and the last rows."""
    if everything or len(rows) <= _MOST_ROWS:
        return rows, 0, []
    return rows[:_FIRST], len(rows) - _FIRST - _LAST, rows[-_LAST:]


def _ranks(members: Sequence[RankEntry]) -> str:
    ranks = [entry.rank for entry in members]
    return f"{min(ranks)}-{max(ranks)}" if len(ranks) > 1 else str(ranks[0])


def _widest(rows: Sequence[_Row], key: str) -> int:
    return max((len(getattr(entry, key)) for _, members in rows for entry in members), default=0)


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"
