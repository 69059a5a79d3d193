"""Files for graphs and sessions of compat.v1, which the rules of TensorFlow 1 look at."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from ascendify.rules.kit import Diagnoses, Site

_S = TypeVar("_S", bound=Site)


def outside_graphs(handler: Callable[[_S], Diagnoses]) -> Callable[[_S], Diagnoses]:
    """Make a handler ignore files in which a rule of TensorFlow 1 does the same for graphs."""

    @functools.wraps(handler)
    def guarded(site: _S) -> Diagnoses:
        if "tensorflow" not in site.file.frameworks:
            yield from handler(site)

    return guarded
