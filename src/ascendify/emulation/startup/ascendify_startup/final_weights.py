"""Write the final weights of a training next to the captured numbers."""

import numpy

LARGEST = 1 << 30
"""Most bytes that are written."""


def keep(recorder, weights, source="weights"):
    """Write weights by name; a later call with the same source replaces them."""
    size = sum(array.nbytes for array in weights.values())
    if size > LARGEST:
        recorder.write({"source": "note", "text": "weights of %d bytes are not written" % size})
    elif weights:
        path = recorder.path_with(".npz" if source == "weights" else ".%s.npz" % source)
        # The keys are file names in the archive.
        numpy.savez(path, **{name.replace("/", "|"): array for name, array in weights.items()})
        recorder.write({"source": source, "path": path})
