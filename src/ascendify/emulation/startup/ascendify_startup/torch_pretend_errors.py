"""Errors for functions that the pretended GPU does not support.

The first line of each message starts with ``ascendify:`` and names what is missing; the second says
what to do. PyTorch's own message, which lists every dispatch key, is left out.
"""

import re
import sys

ADVICE = (
    "Leave the call out where the program is verified, or run the original on a real GPU "
    "(ascendify verify --original-on gpu)."
)
_NO_KERNEL = re.compile(r"Could not run '([\w:.]+)' with arguments from the '(\w+)' backend")
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
    """The program uses a feature of a GPU that the pretended GPU does not have."""


def refusal(what):
    """Return the error for a feature that is not emulated."""
    return NotPretendedError(
        "ascendify: the pretended GPU does not emulate %s.\n%s" % (what, ADVICE)
    )


def refuse(what):
    """Return a function that raises this error."""

    def refused(*args, **kwargs):
        raise refusal(what)

    return refused


def recover(func, args, kwargs, error):
    """Repeat a failed call in float32 if that helps, or raise an error with the reason."""
    text = str(error)
    from ascendify_startup.torch_half import missing

    if missing(error) is not None:
        return _rounding(func, args, kwargs, error)
    found = _NO_KERNEL.search(text)
    if found is not None:
        raise NotImplementedError(
            "ascendify: the pretended GPU computes on the CPU, for which PyTorch has no kernel "
            "of %s.\n%s" % (found.group(1), ADVICE)
        ) from None
    if any(reason in text for reason in _NO_GPU):
        raise NotPretendedError(
            "ascendify: %s needs a real GPU; the pretended GPU does not emulate it.\n%s"
            % (_name(func), ADVICE)
        ) from None
    raise error


def _rounding(func, args, kwargs, error):
    """Repeat a call with 16-bit floats computed in float32, and stay in this mode.

    The backward pass, which cannot be repeated, then computes in the same way.
    """
    import torch

    from ascendify_startup.torch_half import Rounded

    if func in (torch.Tensor.backward, torch.autograd.backward):
        raise error
    if torch._C._len_torch_dispatch_stack():  # the program will leave its own mode first
        with Rounded():
            return func(*args, **kwargs)
    # The mode is never left: it lasts as long as the process.
    Rounded().__enter__()
    return func(*args, **kwargs)


def _name(func):
    from torch import overrides

    return overrides.resolve_name(func) or getattr(func, "__name__", None) or str(func)


def initialise_lazily():
    """Replace ``torch.cuda._lazy_init``, which torch calls before it uses the driver.

    A program may call it. If torch calls it, it is about to run a function that was not replaced.
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
