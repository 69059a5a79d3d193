"""Watch what a program does on the device, for findings of strict mode and for the audit.

``begin`` is called once torch_npu is set up. Without strict mode and without an audit it does
nothing, and kernels are not slowed down.
"""

import os

from ascendify_runtime import findings


def wanted():
    """Whether strict mode or an audit is switched on."""
    return findings.strict() or bool(os.environ.get("ASCENDIFY_AUDIT"))


def begin():
    """Watch every kernel, training, and leftovers of CUDA, if strict mode or an audit is on."""
    if not wanted():
        return
    from torch_npu._device import kernels
    from torch_npu._watch import (
        at_exit,
        cuda_leftovers,
        operators,
        printing,
        synchronizing,
        training,
        unsupported_callables,
    )

    kernels.watch(operators.check_operator)
    printing.begin()
    synchronizing.begin()
    training.begin()
    cuda_leftovers.begin()
    if findings.strict():
        unsupported_callables.begin()
    at_exit.begin()
