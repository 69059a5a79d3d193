"""The user's TensorFlow under the names of version 1, for every release."""

import contextlib

import tensorflow as _tensorflow

from ascendify_runtime import tried

tried.warn_if_untried(
    "tensorflow",
    "TensorFlow",
    _tensorflow.__version__,
    "The emulation continues; it may lack something or compute other numbers.",
)
VERSION = tuple(int(part) for part in _tensorflow.__version__.split(".")[:2])
IS_V1 = VERSION < (2, 0)
IS_KERAS_3 = getattr(_tensorflow.keras, "__version__", "").startswith("3.")

# the top-level module of 1.15 has the same names, but warns about every deprecated one that is
# used, and the warnings would show lines of the stand-ins
tf = _tensorflow.compat.v1

if IS_V1:
    from tensorflow.python.keras import backend as keras_backend
else:
    # tf.keras uses the sessions of its own package there, not of TensorFlow's inner copy
    keras_backend = tf.keras.backend

_PACKAGES = (
    "ascendify_runtime",
    "ascendify_startup",
    "atlasboost",
    "hccl",
    "npu_bridge",
    "npu_device",
)
"""Packages of the emulation, as Python code that a traced function may call."""
_FIRST_WITHOUT_KERAS_2 = (2, 16)
"""The first release without Estimator, and with Keras 3 unless `TF_USE_LEGACY_KERAS` is set."""
NO_ESTIMATOR = "Estimator: it was removed in 2.16"
_UNCOUNTED = "_ascendify_uncounted_ops"


def leave_unconverted(*packages):
    """Keep AutoGraph from rewriting the code of packages that a ``tf.function`` calls.

    AutoGraph rewrites every Python function that is called while another one is traced, and all
    that these call. For a collective of a stand-in that was two thirds of the time to trace a
    training step, down to the modules that write findings.
    """
    from tensorflow.python.autograph.core import config

    rules = tuple(config.DoNotConvert(package) for package in packages)
    config.CONVERSION_RULES = rules + config.CONVERSION_RULES


leave_unconverted(*_PACKAGES)


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
    return _refusing(name, NO_ESTIMATOR)


def layer_class():
    """Return `tf.layers.Layer`; with Keras 3, a class that raises an error."""
    return _refusing("Layer", left_out("tf.layers")) if IS_KERAS_3 else tf.layers.Layer


def need_keras_2(what):
    """Raise an error if Keras is of version 3, which lacks something of version 2.

    Raises:
        NotImplementedError: it is.
    """
    if IS_KERAS_3:
        raise missing(left_out(what))


def left_out(what):
    """Return the words for something that Keras 3 no longer has."""
    return "{}: Keras 3 left it out".format(what)


def _refusing(name, what):
    """Return a class that cannot be made, because this release lacks what it is derived from.

    It refuses before a derived class looks at its arguments, whatever they are.
    """

    def make(cls, *arguments, **options):
        raise missing(what)

    return type(name, (), {"__new__": make})


class MissingAttributeError(NotImplementedError, AttributeError):
    """An attribute that this release lacks; `hasattr` says that it is not there."""


def missing(what, kind=NotImplementedError):
    """Return the error for something that this release lacks; it names the nearest that has it."""
    return kind(
        "This TensorFlow ({}) has no {}. The nearest release that has it is {}.".format(
            _tensorflow.__version__,
            what,
            tried.nearest_before("tensorflow", _FIRST_WITHOUT_KERAS_2),
        )
    )
