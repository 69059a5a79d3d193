"""The operators that torch_npu adds to those of torch: torch_npu.npu_*, torch.ops.npu.*.

data/operators.txt lists every operator with its signature, as torch_npu declares them. Those
implemented here are written in plain PyTorch, which also computes their gradients. The others
raise NotImplementedError when they are called.
"""

import importlib
import inspect
from pathlib import Path

import torch

_MODULES = (
    "activations",
    "attention",
    "boxes",
    "formats",
    "layout",
    "losses",
    "norms",
    "products",
    "status",
)
_libraries = []


def signatures():
    """Return {name: signature}; the signature is empty for functions declared in Python."""
    lines = (Path(__file__).parent / "data" / "operators.txt").read_text().splitlines()
    return dict(line.split("\t") for line in lines)


def implemented():
    """Return {name: function} of the implemented operators."""
    known = signatures()
    found = {}
    for name_of_module in _MODULES:
        module = importlib.import_module("." + name_of_module, __name__)
        found.update({name: value for name, value in vars(module).items() if name in known})
    return found


def missing(name, signature):
    """Return a function that raises NotImplementedError for an operator."""

    def operator(*arguments, **named):
        raise NotImplementedError(
            "torch_npu.%s is not emulated: it exists only on a real NPU%s. Guard the call, or use "
            "the same computation in plain PyTorch for this run."
            % (name, " (%s)" % signature if signature else "")
        )

    operator.__name__ = operator.__qualname__ = name
    operator.__module__ = "torch_npu"
    return operator


def _moved(name):
    def moved(*arguments, **named):
        raise RuntimeError(
            "torch.%s is deprecated and will be removed in future version. Use torch_npu.%s "
            "instead." % (name, name)
        )

    moved.__name__ = moved.__qualname__ = name
    return moved


def install(package):
    """Export the operators from torch_npu, torch.ops.npu, and, as errors, from torch."""
    from .formats import Format

    known, working = signatures(), implemented()
    for name, signature in known.items():
        setattr(package, name, working.get(name) or missing(name, signature))
        if not hasattr(torch, name):
            setattr(torch, name, _moved(name))
    package.Format = Format
    library = torch.library.Library("npu", "FRAGMENT")
    _libraries.append(library)
    for name, function in working.items():
        _define(library, known[name], function)


def _define(library, signature, function):
    if not signature or "out" in inspect.signature(function).parameters:
        return
    library.define(signature)
    library.impl(signature.split("(")[0], function, "CompositeImplicitAutograd")
