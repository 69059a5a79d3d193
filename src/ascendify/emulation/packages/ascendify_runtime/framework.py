"""The user's TensorFlow with the names of version 1, whichever release it is."""

import tensorflow as _tensorflow

VERSION = tuple(int(part) for part in _tensorflow.__version__.split(".")[:2])
IS_V1 = VERSION < (2, 0)

tf = _tensorflow if IS_V1 else _tensorflow.compat.v1
