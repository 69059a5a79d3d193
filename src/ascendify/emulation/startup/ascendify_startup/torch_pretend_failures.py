"""What the pretended GPU cannot do, said in the user's words.

The first line of each message starts with ``ascendify:``, names what is missing and says what to
do. PyTorch's own message, which lists every dispatch key, is cut.
"""

import re
import sys

ADVICE = (
    "Leave the call out where the program is verified, or run the original on a real GPU "
    "(ascendify verify --original-on gpu)."
)
_NO_KERNEL = re.compile(r"Could not run '([\w:.]+)' with arguments from the '(\w+)' backend")
_NO_NUMBER_FORMAT = re.compile(r"not implemented for '(Half|BFloat16)'")
_NO_GPU = (
    "Found no NVIDIA driver",
    "NVIDIA driver on your system is too old",
    "CUDA driver version is insufficient",
    "CUDA driver initialization failed",
    "Torch not compiled with CUDA enabled",
    "No CUDA GPUs are available",
    "no CUDA-capable device is detected",
    "PyTorch is not linked with support for cuda",
    "without ATen_cuda library",
    "Cannot access accelerator device when none is available",
)


class NotPretendedError(RuntimeError):
    """Something of a GPU that the pretended one does not have."""


def refusal(what):
    """The error for something that is not emulated."""
    return NotPretendedError(
        "ascendify: the pretended GPU does not emulate %s.\n%s" % (what, ADVICE)
    )


def refuse(what):
    """A function that raises this error."""

    def refused(*args, **kwargs):
        raise refusal(what)

    return refused


def recover(func, args, kwargs, error):
    """Do a call that failed on the CPU in another way, or raise an error that says why not."""
    text = str(error)
    if _NO_NUMBER_FORMAT.search(text):
        return in_float32(func, args, kwargs)
    found = _NO_KERNEL.search(text)
    if found is not None:
        raise NotImplementedError(
            "ascendify: the pretended GPU computes on the CPU, for which PyTorch has no kernel "
            "of %s.\n%s" % (found.group(1), ADVICE)
        ) from None
    if any(reason in text for reason in _NO_GPU):
        raise NotPretendedError(
            "ascendify: %s asked for a real GPU, and the pretended one does not emulate it.\n%s"
            % (_name(func), ADVICE)
        ) from None
    raise error


def in_float32(func, args, kwargs):
    """Compute in float32 what a CPU cannot compute in half precision, and round the results.

    Old releases have few kernels for half precision on a CPU.
    """
    import torch

    halves = (torch.float16, torch.bfloat16)
    found = []

    def wide(value):
        if isinstance(value, torch.Tensor) and value.dtype in halves:
            found.append(value.dtype)
            return value.float()
        if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
            return type(value)([wide(one) for one in value])
        if value in halves and isinstance(value, torch.dtype):
            found.append(value)
            return torch.float32
        return value

    def narrow(value):
        if isinstance(value, torch.Tensor) and value.dtype is torch.float32:
            return value.to(found[0])
        if isinstance(value, (tuple, list)):
            return tuple(narrow(one) for one in value)
        return value

    wide_args = [wide(one) for one in args]
    wide_kwargs = {name: wide(one) for name, one in kwargs.items()}
    result = func(*wide_args, **wide_kwargs)
    if not found:
        return result
    if args and result is wide_args[0]:  # changed in place
        return args[0].copy_(result)
    return narrow(result)


def _name(func):
    from torch import overrides

    return overrides.resolve_name(func) or getattr(func, "__name__", None) or str(func)


def initialise_lazily():
    """Stand in for ``torch.cuda._lazy_init``, which torch calls before it asks the driver.

    A program may call it. If torch does, it is about to do something that was not replaced.
    """
    caller = sys._getframe(1)
    while caller.f_globals.get("__name__", "").startswith("ascendify_startup"):
        caller = caller.f_back
    code = caller.f_code
    module = caller.f_globals.get("__name__", "")
    if "_lazy_init" in code.co_names:
        if not module.startswith("torch."):
            return
        raise refusal("%s.%s" % (module, getattr(code, "co_qualname", code.co_name)))
    raise refusal("the call in line %d of %s" % (caller.f_lineno, code.co_filename))
