"""Sums, products and extremes over the ranks, always in the order of the ranks.

The result is what ``a0 + a1 + a2 ...`` gives in numpy with the arrays' own type, bit for bit, on
every rank: a float16 sum is rounded to float16 after every rank, integers wrap.
"""

import numpy as np

FUNCTIONS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
BLOCK = 1 << 17
"""Elements taken at a time: what is being added stays in the processor's cache."""


def reduce_in_order(parts, reduction, out):
    """Reduce flat arrays of one type and length into ``out``, which may be one of them."""
    count = len(out)
    scratch = np.empty(min(BLOCK, count), out.dtype) if len(parts) > 2 else None
    with np.errstate(all="ignore"):
        for start in range(0, count, BLOCK):
            stop = min(start + BLOCK, count)
            _block([part[start:stop] for part in parts], reduction, out[start:stop], scratch)
    return out


def _block(parts, reduction, out, scratch):
    if len(parts) == 1:
        out[...] = parts[0]
        return
    function = _function(reduction, out.dtype)
    value = parts[0]
    for part in parts[1:-1]:
        value = function(value, part, scratch[: len(out)])
    # Only the last step writes to ``out``: until then it may still be an input.
    function(value, parts[-1], out)


def _function(reduction, dtype):
    plain = FUNCTIONS[reduction]
    if dtype.kind != "V" and dtype.name != "bfloat16":
        return plain

    def through_float32(left, right, out):
        # The bfloat16 of old TensorFlow releases knows no numpy arithmetic.
        out[...] = plain(left.astype(np.float32), right.astype(np.float32)).astype(out.dtype)
        return out

    return through_float32
