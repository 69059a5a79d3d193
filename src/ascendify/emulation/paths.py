"""Folders of the stand-ins, for the search path of the user's interpreter."""

from __future__ import annotations

from pathlib import Path

_ROOM = Path(__file__).resolve().parent

PACKAGES = _ROOM / "packages"
"""Stand-ins for the NPU's packages."""
STARTUP = _ROOM / "startup"
"""Start-up code that every Python process of a run imports (``sitecustomize``)."""
HOROVOD = _ROOM / "horovod"
"""Stand-in for Horovod, for original projects on machines without Horovod."""
COMMANDS = _ROOM / "bin"
"""Stand-ins for the commands of an NPU machine; searched after the machine's own commands."""
