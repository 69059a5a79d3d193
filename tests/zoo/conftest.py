"""One thread for every test of the zoo: they share the machine, and their numbers must not vary."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("torch") is not None:
    import torch

    torch.set_num_threads(1)
