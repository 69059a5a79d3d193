"""Refuses a torch that is too old to be emulated on, and names the nearest release that is not.

A real ``torch_npu`` that is installed is no reason to stop: this package is found before it only
because somebody asked for the emulation, and without an NPU the real one cannot be imported.
"""

import json
import re
import warnings
from pathlib import Path

_TRIED = Path(__file__).parent / "_release" / "tried.json"
"""The oldest torch that the emulation was tried with and works on, and every line of releases; it
is written by tools/try_releases.py."""


def check_torch(version):
    """Raise where torch is older than all that were tried; warn where it is another one.

    A newer one is not refused: the emulation proves at import what it builds on.
    """
    tried = json.loads(_TRIED.read_text(encoding="utf-8"))
    if _numbers(version) < _numbers(tried["oldest"]):
        raise ImportError(
            "ascendify: an emulated NPU is not possible with torch %s; the nearest release that "
            'has it is torch %s (for example: pip install "torch==%s"), or run on a real NPU.'
            % (version, _line(tried["oldest"]), tried["oldest"])
        )
    if _line(version) not in tried["lines"]:
        warnings.warn(
            "ascendify: the emulated NPU was not tried with torch %s, but with %s. What it builds "
            "on is tested now, at import; if that passes, the emulation goes on."
            % (version, ", ".join(tried["lines"])),
            stacklevel=2,
        )


def _numbers(version):
    return tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", version).groups())


def _line(version):
    return ".".join(map(str, _numbers(version)))
