"""Resources of the device: process-wide options, saturation mode, remote memory."""

from ascendify_runtime.world import world

from npu_bridge.estimator.npu import util

_SATURATE, _INF_NAN = 0, 1
_sat_mode = _INF_NAN  # the default of every product but the oldest, and of a CPU


def init_op_compiler_cache_mode(init, op_compiler_cache_mode):
    """Add the cache mode to the options."""
    if op_compiler_cache_mode is not None:
        init["ge.op_compiler_cache_mode"] = str(op_compiler_cache_mode)


def init_op_compiler_cache_dir(init, op_compiler_cache_dir):
    """Add the cache folder to the options."""
    if op_compiler_cache_dir is not None:
        init["ge.op_compiler_cache_dir"] = str(op_compiler_cache_dir)


def init_debug_dir(init, debug_dir):
    """Add the debug folder to the options."""
    if debug_dir is not None:
        init["ge.debugDir"] = str(debug_dir)


def check_graph_run_mode(graph_run_mode):
    """Refuse a mode that is neither inference nor training."""
    if graph_run_mode > 1:
        raise ValueError('"graph_run_mode" value must be 0 or 1')


def npu_resource_init(
    graph_run_mode=1,
    op_debug_level=0,
    enable_profiling=False,
    profiling_options=None,
    precision_mode=None,
    enable_scope_fusion_passes=None,
    enable_exception_dump=2,
    aoe_mode=None,
    work_path=None,
    op_compiler_cache_mode=None,
    op_compiler_cache_dir=None,
    debug_dir=None,
    hcom_multi_mode=False,
    distribute_config=None,
    aoe_config_file=None,
    precision_mode_v2=None,
    export_compile_stat=1,
    aicore_num=None,
    oo_constant_folding=True,
    input_batch_cpy=False,
    oo_level="O3",
    optimization_switch=None,
):
    """Check the process-wide options and join the job."""
    util.check_nonnegative_integer(graph_run_mode, "graph_run_mode")
    check_graph_run_mode(graph_run_mode)
    util.check_nonnegative_integer(op_debug_level, "op_debug_level")
    util.check_bool_type(enable_profiling, "enable_profiling")
    if enable_profiling and profiling_options is None:
        raise ValueError("profiling_options must be set when use profiling")
    util.check_nonnegative_integer(enable_exception_dump, "enable_exception_dump")
    if aoe_mode is not None:
        util.check_aoe_mode(util.format_string(aoe_mode, "aoe_mode"))
        if work_path is not None:
            util.check_path(util.format_string(work_path, "work_path"))
    util.check_bool_type(hcom_multi_mode, "hcom_multi_mode")
    util.check_bool_type(oo_constant_folding, "oo_constant_folding")
    util.check_bool_type(input_batch_cpy, "input_batch_cpy")
    world().initialise()


def npu_resource_shutdown():
    """Leave the job."""
    world().shut_down()


def npu_close():
    """Leave the job at the end of the process."""
    world().shut_down()


def set_device_sat_mode(mode):
    """0: overflow saturates; 1: overflow gives Inf and NaN. A CPU always gives Inf and NaN."""
    global _sat_mode
    util.check_nonnegative_integer(mode, "mode")
    if mode not in (_SATURATE, _INF_NAN):
        raise ValueError("mode must be 0 (saturate) or 1 (Inf and NaN), got %s" % mode)
    _sat_mode = mode


def is_inf_nan_enabled():
    """Whether overflow gives Inf and NaN."""
    return _sat_mode == _INF_NAN


def _no_remote_memory(what):
    raise NotImplementedError(
        "%s gives other devices access to memory of an NPU; a CPU has no such memory and it is not "
        "emulated. Run this part on an NPU." % what
    )


def init_rdma_pool(mem_size):
    """Not emulated."""
    _no_remote_memory("init_rdma_pool")


def rdma_remote_register(remote_var_list):
    """Not emulated."""
    _no_remote_memory("rdma_remote_register")


def rdma_remote_init(remote_var_list, mem_size):
    """Not emulated."""
    _no_remote_memory("rdma_remote_init")


def get_var_addr_and_size(var_name):
    """Not emulated."""
    _no_remote_memory("get_var_addr_and_size")


def malloc_shared_memory(var_name, shape, data_type):
    """Not emulated."""
    _no_remote_memory("malloc_shared_memory")


def get_rdma_cache(data_type, shape, name="rdma_w"):
    """Not emulated."""
    _no_remote_memory("get_rdma_cache")
