"""Open the device and make it the default one, as the adapter of TensorFlow 2 does.

No device is registered with TensorFlow: operators run on the CPU. What the adapter changes in
TensorFlow is changed here, too.
"""

import atexit
import os
import threading

import tensorflow as tf
from absl import logging
from ascendify_runtime import (
    findings,
    function_calls,
    hardware,
    lost_state,
    offloaded_loops,
    options,
)
from ascendify_runtime.world import world
from npu_bridge.helper import helper
from tensorflow.python.eager import context, def_function
from tensorflow.python.framework import ops
from tensorflow.python.ops import script_ops
from tensorflow.python.util import tf_contextlib

from npu_device.configs.npu_config import NpuConfig
from npu_device.configs.npu_run_context_option import NpuRunContextOptions

NPU = "/job:localhost/replica:0/task:0/device:NPU"
gen_npu_ops = helper.get_gen_ops()

_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
_SATURATE, _INF_NAN = 0, 1
_lock = threading.RLock()
_local = threading.local()
_state = {"options": None, "context": None, "handle": None, "saturation": None}
_instances = {}
"""The handle of the open device by its number; at most one."""
_tf_function = def_function.function
_call_function = def_function.Function.__call__
lost_state.watch()


@tf_contextlib.contextmanager
def watch_op_register():
    """Context in which the device notes new operators; without effect on a CPU."""
    yield


def stupid_repeat(word, times):
    """Return a text several times."""
    return word * times


def set_npu_loop_size(loop_size):
    """Set how many steps an offloaded loop runs; numbers below 1 are logged and ignored."""
    offloaded_loops.set_size(loop_size)


def set_device_sat_mode(mode):
    """Choose what overflow gives: the largest number (0), or infinity and NaN (1)."""
    _state["saturation"] = mode


def is_inf_nan_enabled():
    """Whether overflow gives infinity and NaN, rather than saturating and setting a flag."""
    if _state["saturation"] is None:
        return hardware.model().inf_nan
    return _state["saturation"] == _INF_NAN


def global_options():
    """Return the options of the device; the same object for the whole process."""
    with _lock:
        if _state["options"] is None:
            _state["options"] = NpuConfig()
        return _state["options"]


def enable_v1():
    """Switch to the behaviour of TensorFlow 1, with sessions that run on the device."""
    if _instances:
        os.environ["ASCEND_DEVICE_ID"] = str(list(_instances)[0])
        findings.record(
            "EMU-OPEN-3",
            findings.MANUAL,
            "enable_v1() follows npu_device.open(): sessions and the eager device do not go "
            "together in one process",
            "Leave npu_device.open() out of programs that run sessions.",
        )
    tf.compat.v1.disable_v2_behavior()


def get_ranksize():
    """Return the number of ranks as a text."""
    size, workers = os.getenv("RANK_SIZE"), os.getenv("CM_WORKER_SIZE")
    if size and workers:
        raise ValueError("RANK_SIZE and CM_WORK_SIZE cannot be configured at the same time")
    return size or workers or "1"


def set_cm_chief_worksize_env(global_kw_options=None, env_cm_chief_ip=None, workers_num=None):
    """Add the address of the chief to the options of a job without a rank table."""
    port, device = os.getenv("CM_CHIEF_PORT"), os.getenv("CM_CHIEF_DEVICE")
    for value, what, name in (
        (port, "cm chief port", "CM_CHIEF_PORT"),
        (device, "cm chief device", "CM_CHIEF_DEVICE"),
    ):
        if not value:
            raise RuntimeError(_missing(what, name))
    global_kw_options["_distribute.cm_chief_ip"] = env_cm_chief_ip
    global_kw_options["_distribute.cm_chief_port"] = port
    global_kw_options["_distribute.cm_chief_device"] = device
    global_kw_options["_distribute.cm_worker_size"] = str(workers_num)


def set_rank_table_file_env(global_kw_options=None, env_rank_table=None):
    """Add the rank table to the options of a job."""
    rank = os.getenv("RANK_ID")
    if not rank:
        raise RuntimeError(_missing("rank id", "RANK_ID"))
    global_kw_options["_distribute.rank_table"] = env_rank_table
    global_kw_options["_distribute.rank_id"] = rank


def _missing(what, name):
    return "You must specify {} by set env {} in distribution mode".format(what, name)


def open(device_id=None):
    """Open a device and return its handle; the same handle if it is open already."""
    if device_id is None:
        device_id = int(os.getenv("ASCEND_DEVICE_ID", "0"))
    with _lock:
        if context.context() is not _state["context"]:
            _state["context"] = lost_state.replace_context()
            _instances.clear()
        if device_id in _instances:
            logging.info("Npu instance on device %s already created", device_id)
            return _instances[device_id]
        if _instances:
            raise RuntimeError(
                "Failed create npu instance on device {} as existed instance on {}".format(
                    device_id, list(_instances)
                )
            )
        _instances[device_id] = _new_handle(device_id)
        return _instances[device_id]


def _new_handle(device_id):
    device_options = global_options().as_dict()
    workers = int(get_ranksize())
    if workers > 1:
        _add_job(device_options, workers)
    if findings.strict():
        from ascendify_runtime import sessions

        sessions.check_environment()
        options.check_global(global_options().chosen())
    global_options().mark_as_read()
    job = world()
    job.initialise()
    rank = job.rank if workers > 1 else 0
    return NpuDeviceHandle(context.context(), device_id, device_options, workers, rank)


def _add_job(device_options, workers):
    chief, table = os.getenv("CM_CHIEF_IP"), os.getenv("RANK_TABLE_FILE")
    if chief and table:
        raise RuntimeError("CM_CHIEF_IP and RANK_TABLE_FILE cannot be configured at the same time.")
    if chief:
        set_cm_chief_worksize_env(device_options, chief, workers)
    elif table:
        set_rank_table_file_env(device_options, table)
    else:
        raise RuntimeError("CM_CHIEF_IP and RANK_TABLE_FILE are all not be configured.")


def close():
    """Close the device, as happens when the process exits."""


atexit.register(close)


def _is_in_use():
    """Whether this thread executes operators on the device."""
    return _state["handle"] is not None or getattr(_local, "scopes", 0) > 0


def global_npu_ctx():
    """Return the handle of the default device; None before `as_default`."""
    return _state["handle"]


def npu_compat_function(func=None, *args, **kwargs):
    """Return `tf.function` of a function, never compiled with XLA."""

    def decorate(function):
        for name in ("jit_compile", "experimental_compile"):
            if kwargs.get(name):
                logging.info("Skip xla compile tf function %s on npu", function.__name__)
                kwargs[name] = False
        # further positional arguments take the place of the function, which is an error there, too
        return _tf_function(*args, **kwargs)(function)

    return decorate if func is None else decorate(func)


class NpuCompatEagerFunc(script_ops.EagerFunc):
    """The body of a `tf.py_function`, which runs on the CPU if it was made through our wrapper."""

    def __init__(self, *args, **kwargs):
        self._npu_specific_device = getattr(_local, "device", None)
        super(NpuCompatEagerFunc, self).__init__(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        if not self._npu_specific_device:
            return super(NpuCompatEagerFunc, self).__call__(*args, **kwargs)
        with context.device(self._npu_specific_device):
            return super(NpuCompatEagerFunc, self).__call__(*args, **kwargs)


def wrap_cpu_only_api(func):
    """Return a function whose Python callbacks run on the CPU."""

    def wrapper(*args, **kwargs):
        _local.device = _CPU
        try:
            return func(*args, **kwargs)
        finally:
            _local.device = None

    return wrapper


class NpuDeviceHandle:
    """The handle of an open device."""

    def __init__(self, ctx, device_id, device_options, workers_num, worker_id):
        self._ctx = ctx
        self._device_id = device_id
        self._device_name = "{}:{}".format(NPU, device_id)
        self._device_options = device_options
        self.workers_num = workers_num
        self.worker_id = worker_id

    def name(self):
        """Return the full name of the device."""
        return self._device_name

    def scope(self):
        """Return a context in which operators run on the device."""

        @tf_contextlib.contextmanager
        def on_device():
            _local.scopes = getattr(_local, "scopes", 0) + 1
            try:
                yield
            finally:
                _local.scopes -= 1

        return on_device()

    def is_cluster_worker(self):
        """Whether this process is a rank of a job of several."""
        return self.workers_num > 1 and self.workers_num > self.worker_id >= 0

    def as_default(self):
        """Run every later operator on the device; return this handle."""
        from npu_device.train import npu_convert

        def_function.Function.__call__ = function_calls.on_device(_call_function)
        for module in (def_function, tf, tf.compat.v2):
            module.function = npu_compat_function
        ops.device = _no_other_device
        script_ops.EagerFunc = NpuCompatEagerFunc
        tf.py_function = wrap_cpu_only_api(tf.py_function)
        _state["handle"] = self
        npu_convert.npu_convert_api()
        if findings.strict():
            from ascendify_runtime import eager_operators

            eager_operators.watch()
        return self


@tf_contextlib.contextmanager
def _no_other_device(*args, **kwargs):
    """Context that takes the place of `tf.device`, without effect."""
    yield


@tf_contextlib.contextmanager
def npu_run_context(options=None):
    """Context in which functions are compiled with these options."""
    if options is not None and not isinstance(options, NpuRunContextOptions):
        raise ValueError("options type must be NpuRunContextOptions")
    yield
