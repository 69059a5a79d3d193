"""Releases of PyTorch and TensorFlow that the emulation works with, as tools/try_releases.py found.

``data/tried.json`` has the oldest release and every minor release of a framework.
"""

import json
import os
import re
import warnings

_DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "tried.json")


def oldest(framework):
    """Return the oldest release of ``torch`` or ``tensorflow`` that was tried."""
    return _read(framework)["oldest"]


def lines(framework):
    """Return the minor releases that were tried, such as ``2.15``, oldest first."""
    return _read(framework)["lines"]


def nearest_before(framework, line):
    """Return the newest minor release that was tried and is older than another, such as (2, 16)."""
    return [one for one in lines(framework) if numbers(one) < line][-1]


def warn_if_untried(framework, title, version, consequence):
    """Warn that a release was not tried; the last argument is a sentence about what happens now."""
    if line_of(version) not in lines(framework):
        warnings.warn(
            "ascendify: the emulation was not tried with {} {}, but with {}. {}".format(
                title, version, ", ".join(lines(framework)), consequence
            ),
            stacklevel=3,
        )


def numbers(version):
    """Return major and minor number of a release."""
    return tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", version).groups())


def line_of(version):
    """Return the minor release of a release: ``2.15`` for ``2.15.1``."""
    return ".".join(map(str, numbers(version)))


def _read(framework):
    with open(_DATA, encoding="utf-8") as file:
        return json.load(file)[framework]
