"""Writes the weights a training ends with beside the captured numbers."""

import numpy

LARGEST = 1 << 30
"""Bytes that are still written."""


def keep(recorder, weights):
    """Write weights by name; those of a later training replace them."""
    size = sum(array.nbytes for array in weights.values())
    if size > LARGEST:
        recorder.write({"source": "note", "text": "weights of %d bytes are not kept" % size})
    elif weights:
        path = recorder.beside(".npz")
        # The keys are file names in the archive.
        numpy.savez(path, **{name.replace("/", "|"): array for name, array in weights.items()})
        recorder.write({"source": "weights", "path": path})
