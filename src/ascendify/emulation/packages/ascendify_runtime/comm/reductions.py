"""Sums, products and extremes over the ranks, always in the order of the ranks.

The result is what ``a0 + a1 + a2 ...`` gives in numpy with the arrays' own type, bit for bit, on
every rank: a float16 sum is rounded to float16 after every rank, integers wrap.
"""

import numpy as np

FUNCTIONS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
BLOCK = 1 << 17
"""Elements reduced at a time, so that they stay in the processor's cache."""


def check_reduction(reduction):
    """Raise ValueError for an unknown reduction."""
    if reduction not in FUNCTIONS:
        raise ValueError(
            "reduction is {!r}; it must be one of {}".format(reduction, ", ".join(FUNCTIONS))
        )


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
        # The bfloat16 of old TensorFlow releases has no numpy arithmetic.
        out[...] = plain(left.astype(np.float32), right.astype(np.float32)).astype(out.dtype)
        return out

    return through_float32


def reduce_runs(layout, parts, reduction):
    """Return each run of a layout reduced over all ranks, in new memory."""
    given = [layout.flat(part) for part in parts]
    runs = layout.empty_runs()
    return [reduce_in_order(run, reduction, out) for run, out in zip(zip(*given), runs)]


def reduce_share(pieces, position, reduction):
    """Return this rank's share, along the first axis, of arrays reduced over the ranks."""
    rows = pieces[0].shape[0] // len(pieces)
    shares = [piece[position * rows : (position + 1) * rows] for piece in pieces]
    out = np.empty(shares[0].size, shares[0].dtype)
    reduce_in_order([share.reshape(-1) for share in shares], reduction, out)
    return out.reshape(shares[0].shape)


def reduce_own_slice(layout, parts, position, reduction):
    """Reduce this rank's slice of every run, in place in the memory this rank shares.

    No other rank reads that slice before the step ends, so no further memory is needed.
    """
    given = [layout.flat(part) for part in parts]
    for run in zip(*given):
        mine = _slice(len(run[0]), position, len(parts))
        slices = [one[mine] for one in run]
        reduce_in_order(slices, reduction, slices[position])


def gather_slices(layout, parts):
    """Return every run, joined from the slices that the ranks have reduced."""
    runs = layout.empty_runs()
    for position, part in enumerate(parts):
        for out, run in zip(runs, layout.flat(part)):
            mine = _slice(len(out), position, len(parts))
            out[mine] = run[mine]
    return runs


def _slice(length, position, count):
    return slice(length * position // count, length * (position + 1) // count)
