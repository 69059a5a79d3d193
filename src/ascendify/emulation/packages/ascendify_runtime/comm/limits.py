"""Data types that the collectives of a device accept.

From the HCCL interface description; ``ASCENDIFY_SOC`` names the device (910A, 910B or A3).
"""

from .groups import soc

_TRAINING = ("int8", "int32", "int64", "float16", "float32")
_NEWER = ("int8", "int16", "int32", "int64", "float16", "float32", "bfloat16")
_MOVED = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
)  # fmt: skip
REDUCING = ("allreduce", "reduce", "reduce_scatter")
MOST_BYTES = 8 << 30


def allowed_dtypes(kind, reduction=None):
    """Return the names of the types that a collective accepts on the emulated device."""
    newer = soc() != "910A"
    if kind not in REDUCING:
        return _MOVED + (("bfloat16",) if newer else ())
    if not newer:
        return _TRAINING
    return tuple(
        name for name in _NEWER if reduction != "prod" or name not in ("int16", "bfloat16")
    )


def check_dtype(kind, name, reduction=None):
    """Raise TypeError if the device's collective does not accept this type."""
    allowed = allowed_dtypes(kind, reduction)
    if name not in allowed:
        what = "{} ({})".format(kind, reduction) if reduction else kind
        raise TypeError(
            "HCCL {} does not take {} on {}; cast to one of {}".format(
                what, name, soc(), ", ".join(allowed)
            )
        )
