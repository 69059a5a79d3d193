"""Check that the packages a command of the zoo needs are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

_PACKAGES = ("torch", "accelerate", "tensorboard", "PIL", "google_crc32c", "rapidfuzz")


def check_installed(packages: Iterable[str] = _PACKAGES, extra: str = "zoo") -> None:
    """Refuse to start without the packages of an extra.

    Raises:
        UsageError: one is missing.
    """
    from ascendify.errors import UsageError

    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the zoo needs {', '.join(missing)}, which Python does not find here",
            f"pip install 'ascendify[{extra}]'",
        )
