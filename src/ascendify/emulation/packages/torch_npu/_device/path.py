"""Choose the path on which bytes are shared between cpu tensors and npu tensors.

The fast path writes two fields of the C++ tensor in place (`layout`), and is used if they are found
and tested. The portable path passes bytes through DLPack (`alias_portable`), which costs some
microseconds more per operator and needs torch 2.6. ASCENDIFY_EMULATION_PATH chooses one of them,
for tests and comparisons.
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
    else:
        why_not_fast = f"{VARIABLE} is set"
    _check_capsules()
    return PORTABLE


def _check_capsules():
    from torch_npu._device import alias_portable

    try:
        alias_portable.prove()
    except ImportError as error:
        raise ImportError(
            f"ascendify: torch {torch.__version__} cannot have tensors of an emulated NPU: the "
            f"fast path is not possible ({why_not_fast}), and the portable path needs a torch that "
            f"accepts memory of other devices from DLPack ({error}). Use torch 2.6 or newer, or "
            "the build of this release on the package index."
        ) from error


chosen = _choose()
is_fast = chosen == FAST
