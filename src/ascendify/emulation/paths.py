"""Where the stand-ins are, for the search path of the user's interpreter."""

from __future__ import annotations

from pathlib import Path

_ROOM = Path(__file__).resolve().parent

PACKAGES = _ROOM / "packages"
"""Stand-ins for the NPU's packages."""
STARTUP = _ROOM / "startup"
"""Imported by every Python that a run starts."""
HOROVOD = _ROOM / "horovod"
"""Stand-in for Horovod, for originals on machines that have none."""
COMMANDS = _ROOM / "bin"
"""Stand-ins for the commands of an NPU machine, found after the machine's own."""
