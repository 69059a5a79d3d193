"""The emulated models of NPU, chosen by ASCENDIFY_SOC."""

import os
import typing

_GIB = 2**30
_MIB = 2**20


class NpuModel(typing.NamedTuple):
    """Properties of a model of NPU that scripts can query."""

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
"""Names, sizes and numbers of cores are examples, with the same sizes for every model: scripts find
the fields filled, but values computed from them must be checked on the hardware. Support of
bfloat16 and the behaviour on overflow are those of the models."""


def model():
    """The model that ASCENDIFY_SOC names; 910B unless it is set."""
    name = os.environ.get("ASCENDIFY_SOC", "910B")
    if name not in MODELS:
        raise ValueError(f"ASCENDIFY_SOC is {name!r}, expected one of {', '.join(MODELS)}")
    return MODELS[name]
