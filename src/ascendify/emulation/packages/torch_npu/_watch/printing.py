"""Printing a tensor waits for the device, and that is all there is to it.

torch looks at the values in float64 to choose how many digits to show. What it computes for that is
neither the program's nor worth a word.
"""

import functools

import torch

from torch_npu._watch import operators, user_lines


def begin():
    """Count what is printed, and look at nothing that printing computes."""
    write = torch._tensor_str._str

    @functools.wraps(write)
    def watched(tensor, *args, **kwargs):
        if tensor.device.type == "npu":
            operators.wait(operators.PRINTED, user_lines.current())
        with operators.unwatched():
            return write(tensor, *args, **kwargs)

    torch._tensor_str._str = watched
