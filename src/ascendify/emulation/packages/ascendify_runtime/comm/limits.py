"""Types that the collectives of a device take.

What the catalogue says of the model that ``ASCENDIFY_SOC`` names.
"""

from .groups import model

REDUCING = ("allreduce", "reduce", "reduce_scatter")
MOST_BYTES = 8 << 30


def allowed_dtypes(kind, reduction=None):
    """Names of the types that a collective takes on the device that is stood in for."""
    if kind not in REDUCING:
        return tuple(model().moved)
    return tuple(model().multiplied if reduction == "prod" else model().reduced)


def check_dtype(kind, name, reduction=None):
    """TypeError when the device's collective does not take this type."""
    allowed = allowed_dtypes(kind, reduction)
    if name not in allowed:
        what = "{} ({})".format(kind, reduction) if reduction else kind
        raise TypeError(
            "HCCL {} does not take {} on {}; cast to one of {}".format(
                what, name, model().family, ", ".join(allowed)
            )
        )
