"""The models of NPU that are emulated, chosen by ASCENDIFY_SOC."""

import os
import typing

_GIB = 2**30
_MIB = 2**20


class Model(typing.NamedTuple):
    """What scripts ask of a device and what differs between models."""

    name: str
    memory: int
    cache: int
    cube_cores: int
    vector_cores: int
    bfloat16: bool
    inf_nan: bool
    """Whether overflow gives inf and nan, rather than saturating and setting a flag."""


MODELS = {
    "910A": Model("Ascend910A", 32 * _GIB, 32 * _MIB, 32, 32, bfloat16=False, inf_nan=False),
    "910B": Model("Ascend910B2", 64 * _GIB, 192 * _MIB, 24, 48, bfloat16=True, inf_nan=True),
    "A3": Model("Ascend910_9391", 64 * _GIB, 192 * _MIB, 24, 48, bfloat16=True, inf_nan=True),
}
"""Sizes and cores as the vendor's data sheets give them."""


def model():
    """The model that ASCENDIFY_SOC names; 910B unless it is set."""
    name = os.environ.get("ASCENDIFY_SOC", "910B")
    if name not in MODELS:
        raise ValueError(f"ASCENDIFY_SOC is {name!r}, expected one of {', '.join(MODELS)}")
    return MODELS[name]
