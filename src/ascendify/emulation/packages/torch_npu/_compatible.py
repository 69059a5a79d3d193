"""Refuses to go on where the emulation cannot be right: another torch, or a real torch_npu."""

import importlib.machinery
import os
import re
import sys
from pathlib import Path

_OLDEST = (2, 1)
_NEWEST = (2, 99)
_FORCE = "ASCENDIFY_FORCE_EMULATION"


def check_torch(version):
    """Raise unless this version of torch has what the emulation builds on."""
    found = tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", version).groups())
    if not _OLDEST <= found <= _NEWEST:
        raise ImportError(
            f"The emulation of torch_npu works with torch 2.11 to 2.13, found torch {version}. "
            'Install one of them (for example: pip install "torch==2.13.*"), or run on a real NPU.'
        )


def check_alone(own_folder):
    """Raise when a real torch_npu is installed that this package would hide."""
    if os.environ.get(_FORCE) == "1":
        return
    folders = [folder for folder in sys.path if _is_elsewhere(folder, own_folder)]
    real = importlib.machinery.PathFinder.find_spec("torch_npu", folders)
    if real is not None and real.origin is not None:
        raise ImportError(
            f"A real torch_npu is installed ({real.origin}) and the emulation would hide it. Run "
            f"without the emulation, or set {_FORCE}=1 to emulate all the same."
        )


def _is_elsewhere(folder, own_folder):
    return Path(folder or os.curdir).resolve() != Path(own_folder).resolve()
