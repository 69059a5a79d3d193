"""The models of NPU that are emulated, chosen by ASCENDIFY_SOC."""

import os
import typing

_GIB = 2**30
_MIB = 2**20


class NpuModel(typing.NamedTuple):
    """What scripts ask of a device and what differs between models."""

    name: str
    bfloat16: bool
    inf_nan: bool
    """Whether overflow gives inf and nan, rather than saturating and setting a flag."""
    memory: int = 32 * _GIB
    cache: int = 32 * _MIB
    cube_cores: int = 16
    vector_cores: int = 32


MODELS = {
    "910A": NpuModel("Ascend910A", bfloat16=False, inf_nan=False),
    "910B": NpuModel("Ascend910B2", bfloat16=True, inf_nan=True),
    "A3": NpuModel("Ascend910_9391", bfloat16=True, inf_nan=True),
}
"""The names, sizes and numbers of cores are examples, the same sizes for every model: scripts find
the fields filled, and what they compute from them has to be looked at on the hardware. bfloat16 and
the way of overflow are those of the models."""


def model():
    """The model that ASCENDIFY_SOC names; 910B unless it is set."""
    name = os.environ.get("ASCENDIFY_SOC", "910B")
    if name not in MODELS:
        raise ValueError(f"ASCENDIFY_SOC is {name!r}, expected one of {', '.join(MODELS)}")
    return MODELS[name]
