"""Names of the user's own that speak of a device."""

from __future__ import annotations

import re

_DEVICE_WORD = re.compile(r"(?:^|[^a-z])(?:dev|devs|device|devices|map_?location)(?:[^a-z]|$)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def says_device(name: str) -> bool:
    """Whether a name of the user's speaks of a device, as ``eval_device`` does."""
    return bool(_DEVICE_WORD.search(_CAMEL.sub("_", name).lower()))
