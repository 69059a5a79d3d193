"""Where a value was seen to go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

_PLACES = 3
"""So many places are named in a message."""


@dataclass
class Flow:
    """Where a value was seen to go."""

    device: list[str] = field(default_factory=list)
    """Places that take a device."""
    likely: list[str] = field(default_factory=list)
    """Places that only their names make a device's."""
    unknown: list[str] = field(default_factory=list)
    """Places nobody can look into."""
    compared: list[str] = field(default_factory=list)
    """Comparisons with other values."""
    shown: int = 0
    """How often it is only printed, tested or put into a path."""

    @property
    def is_device(self) -> bool:
        """Whether it names a device, for certain or by all signs."""
        return bool(self.device or self.likely)

    def places(self) -> str:
        """The places it goes to, for a message."""
        return _listed([*self.device, *self.likely, *self.unknown, *self.compared])


def _listed(places: Iterable[str]) -> str:
    found = list(dict.fromkeys(places))
    more = len(found) - _PLACES
    return ", ".join(found[:_PLACES]) + (f" and {more} more" if more > 0 else "")
