"""The user's TensorFlow under the names of version 1, for every release."""

import contextlib

import tensorflow as _tensorflow

VERSION = tuple(int(part) for part in _tensorflow.__version__.split(".")[:2])
IS_V1 = VERSION < (2, 0)

# the top-level module of 1.15 has the same names, but warns about every deprecated one that is
# used, and the warnings would show lines of the stand-ins
tf = _tensorflow.compat.v1

if IS_V1:
    from tensorflow.python.keras import backend as keras_backend
else:
    # tf.keras uses the sessions of its own package there, not of TensorFlow's inner copy
    keras_backend = tf.keras.backend

_UNCOUNTED = "_ascendify_uncounted_ops"


@contextlib.contextmanager
def uncounted_ops(graph=None):
    """Context in which new ops do not change the seeds of later random ops.

    A random op without a seed of its own derives one from the number of ops in its graph (up to
    about TensorFlow 2.5; later releases count only random ops). If a stand-in added an op, weights
    that are initialised later would get other values than in the original program, and the two
    could not be compared. So the count for seeds leaves these ops out; the graph is not changed.
    """
    graph = tf.get_default_graph() if graph is None else graph
    if _count_of is None:
        yield
        return
    uncounted, before = getattr(graph, _UNCOUNTED, 0), _count_of(graph)
    try:
        yield
    finally:
        setattr(graph, _UNCOUNTED, uncounted + _count_of(graph) - before)


def _leave_out_of_seeds():
    """Make `Graph._last_id`, which is read only for seeds, leave out the uncounted ops."""
    counted = tf.Graph.__dict__.get("_last_id")
    if not isinstance(counted, property):
        return None
    tf.Graph._last_id = property(lambda graph: counted.fget(graph) - getattr(graph, _UNCOUNTED, 0))
    return counted.fget


_count_of = _leave_out_of_seeds()


def estimator_class(name):
    """Return a class of the Estimator module; from release 2.16 on, one that raises an error."""
    if getattr(tf, "estimator", None) is not None:
        return getattr(tf.estimator, name)
    return type(name, (_NoEstimator,), {})


class _NoEstimator:
    def __init__(self, *arguments, **options):
        raise NotImplementedError(
            "This TensorFlow (%s) has no Estimator: it was removed in 2.16. Use 1.15 or a release "
            "up to 2.15." % _tensorflow.__version__
        )
