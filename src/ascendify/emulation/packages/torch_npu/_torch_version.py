"""Refuse a torch that is too old for the emulation, and name the nearest release that works.

An installed real ``torch_npu`` is no error: this package comes before it on the search path only if
the user has requested the emulation, and without an NPU the real one cannot be imported.
"""

import json
import re
import warnings
from pathlib import Path

_TRIED = Path(__file__).parent / "_release" / "tried.json"
"""The oldest torch that the emulation works with, and every minor release it was tried with; the
file is written by tools/try_releases.py."""


def check_torch(version):
    """Raise if torch is older than all tried releases; warn if it was not tried.

    A newer release is not refused: the emulation tests its assumptions at import.
    """
    tried = json.loads(_TRIED.read_text(encoding="utf-8"))
    if _numbers(version) < _numbers(tried["oldest"]):
        raise ImportError(
            "ascendify: an emulated NPU is not possible with torch %s; the nearest release that "
            'supports it is torch %s (for example: pip install "torch==%s"), or run on a real NPU.'
            % (version, _line(tried["oldest"]), tried["oldest"])
        )
    if _line(version) not in tried["lines"]:
        warnings.warn(
            "ascendify: the emulated NPU was not tried with torch %s, but with %s. Its assumptions "
            "are tested now, at import; if the tests pass, the emulation continues."
            % (version, ", ".join(tried["lines"])),
            stacklevel=2,
        )


def _numbers(version):
    return tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", version).groups())


def _line(version):
    return ".".join(map(str, _numbers(version)))
