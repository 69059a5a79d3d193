"""Configuration of NPUEstimator and of NPU sessions."""

import enum
import functools
import json
import os

from ascendify_runtime import sessions
from ascendify_runtime.framework import estimator_class, tf
from ascendify_runtime.world import world
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2
from tensorflow.python.client import session as session_lib

from npu_bridge.estimator.npu import util

_OPTIMIZER = "NpuOptimizer"
_THREADS = 64
_ARGUMENTS_BEFORE_CONFIG = 3  # of Session.__init__: self, target, graph
_PUBLIC = (
    "iterations_per_loop",
    "mix_compile_mode",
    "horovod_mode",
    "graph_run_mode",
    "enable_data_pre_proc",
    "is_tailing_optimization",
)


class NpuExecutePlacement(enum.Enum):
    """Where an op can be placed."""

    ALL = "all"
    CUBE = "cube"
    VECTOR = "vector"
    TAISHAN = "taishan"
    DVPP = "dvpp"
    HOST = "host"


class ProfilingConfig:
    """Options of profiling."""

    def __init__(self, enable_profiling=False, profiling_options=None):
        self._enable_profiling = enable_profiling
        self._profiling_options = profiling_options


class MemoryConfig:
    """Options of device memory."""

    def __init__(
        self,
        atomic_clean_policy=0,
        static_memory_policy=0,
        memory_optimization_policy=None,
        variable_use_1g_huge_page=0,
    ):
        self._atomic_clean_policy = atomic_clean_policy
        self._static_memory_policy = static_memory_policy
        self._memory_optimization_policy = memory_optimization_policy
        self._variable_use_1g_huge_page = variable_use_1g_huge_page


class DumpConfig:
    """Options of dumping data of ops."""

    def __init__(
        self,
        enable_dump=False,
        dump_path=None,
        dump_step=None,
        dump_mode="output",
        enable_dump_debug=False,
        dump_debug_mode="all",
        dump_data="tensor",
        dump_layer=None,
    ):
        self._enable_dump = enable_dump
        self._dump_path = dump_path
        self._dump_step = dump_step
        self._dump_mode = dump_mode
        self._enable_dump_debug = enable_dump_debug
        self._dump_debug_mode = dump_debug_mode
        self._dump_data = dump_data
        self._dump_layer = dump_layer


class GraphMemoryOptimizeConfig:
    """Whether memory is saved by recomputation or by slicing."""

    def __init__(self, recompute=None, graph_slice=None):
        for name, value in (("recompute", recompute), ("graph_slice", graph_slice)):
            if value not in (None, "auto", "manual"):
                raise ValueError('"%s" must be one of None, "auto", "manual"' % name)
        self._recompute = recompute
        self._graph_slice = graph_slice


class ExperimentalConfig:
    """Options that may change from release to release."""

    def __init__(
        self,
        logical_device_cluster_deploy_mode="LB",
        logical_device_id=None,
        model_deploy_mode=None,
        model_deploy_devicelist=None,
        graph_memory_optimize_config=None,
        enable_graph_parallel=None,
        graph_parallel_option_path=None,
        graph_compiler_cache_dir=None,
        resource_config_path=None,
        accelerate_train_mode=None,
    ):
        _check_class(
            "graph_memory_optimize_config", graph_memory_optimize_config, GraphMemoryOptimizeConfig
        )
        self._logical_device_cluster_deploy_mode = logical_device_cluster_deploy_mode
        self._logical_device_id = logical_device_id
        self._model_deploy_mode = model_deploy_mode
        self._model_deploy_devicelist = model_deploy_devicelist
        self._graph_memory_optimize_config = graph_memory_optimize_config
        self._enable_graph_parallel = enable_graph_parallel
        self._graph_parallel_option_path = graph_parallel_option_path
        self._graph_compiler_cache_dir = graph_compiler_cache_dir
        self._resource_config_path = resource_config_path
        self._accelerate_train_mode = accelerate_train_mode


class DynamicInputConfig:
    """The shapes a network is compiled for."""

    def __init__(self, input_shape, dynamic_dims, dynamic_node_type, compile_hybrid_mode):
        self._input_shape = input_shape
        self._dynamic_dims = dynamic_dims
        self._dynamic_node_type = dynamic_node_type
        self._compile_hybrid_mode = compile_hybrid_mode


class NPURunConfig(estimator_class("RunConfig")):
    """RunConfig with the options of the NPU."""

    def __init__(
        self,
        iterations_per_loop=1,
        profiling_config=None,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=0,
        save_checkpoints_steps=None,
        save_checkpoints_secs=None,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        distribute=None,
        enable_data_pre_proc=True,
        precision_mode=None,
        enable_reduce_precision=False,
        variable_format_optimize=None,
        mix_compile_mode=False,
        hcom_parallel=True,
        graph_memory_max_size=None,
        variable_memory_max_size=None,
        dump_config=None,
        stream_max_parallel_num=None,
        is_tailing_optimization=False,
        horovod_mode=False,
        graph_run_mode=1,
        op_debug_level=None,
        enable_scope_fusion_passes=None,
        enable_exception_dump=2,
        op_select_implmode=None,
        optypelist_for_implmode=None,
        dynamic_input_config=None,
        aoe_mode=None,
        work_path=None,
        buffer_optimize="l2_optimize",
        enable_small_channel=0,
        fusion_switch_file=None,
        enable_compress_weight=False,
        compress_weight_conf=None,
        op_compiler_cache_mode=None,
        op_compiler_cache_dir=None,
        debug_dir=None,
        hcom_multi_mode=False,
        dynamic_input=None,
        dynamic_graph_execute_mode="dynamic_execute",
        dynamic_inputs_shape_range=None,
        train_distribute=None,
        eval_distribute=None,
        local_rank_id=None,
        local_device_list=None,
        session_device_id=None,
        distribute_config=None,
        modify_mixlist=None,
        op_precision_mode=None,
        device_type="default_device_type",
        soc_config=None,
        hccl_timeout=None,
        op_wait_timeout=None,
        op_execute_timeout=None,
        HCCL_algorithm=None,
        customize_dtypes=None,
        op_debug_config=None,
        memory_config=None,
        experimental_config=None,
        topo_sorting_mode=None,
        aoe_config_file=None,
        insert_op_file=None,
        stream_sync_timeout=-1,
        event_sync_timeout=-1,
        external_weight=False,
        deterministic=0,
        frozen_variable=False,
        variable_placement="Device",
        jit_compile="auto",
        precision_mode_v2=None,
        ac_parallel_enable=None,
        quant_dumpable=None,
        input_fusion_size=131072,
        compile_dynamic_mode=None,
        graph_max_parallel_model_num=1,
        export_compile_stat=1,
        aicore_num=None,
        oo_constant_folding=True,
        input_batch_cpy=False,
        shape_generalization_mode="STRICT",
        all_tensor_not_empty=False,
        auto_multistream_parallel_mode=None,
        oo_level="O3",
        optimization_switch=None,
    ):
        given = {
            name: value for name, value in locals().items() if name[0] != "_" and name != "self"
        }
        _check(given)
        for name, value in given.items():
            setattr(self, name if name in _PUBLIC else "_" + name, value)
        if save_checkpoints_steps is None and save_checkpoints_secs is None:
            save_checkpoints_steps = 100
        saving = {
            "save_checkpoints_steps": save_checkpoints_steps,
            "save_checkpoints_secs": save_checkpoints_secs,
        }
        super(NPURunConfig, self).__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=distribute,
            **{name: value for name, value in saving.items() if value is not None},
        )


def _check(given):
    """Run the checks of NPURunConfig, in the order of the vendor's."""
    _check_iterations(given["iterations_per_loop"], given["mix_compile_mode"])
    if not isinstance(given["jit_compile"], str):
        raise TypeError("Expected str, got %s" % type(given["jit_compile"]).__name__)
    _check_cluster(given["distribute"], given["mix_compile_mode"])
    _check_class("dump_config", given["dump_config"], DumpConfig)
    _check_class("experimental_config", given["experimental_config"], ExperimentalConfig)
    _check_class("dynamic_input_config", given["dynamic_input_config"], DynamicInputConfig)
    if not isinstance(given["horovod_mode"], bool):
        raise ValueError('"horovod_mode" type must be bool')
    util.check_nonnegative_integer(given["graph_run_mode"], "graph_run_mode")
    if given["graph_run_mode"] > 1:
        raise ValueError('"graph_run_mode" value must be 0 or 1')
    util.check_nonnegative_integer(given["enable_exception_dump"], "enable_exception_dump")


def _check_iterations(iterations_per_loop, mix_compile_mode):
    util.check_positive_integer(iterations_per_loop, "iterations_per_loop")
    if not isinstance(mix_compile_mode, bool):
        raise TypeError('"mix_compile_mode" type must be bool')
    if mix_compile_mode and iterations_per_loop != 1:
        raise ValueError('"iterations_per_loop" must be 1 with "mix_compile_mode" is True')


def _check_cluster(distribute, mix_compile_mode):
    has_cluster = bool(json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster"))
    parameter_server = isinstance(distribute, tf.distribute.experimental.ParameterServerStrategy)
    if has_cluster != parameter_server:
        raise ValueError('"cluster" and "distribute" must all be set in ps mode')
    if has_cluster and not mix_compile_mode:
        raise ValueError('"mix_compile_mode" can only be True with "cluster" is set')


def _check_class(name, value, expected):
    if value is not None and not isinstance(value, expected):
        raise ValueError("`%s` must be provided with type `%s`" % (name, expected.__name__))


# --- the NpuOptimizer entry of a session configuration --------------------------------------------

_TEXT = (
    "precision_mode precision_mode_v2 modify_mixlist customize_dtypes op_precision_mode "
    "op_select_implmode optypelist_for_implmode graph_memory_max_size variable_memory_max_size "
    "stream_max_parallel_num enable_scope_fusion_passes aoe_mode work_path aoe_config_file "
    "distribute_config buffer_optimize fusion_switch_file compress_weight_conf "
    "op_compiler_cache_mode op_compiler_cache_dir debug_dir dynamic_graph_execute_mode "
    "dynamic_inputs_shape_range local_device_list device_type soc_config HCCL_algorithm "
    "op_debug_config insert_op_file variable_placement jit_compile ac_parallel_enable "
    "quant_dumpable aicore_num shape_generalization_mode auto_multistream_parallel_mode oo_level "
    "optimization_switch"
).split()
_NUMBERS = (
    "iterations_per_loop graph_run_mode op_debug_level enable_exception_dump enable_small_channel "
    "local_rank_id session_device_id hccl_timeout op_wait_timeout op_execute_timeout "
    "topo_sorting_mode stream_sync_timeout event_sync_timeout deterministic input_fusion_size "
    "graph_max_parallel_model_num export_compile_stat"
).split()
_SWITCHES = (
    "enable_data_pre_proc enable_reduce_precision variable_format_optimize mix_compile_mode "
    "hcom_parallel is_tailing_optimization enable_compress_weight hcom_multi_mode dynamic_input "
    "external_weight frozen_variable compile_dynamic_mode oo_constant_folding input_batch_cpy "
    "all_tensor_not_empty"
).split()
# helper object -> {key of the entry: (attribute of the object, field)}
_NESTED = {
    "_profiling_config": {
        "profiling_mode": ("_enable_profiling", "b"),
        "profiling_options": ("_profiling_options", "s"),
    },
    "_dump_config": {
        "enable_dump": ("_enable_dump", "b"),
        "dump_path": ("_dump_path", "s"),
        "dump_step": ("_dump_step", "s"),
        "dump_mode": ("_dump_mode", "s"),
        "enable_dump_debug": ("_enable_dump_debug", "b"),
        "dump_debug_mode": ("_dump_debug_mode", "s"),
        "dump_data": ("_dump_data", "s"),
        "dump_layer": ("_dump_layer", "s"),
    },
    "_memory_config": {
        "atomic_clean_policy": ("_atomic_clean_policy", "i"),
        "static_memory_policy": ("_static_memory_policy", "i"),
        "memory_optimization_policy": ("_memory_optimization_policy", "s"),
        "variable_use_1g_huge_page": ("_variable_use_1g_huge_page", "i"),
    },
    "_dynamic_input_config": {
        "input_shape": ("_input_shape", "s"),
        "dynamic_dims": ("_dynamic_dims", "s"),
        "dynamic_node_type": ("_dynamic_node_type", "i"),
        "compile_hybrid_mode": ("_compile_hybrid_mode", "i"),
    },
    "_experimental_config": {
        "experimental_logical_device_cluster_deploy_mode": (
            "_logical_device_cluster_deploy_mode",
            "s",
        ),
        "experimental_logical_device_id": ("_logical_device_id", "s"),
        "experimental_model_deploy_mode": ("_model_deploy_mode", "s"),
        "experimental_model_deploy_devicelist": ("_model_deploy_devicelist", "s"),
        "enable_graph_parallel": ("_enable_graph_parallel", "b"),
        "graph_parallel_option_path": ("_graph_parallel_option_path", "s"),
        "graph_compiler_cache_dir": ("_graph_compiler_cache_dir", "s"),
        "resource_config_path": ("_resource_config_path", "s"),
        "experimental_accelerate_train_mode": ("_accelerate_train_mode", "s"),
    },
}


def npu_entry(config):
    """Return the NpuOptimizer entry of a session configuration, or None."""
    optimizers = config.graph_options.rewrite_options.custom_optimizers
    return next((entry for entry in optimizers if entry.name == _OPTIMIZER), None)


def add_run_config(config, run_config):
    """Write the options of an NPURunConfig into the NpuOptimizer entry of a configuration."""
    entry = config.graph_options.rewrite_options.custom_optimizers.add()
    entry.name = _OPTIMIZER
    entry.parameter_map["use_off_line"].b = True
    for names, field in ((_TEXT, "s"), (_NUMBERS, "i"), (_SWITCHES, "b")):
        for name in names:
            value = getattr(run_config, name if name in _PUBLIC else "_" + name)
            _put(entry, name, field, value)
    for attribute, keys in _NESTED.items():
        helper = getattr(run_config, attribute)
        for key, (source, field) in keys.items():
            _put(entry, key, field, getattr(helper, source, None))
    memory = getattr(run_config._experimental_config, "_graph_memory_optimize_config", None)
    _put(entry, "graph_slice", "s", getattr(memory, "_graph_slice", None))


def _put(entry, key, field, value):
    if value is None:
        return
    if field == "s":
        entry.parameter_map[key].s = tf.compat.as_bytes(str(value))
    else:
        setattr(entry.parameter_map[key], field, value)


# --- sessions -------------------------------------------------------------------------------------


def npu_session_config(config):
    """Add the options of an NPU session to a session configuration; return the same object."""
    off = rewriter_config_pb2.RewriterConfig.OFF
    rewrite = config.graph_options.rewrite_options
    if npu_entry(config) is None:
        rewrite.custom_optimizers.add().name = _OPTIMIZER
        rewrite.memory_optimization = off
    config.allow_soft_placement = True
    config.log_device_placement = False
    rewrite.remapping = off
    config.graph_options.optimizer_options.global_jit_level = config_pb2.OptimizerOptions.OFF
    return config


def set_npu_default_config(func, args, kwargs):
    """Call a Session's `__init__` with the configuration of an NPU session."""
    if len(args) > _ARGUMENTS_BEFORE_CONFIG:
        args, config = args[:_ARGUMENTS_BEFORE_CONFIG], args[_ARGUMENTS_BEFORE_CONFIG]
    else:
        config = kwargs.get("config")
    config = config_pb2.ConfigProto() if config is None else config
    kwargs["config"] = npu_session_config(config)
    return func(*args, **kwargs)


def decorator_tf_session(func):
    """Wrap a Session's `__init__`."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return set_npu_default_config(func, args, kwargs)

    return wrapper


def _with_room_for_collectives(config):
    """Return a configuration with a thread for every collective that may wait at the same time.

    A collective is a Python function here and holds a thread of the session while it waits for
    the other ranks. With few threads, two ranks could fill theirs with different collectives and
    deadlock; on a device, collectives use no thread of the host.
    """
    roomy = config_pb2.ConfigProto()
    roomy.CopyFrom(config)
    # a pool of its own: the shared pool gets its size from the first session of the process
    roomy.use_per_session_threads = True
    roomy.inter_op_parallelism_threads = max(config.inter_op_parallelism_threads, _THREADS)
    return roomy


def _observe_npu_sessions(initialise):
    """Wrap the `__init__` of the base class of all sessions, also those of an Estimator."""

    @functools.wraps(initialise)
    def observed(self, target="", graph=None, config=None):
        if config is None or npu_entry(config) is None:
            return initialise(self, target, graph, config)
        config = _with_room_for_collectives(config) if world().size > 1 else config
        initialise(self, target, graph, config)
        return sessions.watch_session(self, config)

    return observed


session_lib.BaseSession.__init__ = _observe_npu_sessions(session_lib.BaseSession.__init__)
