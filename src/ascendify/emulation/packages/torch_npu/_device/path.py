"""Which of the two ways the emulation shares bytes between cpu tensors and npu tensors.

The fast way writes two words of the C++ core in place (`layout`), and is taken where they are found
and proven. The portable way hands bytes over through DLPack, which costs a few microseconds more an
operator. ASCENDIFY_EMULATION_PATH names one of them, for tests and for comparing.
"""

import os

import torch

VARIABLE = "ASCENDIFY_EMULATION_PATH"
FAST, PORTABLE = "fast", "portable"
why_not_fast = ""


def _choose():
    global why_not_fast
    wanted = os.environ.get(VARIABLE) or FAST
    if wanted not in (FAST, PORTABLE):
        raise ImportError(f"ascendify: {VARIABLE}={wanted}: it is {FAST} or {PORTABLE}")
    if wanted == FAST:
        try:
            from torch_npu._device import layout  # noqa: F401
        except ImportError as error:
            why_not_fast = str(error)
        else:
            return FAST
    return PORTABLE


chosen = _choose()
is_fast = chosen == FAST
