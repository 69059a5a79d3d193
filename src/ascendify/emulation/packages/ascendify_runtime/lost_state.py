"""What TensorFlow loses when the device is opened.

`npu_device.open()` replaces the eager context of the process. The seed and the settings of the old
context are gone; variables and traced functions that were made before can no longer be used. Up to
about TensorFlow 2.6 that follows from the new context. Newer releases keep variables and functions
alive, so it is imitated there.
"""

import gc
import os

from tensorflow.python.eager import context, def_function
from tensorflow.python.framework import errors, ops
from tensorflow.python.ops import gen_resource_variable_ops, resource_variable_ops

from ascendify_runtime import findings

_PLACE = "_ascendify_place"
_SEED_PLACE = "_ascendify_seed_place"
_LOST = "_ascendify_lost"
_AFTER = "Move it behind npu_device.open().as_default()."
_SETTINGS = (
    ("_inter_op_parallelism_threads", "tf.config.threading.set_inter_op_parallelism_threads"),
    ("_intra_op_parallelism_threads", "tf.config.threading.set_intra_op_parallelism_threads"),
    ("_soft_device_placement", "tf.config.set_soft_device_placement"),
    ("_optimizer_jit", "tf.config.optimizer.set_jit"),
)
"""Attributes of a context, and the functions of TensorFlow that set them."""
_watched = []


def watch():
    """Remember the lines that make variables and set seeds, for findings."""
    if _watched or not findings.strict():
        return
    _watched.append(True)
    variable = resource_variable_ops.BaseResourceVariable
    make, set_seed = variable.__init__, context.set_global_seed

    def initialise(self, *args, **kwargs):
        make(self, *args, **kwargs)
        if not hasattr(self, _PLACE):
            setattr(self, _PLACE, findings.user_place())

    def set_global_seed(seed):
        set_seed(seed)
        setattr(context.context(), _SEED_PLACE, findings.user_place())

    variable.__init__ = initialise
    context.set_global_seed = set_global_seed


def replace_context():
    """Replace the eager context, with all that this loses."""
    old = context.context()
    if findings.strict():
        _record_settings(old)
    variables, functions = _survivors()
    new = context.Context()
    new.ensure_initialized()
    context._set_context(new)
    own = _own_seed()
    if own is not None:
        # the seed that `verify` gives both runs is none of the program's state
        new._set_global_seed(own)
    for variable in variables:
        _lose_variable(variable)
    for function in functions:
        setattr(function, _LOST, True)
    if findings.strict():
        _record_survivors(variables, functions)
    return new


def refuse_lost(function):
    """Raise TensorFlow's error if a function was traced before the device was opened."""
    if getattr(function, _LOST, False):
        name = getattr(function.python_function, "__name__", "function")
        message = (
            "'__inference_{}' is neither a type of a primitive operation nor a name of a function "
            "registered in binary running on this machine. It was traced before "
            "npu_device.open(), which replaces the eager context."
        )
        raise errors.NotFoundError(None, None, message.format(name))


def _survivors():
    """Return the variables and the traced functions of the eager context."""
    variables, functions, is_variable = [], [], {}
    for item in gc.get_objects():
        kind = type(item)
        if kind not in is_variable:
            is_variable[kind] = issubclass(kind, resource_variable_ops.BaseResourceVariable)
        if is_variable[kind]:
            if isinstance(getattr(item, "_handle", None), ops.EagerTensor):
                variables.append(item)
        elif kind is def_function.Function and item.experimental_get_tracing_count():
            functions.append(item)
    return variables, functions


def _lose_variable(variable):
    """Give a variable a handle without a value; a new `assign` makes it usable again."""
    with ops.init_scope():
        variable._handle = gen_resource_variable_ops.var_handle_op(
            dtype=variable.dtype,
            shape=variable.shape,
            shared_name="{}_{}".format(variable._shared_name, id(variable)),
        )


def _own_seed():
    given = os.environ.get("ASCENDIFY_SEED", "")
    return int(given) + findings.rank() if given.isdigit() else None


def _record_settings(old):
    if old._seed is not None and old._seed != _own_seed():
        findings.record(
            "EMU-OPEN-1",
            findings.MANUAL,
            "the seed {} is set before npu_device.open(), which forgets it: the training is "
            "unseeded".format(old._seed),
            _AFTER,
            getattr(old, _SEED_PLACE, None),
        )
    default = context.Context()
    for attribute, function in _SETTINGS:
        missing = object()
        if getattr(old, attribute, missing) != getattr(default, attribute, missing):
            findings.record(
                "EMU-OPEN-1",
                findings.MANUAL,
                "{} is called before npu_device.open(), which sets it back".format(function),
                _AFTER,
            )


def _record_survivors(variables, functions):
    for variable in variables:
        place = getattr(variable, _PLACE, None)
        findings.record_once_a_line(
            "EMU-OPEN-1",
            findings.MANUAL,
            "the variable {!r} is made before npu_device.open(), and loses its value".format(
                variable.name
            ),
            "Make variables, layers and models behind npu_device.open().as_default().",
            place,
        )
    for function in functions:
        code = getattr(function.python_function, "__code__", None)
        place = (os.path.realpath(code.co_filename), code.co_firstlineno) if code else None
        if place is not None and findings.is_user_file(place[0]):
            findings.record_once_a_line(
                "EMU-OPEN-1",
                findings.MANUAL,
                "the function {} is called before npu_device.open(), and fails when it is called "
                "again".format(function.python_function.__name__),
                "Call it only behind npu_device.open().as_default().",
                place,
            )
