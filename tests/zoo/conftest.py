"""What every test of the zoo shares: one thread, for they share the machine and their numbers must
not vary; and the shipped fonts, for looking through those of a machine takes some seconds."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import ascendify

os.environ["ASCENDIFY_FONTS"] = str(Path(ascendify.__file__).parent / "zoo" / "rendering" / "fonts")

if importlib.util.find_spec("torch") is not None:
    import torch

    torch.set_num_threads(1)
