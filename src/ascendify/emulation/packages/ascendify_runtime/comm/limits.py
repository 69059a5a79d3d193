"""Data types that the collectives of a device accept.

They come from the catalogue, for the model that ``ASCENDIFY_SOC`` names.
"""

from .groups import model

REDUCING = ("allreduce", "reduce", "reduce_scatter")
MOST_BYTES = 8 << 30


def allowed_dtypes(kind, reduction=None):
    """Return the names of the types that a collective accepts on the emulated device."""
    if kind not in REDUCING:
        return tuple(model().moved)
    return tuple(model().multiplied if reduction == "prod" else model().reduced)


def check_dtype(kind, name, reduction=None):
    """Raise TypeError if the device's collective does not accept this type."""
    allowed = allowed_dtypes(kind, reduction)
    if name not in allowed:
        what = "{} ({})".format(kind, reduction) if reduction else kind
        raise TypeError(
            "HCCL {} does not take {} on {}; cast to one of {}".format(
                what, name, model().family, ", ".join(allowed)
            )
        )
