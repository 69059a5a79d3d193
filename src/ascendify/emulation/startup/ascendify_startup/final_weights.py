"""Writes the weights a training ends with beside the captured numbers."""

import numpy

LARGEST = 1 << 30
"""Bytes that are still written."""


def keep(recorder, weights, source="weights"):
    """Write weights by name; later ones of the same source replace them."""
    size = sum(array.nbytes for array in weights.values())
    if size > LARGEST:
        recorder.write({"source": "note", "text": "weights of %d bytes are not kept" % size})
    elif weights:
        path = recorder.beside(".npz" if source == "weights" else ".%s.npz" % source)
        # The keys are file names in the archive.
        numpy.savez(path, **{name.replace("/", "|"): array for name, array in weights.items()})
        recorder.write({"source": source, "path": path})
