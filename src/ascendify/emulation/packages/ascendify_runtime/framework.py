"""The user's TensorFlow with the names of version 1, whichever release it is."""

import contextlib

import tensorflow as _tensorflow

VERSION = tuple(int(part) for part in _tensorflow.__version__.split(".")[:2])
IS_V1 = VERSION < (2, 0)

# the top of 1.15 has the same names, but warns of every deprecated one it is asked for, and the
# user would be shown lines of the stand-ins
tf = _tensorflow.compat.v1

if IS_V1:
    from tensorflow.python.keras import backend as keras_backend
else:
    # the sessions of tf.keras are those of its own package there, not of TensorFlow's inner copy
    keras_backend = tf.keras.backend

_HIDDEN = "_ascendify_hidden_ops"


@contextlib.contextmanager
def hidden_ops(graph=None):
    """Ops made in here do not change the seeds of the random ops that come after them.

    A random op without a seed of its own derives one from the number of ops its graph has (up to
    TensorFlow 2.5 or so; later releases count random ops alone). A stand-in that adds an op to a
    graph would therefore give the weights that are initialised after it other values than those of
    the original program, and the two could not be compared. The count that seeds see leaves these
    ops out; the graph itself is not touched.
    """
    graph = tf.get_default_graph() if graph is None else graph
    if _count_of is None:
        yield
        return
    hidden, before = getattr(graph, _HIDDEN, 0), _count_of(graph)
    try:
        yield
    finally:
        setattr(graph, _HIDDEN, hidden + _count_of(graph) - before)


def _hide_from_seeds():
    """Let `Graph._last_id`, which is read for seeds alone, leave hidden ops out."""
    counted = tf.Graph.__dict__.get("_last_id")
    if not isinstance(counted, property):
        return None
    tf.Graph._last_id = property(lambda graph: counted.fget(graph) - getattr(graph, _HIDDEN, 0))
    return counted.fget


_count_of = _hide_from_seeds()


def estimator_class(name):
    """A class of the Estimator module, or one that refuses: releases from 2.16 on have none."""
    if getattr(tf, "estimator", None) is not None:
        return getattr(tf.estimator, name)
    return type(name, (_NoEstimator,), {})


class _NoEstimator:
    def __init__(self, *arguments, **options):
        raise NotImplementedError(
            "This TensorFlow (%s) has no Estimator: it was removed in 2.16. Use 1.15 or a release "
            "up to 2.15." % _tensorflow.__version__
        )
