"""The models of NPU that are emulated, as the catalogue has them; ASCENDIFY_SOC chooses one."""

import collections
import json
import os

_DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "hardware.json")

Model = collections.namedtuple(
    "Model",
    "family name bfloat16 inf_nan memory cache cube_cores vector_cores counts networks "
    "reduced multiplied moved",
)
"""Properties of a device that scripts query or that differ by family (catalog/data/hardware.json).

inf_nan: overflow gives infinity and NaN, rather than saturating and setting a flag. Memory and
cache are in bytes.
"""


def _read():
    with open(_DATA, encoding="utf-8") as file:
        rows = json.load(file)["models"]
    return collections.OrderedDict((row["family"], Model(**row)) for row in rows)


MODELS = _read()
"""Family -> model, the oldest first."""


def model(default="910B"):
    """Return the model that ASCENDIFY_SOC names; the given one if it is not set."""
    name = os.environ.get("ASCENDIFY_SOC", "").strip().upper() or default
    if name not in MODELS:
        raise ValueError(
            "ASCENDIFY_SOC is {!r}; it must be one of {}".format(name, ", ".join(MODELS))
        )
    return MODELS[name]
