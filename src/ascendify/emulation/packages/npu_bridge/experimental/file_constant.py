"""Constants read from a file."""

import numpy as np
from ascendify_runtime.framework import tf

from npu_bridge.helper import host


def file_constant(shape, dtype, file_path=None, file_id=None, name=None):
    """Return the raw numbers of a file as a tensor, read in each run."""
    if file_path is None:
        if file_id is None:
            raise ValueError("file_constant needs file_path or file_id")
        raise host.unavailable(
            "file_constant with file_id", "the identifiers are resolved by the device's compiler"
        )
    dtype = tf.as_dtype(dtype)

    def read():
        values = np.fromfile(file_path, dtype.as_numpy_dtype)
        if values.size != np.prod(shape, dtype=np.int64):
            raise ValueError(
                "%s holds %d numbers, which do not fill the shape %s"
                % (file_path, values.size, list(shape))
            )
        return values.reshape(shape)

    return host.call("FileConstant", read, [], [dtype], [shape], name)[0]
