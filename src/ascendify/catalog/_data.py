"""Read the packaged tables, each once in a process and only when it is needed.

Each framework has tables of its own, so a project of one framework never loads another's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "data"
TENSORFLOW, TENSORFLOW2, TORCH = "tf1", "tf2", "torch"
"""The frameworks, as in the names of their tables."""
_SHARED = {"horovod.torch": TORCH, "horovod": TENSORFLOW}
"""Prefixes of packages for both frameworks, the longest first."""


@cache
def table(name: str) -> dict[str, Any]:
    """The packaged table of this name; read-only, because all callers share it."""
    data: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_bytes())
    return data


def sources(name: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The sources of an entry of a table, for the keys that it lists."""
    spelled = table(name)["sources"]
    return tuple(spelled[key] for key in keys)


def framework(name: str) -> str | None:
    """The framework whose tables may know a canonical name, None when none does."""
    root = name.partition(".")[0]
    if root == "horovod":
        return next(found for start, found in _SHARED.items() if name.startswith(start))
    return _by_root().get(root)


@cache
def _by_root() -> dict[str, str]:
    """First part of a name -> framework."""
    frameworks = table("frameworks")
    order = (TORCH, TENSORFLOW2, TENSORFLOW)  # the last one counts where several know a package
    return {root: name for name in order for root in frameworks[name].split()}


def is_package(name: str) -> bool:
    """Whether a name belongs to a package around PyTorch of which only a verdict is known."""
    return name.partition(".")[0] in table("frameworks")["packages"].split()
