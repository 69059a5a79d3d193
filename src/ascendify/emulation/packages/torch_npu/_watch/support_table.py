"""The catalogue's entries on the support of aten operators."""

import functools
import json
import os
import re

import torch

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "operators.json")
_TYPES = {
    "fp16": torch.float16,
    "fp32": torch.float32,
    "fp64": torch.float64,
    "bf16": torch.bfloat16,
    "uint8": torch.uint8,
    "int8": torch.int8,
    "int16": torch.int16,
    "int32": torch.int32,
    "int64": torch.int64,
    "bool": torch.bool,
    "complex64": torch.complex64,
    "complex128": torch.complex128,
}
_REFUSED_ARGUMENT = re.compile(r"The argument (\w+) is not supported")
_CONVOLUTIONS = frozenset(("convolution", "convolution_overrideable", "_convolution"))


class OperatorSupport:
    """The vendor's support of one operator."""

    def __init__(self, api, support, note="", types=()):
        self.api = api
        """The public name, such as ``torch.nn.functional.avg_pool3d``."""
        self.support = support
        self.note = note
        self.types = frozenset(_TYPES[name] for name in types if name in _TYPES)
        """The types the vendor lists; empty if it lists none."""
        refused = _REFUSED_ARGUMENT.fullmatch(note)
        self.argument = refused[1] if refused else None
        """The argument the note is about; a call without it is not reported."""


with open(_FILE, encoding="utf-8") as stream:
    _DATA = json.load(stream)
_ROWS = {name: OperatorSupport(**row) for name, row in _DATA["operators"].items()}
CALLABLES = _DATA["callables"]
"""Python functions and classes the vendor does not support, with the vendor's notes."""


@functools.lru_cache(maxsize=None)
def name_of(operator):
    """Return ``add_`` for ``aten::add_.Tensor``."""
    return operator._schema.name.partition("::")[2]


def row_of(operator, args):
    """Return the entry on an operator, None if the catalogue has none."""
    name = name_of(operator)
    return by_name(_convolution(args) if name in _CONVOLUTIONS else name)


def by_name(name):
    """Return the entry on an operator by its aten name; in-place operators share an entry."""
    found = _ROWS.get(name)
    if found is None and name.endswith("_") and not name.startswith("_"):
        found = _ROWS.get(name[:-1])
    return found


def _convolution(args):
    """Return the public function of a convolution: the device has one operator for all."""
    dimensions = args[1].dim() - 2
    transposed = bool(args[6]) if len(args) > 6 else False
    return "{}{}d".format("conv_transpose" if transposed else "conv", dimensions)
