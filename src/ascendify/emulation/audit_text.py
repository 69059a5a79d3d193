"""An audit as a few lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ascendify.emulation.audit import Audit, AuditEvent, OperatorUse

_SHOWN = 8
"""Rows of each table."""
_KIB = 1024


def lines(audit: Audit) -> Iterator[str]:
    """A line with the main counts, then a table of each kind of event, the most frequent first."""
    if not audit.processes:
        yield "Audit: nothing was counted; it counts what PyTorch does on the device"
        return
    peak = max(one.peak_bytes for one in audit.processes)
    yield f"Audit: {audit.summary}, at most {size(peak)} on a device"
    yield from _table("operator", (_operator(use) for use in audit.operators))
    yield from _table(
        "copies",
        (
            (f"{move.direction}, {size(move.bytes)}", _place(move.path, move.line), move.count)
            for move in audit.moves
        ),
    )
    yield from _table("waits for the device", map(_event, audit.waits))
    yield from _table("left of CUDA", map(_event, (*audit.cuda, *audit.variables)))


def size(number: int) -> str:
    """Bytes in the unit people read: ``1.5 MiB``."""
    amount = float(number)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if amount < _KIB or unit == "GiB":
            break
        amount /= _KIB
    return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"


def _operator(use: OperatorUse) -> tuple[str, str, int]:
    unsupported = f" [{use.support}]" if use.support == "unsupported" else ""
    kind = f" {use.dtype}" if use.dtype else ""
    return f"{use.operator}{kind}{unsupported}", _place(use.path, use.line), use.count


def _event(event: AuditEvent) -> tuple[str, str, int]:
    return event.what, _place(event.path, event.line), event.count


def _place(path: str, line: int) -> str:
    return f"{path}:{line}" if path else "(no line of yours)"


def _table(title: str, rows: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        return
    shown = listed[:_SHOWN]
    wide = max(len(title), *(len(what) for what, _, _ in shown))
    digits = max(len("count"), *(len(str(count)) for _, _, count in shown))
    yield f"  {'count':>{digits}}  {title:<{wide}}  line"
    for what, place, count in shown:
        yield f"  {count:>{digits}}  {what:<{wide}}  {place}"
    if len(listed) > _SHOWN:
        yield f"  {'':>{digits}}  and {len(listed) - _SHOWN} more"
