"""Stand-in for the NPU adapter of TensorFlow 2: the same names, run on a CPU."""

from npu_device import compat, configs, distribute, ops, train
from npu_device.npu_device import (
    gen_npu_ops,
    global_options,
    is_inf_nan_enabled,
    npu_compat_function,
    npu_run_context,
    open,
    set_device_sat_mode,
    set_npu_loop_size,
)
from npu_device.utils.scope import keep_dtype_scope, npu_recompute_scope
