"""Count printing of a tensor as one wait for the device.

torch converts the values to float64 to choose the number of digits. These operators are not the
program's own and are not counted.
"""

import functools

import torch

from torch_npu._watch import operators, user_lines


def begin():
    """Count printed tensors, and do not count the operators that printing runs."""
    write = torch._tensor_str._str

    @functools.wraps(write)
    def watched(tensor, *args, **kwargs):
        if tensor.device.type == "npu":
            operators.wait(operators.PRINTED, user_lines.current())
        with operators.unwatched():
            return write(tensor, *args, **kwargs)

    torch._tensor_str._str = watched
