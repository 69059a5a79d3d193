"""What passes through every kernel, looked at: findings of strict mode, records of an audit.

``begin`` is called once torch_npu is set up. Without strict mode and without an audit it does
nothing, and no kernel is slowed down.
"""

import os

from ascendify_runtime import findings


def wanted():
    """Whether this process is looked at."""
    return findings.strict() or bool(os.environ.get("ASCENDIFY_AUDIT"))


def begin():
    """Look at every kernel, at training, and at what is left of CUDA, where a run asks for it."""
    if not wanted():
        return
    from torch_npu._device import kernels
    from torch_npu._watch import (
        at_exit,
        cuda_leftovers,
        operators,
        printing,
        training,
        unsupported_callables,
    )

    kernels.watch(operators.see)
    printing.begin()
    training.begin()
    cuda_leftovers.begin()
    if findings.strict():
        unsupported_callables.begin()
    at_exit.begin()
