"""Tell the release of TensorFlow from names that only one release has."""

from __future__ import annotations

from functools import cache

from ascendify.catalog._data import TENSORFLOW, TENSORFLOW2, table

TF1, TF2 = TENSORFLOW, TENSORFLOW2
WORDS = {TF1: "TensorFlow 1", TF2: "TensorFlow 2"}
"""The releases in words."""


@cache
def only_in(dotted: str) -> str:
    """The release that alone has ``tensorflow.<dotted>``, or what it is below; empty if both do.

    >>> only_in("Session"), only_in("config.list_physical_devices"), only_in("nn.dropout")
    ('tf1', 'tf2', '')
    """
    parts = dotted.split(".")
    for end in range(1, len(parts) + 1):
        module, last = ".".join(parts[: end - 1]), parts[end - 1]
        for release in (TF1, TF2):
            if last in _names(release).get(module, ()):
                return release
    return ""


@cache
def _names(release: str) -> dict[str, frozenset[str]]:
    """Module below ``tensorflow`` -> names in it that only this release has."""
    data: dict[str, str] = table("tensorflow-releases")[release]
    return {module: frozenset(words.split()) for module, words in data.items()}
