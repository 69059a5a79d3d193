# ruff: noqa: E402, F403, F405, PLW0108, PTH208, RUF017
"""Names, configuration checks, session wrapper, util and plugin checks."""

import os
import tempfile

before = set(dir())
from npu_bridge.npu_init import *

NAMES = [
    "os",
    "tf",
    "config_pb2",
    "rewriter_config_pb2",
    "RewriterConfig",
    "session",
    "session_run_hook",
    "backend",
    "NPURunConfig",
    "ProfilingConfig",
    "MemoryConfig",
    "DumpConfig",
    "DynamicInputConfig",
    "decorator_tf_session",
    "NPUEstimator",
    "NPUEstimatorSpec",
    "NPUCheckpointSaverHook",
    "NPUOutputTensorHook",
    "NPUBroadcastGlobalVariablesHook",
    "SetIterationsVarHook",
    "TellMeStepOrLossHook",
    "NPUDistributedOptimizer",
    "KerasDistributeOptimizer",
    "npu_distributed_optimizer_wrapper",
    "NPUOptimizer",
    "npu_allreduce",
    "NPULossScaleOptimizer",
    "FixedLossScaleManager",
    "ExponentialUpdateLossScaleManager",
    "NPUBroadcastGlobalVariablesCallback",
    "npu_ops",
    "npu_rnn",
    "npu_scope",
    "keras_to_npu",
    "npu_strategy",
    "util",
    "npu_plugin",
    "hccl_ops",
    "profiler",
    "npu_cpu_ops",
    "scoped_graph_manager",
    "npu_unary_ops",
    "create_group",
    "destroy_group",
    "get_rank_size",
    "get_local_rank_size",
    "get_rank_id",
    "get_local_rank_id",
    "get_world_rank_from_group_rank",
    "get_group_rank_from_world_rank",
    "set_split_strategy_by_idx",
    "set_split_strategy_by_size",
    "experimental_options",
    "npu_hooks_append",
    "npu_callbacks_append",
    "npu_config_proto",
    "npu_graph_options",
    "npu_optimizer_options",
    "npu_run_config_init",
    "set_keras_session_npu_config",
    "init_resource",
    "shutdown_resource",
    "close_session",
    "get_npu_rank_id",
    "get_npu_local_rank_id",
    "get_npu_rank_size",
    "get_npu_local_rank_size",
    "NpuEmptyHook",
    "npu_keras_optimizer",
    "npu_tf_optimizer",
    "npu_clear_session",
]
missing = [name for name in NAMES if name not in globals()]
assert not missing, missing
for absent in ("ExperimentalConfig", "GraphMemoryOptimizeConfig", "NpuExecutePlacement"):
    assert absent not in globals(), absent

from ascendify_runtime.framework import tf
from keras_2 import ESTIMATOR, KERAS, SESSION, all_hold, error_of, needs_keras_2
from npu_bridge.estimator.npu import npu_config
from npu_bridge.estimator.npu.npu_hook import NPUOutputTensorHook

tf.disable_eager_execution() if hasattr(tf, "disable_eager_execution") else None


def check(row, call, error, text):
    """One row of a table: the call raises that error with that text."""
    try:
        call()
    except Exception as raised:
        assert type(raised) is error, (row, type(raised), raised)
        assert text in str(raised), (row, str(raised))
    else:
        raise AssertionError((row, "nothing raised"))


def config(**options):
    return lambda: NPURunConfig(**options)


def stock_run_config():
    return tf.estimator.RunConfig() if KERAS == 2 else None


REFUSED = [
    (lambda: DynamicInputConfig("a"), TypeError, "missing"),
    (lambda: npu_config.GraphMemoryOptimizeConfig(recompute="x"), ValueError, "recompute"),
    (
        lambda: npu_config.ExperimentalConfig(graph_memory_optimize_config=1),
        ValueError,
        "GraphMemoryOptimizeConfig",
    ),
    (get_npu_rank_id, NameError, ""),
    (get_npu_local_rank_size, NameError, ""),
    (lambda: npu_strategy.NPUStrategy("/gpu:0"), ValueError, '"device" only support "/cpu:0"'),
    (TellMeStepOrLossHook, ValueError, "One of step or loss must be specified"),
    (lambda: FixedLossScaleManager(0.5), ValueError, "loss scale must be at least 1."),
    (
        lambda: NPUOptimizer(None, is_loss_scale=True),
        ValueError,
        "is_loss_scale is True, loss_scale_manager can not be None",
    ),
    (lambda: util.set_iteration_per_loop(None, tf.constant(1), 2), ValueError, "tf.Operation"),
    (lambda: util.check_aoe_mode("3"), ValueError, "aoe_mode"),
    (lambda: util.check_path("/no/such/folder"), OSError, "/no/such/folder"),
    (
        lambda: util.set_graph_exec_config(tf.no_op(), dynamic_graph_execute_mode="x"),
        ValueError,
        "lazy_recompile",
    ),
    (lambda: util.keep_tensors_dtypes(3, []), ValueError, "tf.Graph"),
    (lambda: util.keep_tensors_dtypes(tf.Graph(), "a"), ValueError, "list"),
    (lambda: util.keep_tensors_dtypes(tf.Graph(), ["a:0"]), ValueError, "a:0"),
    (lambda: npu_plugin.npu_resource_init(graph_run_mode=2), ValueError, "graph_run_mode"),
    (lambda: npu_plugin.npu_resource_init(enable_profiling=1), TypeError, "enable_profiling"),
    (lambda: npu_plugin.npu_resource_init(enable_profiling=True), ValueError, "profiling_options"),
    (lambda: npu_plugin.npu_resource_init(aoe_mode="7"), ValueError, "aoe_mode"),
    (lambda: npu_plugin.malloc_shared_memory("v", [1], tf.float32), NotImplementedError, "NPU"),
    (lambda: npu_plugin.init_rdma_pool(1), NotImplementedError, "NPU"),
    (lambda: npu_allreduce([None]), ValueError, "None"),
]
REFUSED_ESTIMATORS = [
    (
        config(iterations_per_loop="2"),
        TypeError,
        "iterations_per_loop must be int, got <class 'str'>",
    ),
    (
        config(mix_compile_mode=True, iterations_per_loop=2),
        ValueError,
        '"iterations_per_loop" must be 1 with "mix_compile_mode" is True',
    ),
    (config(iterations_per_loop=0), ValueError, "iterations_per_loop must be positive, got 0"),
    (config(mix_compile_mode=1), TypeError, '"mix_compile_mode" type must be bool'),
    (config(jit_compile=True), TypeError, "Expected str, got bool"),
    (config(dump_config=3), ValueError, "DumpConfig"),
    (config(experimental_config=3), ValueError, "ExperimentalConfig"),
    (config(dynamic_input_config=3), ValueError, "DynamicInputConfig"),
    (config(horovod_mode=1), ValueError, '"horovod_mode" type must be bool'),
    (config(graph_run_mode="1"), TypeError, "graph_run_mode must be int"),
    (config(graph_run_mode=-1), ValueError, "graph_run_mode must be non-negative"),
    (config(graph_run_mode=2), ValueError, '"graph_run_mode" value must be 0 or 1'),
    (config(enable_exception_dump=-1), ValueError, "enable_exception_dump"),
    # the first check that fails is the one that is reported
    (config(iterations_per_loop=0, jit_compile=1), ValueError, "must be positive"),
    (config(jit_compile=1, graph_run_mode=9), TypeError, "Expected str"),
    (config(save_checkpoints_steps=1, save_checkpoints_secs=1), ValueError, "save_checkpoints"),
    (config(auto_tune_mode="RL,GA"), TypeError, "auto_tune_mode"),
    (config(device_fn=None), TypeError, "device_fn"),
    (lambda: NPUEstimator(lambda features: None), ValueError, "`config` must be provided"),
    (
        lambda: NPUEstimator(lambda features: None, config=stock_run_config()),
        ValueError,
        "`config` must be provided with type `NPUConfigs`",
    ),
    (
        lambda: NPUEstimator(lambda features: None, config=NPURunConfig()),
        ValueError,
        "Load job info failed, please check whether `JOB_ID` is set in environment variable",
    ),
]
for number, (call, error, text) in enumerate(REFUSED):
    check(number, call, error, text)
for number, (call, error, text) in enumerate(REFUSED_ESTIMATORS):
    check(number, call, *error_of(ESTIMATOR, error, text))

os.environ["RANK_SIZE"], os.environ["CM_WORKER_SIZE"] = "2", "2"
check("sizes", util.get_ranksize, ValueError, "RANK_SIZE and CM_WORK_SIZE cannot be configured")
del os.environ["RANK_SIZE"]
assert util.get_ranksize() == "2"
del os.environ["CM_WORKER_SIZE"]
assert util.get_ranksize() == "1"

os.environ["TF_CONFIG"] = '{"cluster": {"worker": ["localhost:1"]}}'
ps_mode = '"cluster" and "distribute" must all be set in ps mode'
check("cluster", NPURunConfig, *error_of(ESTIMATOR, ValueError, ps_mode))
del os.environ["TF_CONFIG"]

# --- what a configuration keeps -------------------------------------------------------------------
with needs_keras_2(ESTIMATOR):
    plain = NPURunConfig()
    assert plain.save_checkpoints_steps == 100 and plain.save_checkpoints_secs is None
    assert plain.save_summary_steps == 0 and plain.iterations_per_loop == 1
    assert NPURunConfig(save_checkpoints_steps=0).save_checkpoints_steps == 0
    assert NPURunConfig(save_checkpoints_secs=5).save_checkpoints_steps is None
    kept = NPURunConfig(precision_mode="allow_mix_precision", iterations_per_loop=4).replace(
        model_dir="m"
    )
    assert (
        isinstance(kept, NPURunConfig) and kept.iterations_per_loop == 4 and kept.model_dir == "m"
    )

# --- sessions -------------------------------------------------------------------------------------
OFF = RewriterConfig.OFF


def entries(proto):
    return [e.name for e in proto.graph_options.rewrite_options.custom_optimizers]


def made(**fields):
    return tf.ConfigProto(**fields)


graph = tf.Graph()
with_entry = made(allow_soft_placement=False, log_device_placement=True)
with_entry.graph_options.rewrite_options.custom_optimizers.add().name = "NpuOptimizer"
with_entry.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
by_keyword, by_position = made(), made(intra_op_parallelism_threads=1)
OPENED = [
    (lambda: tf.Session(), None, True),
    (lambda: tf.Session(config=None), None, True),
    (lambda: tf.Session(config=by_keyword), by_keyword, True),
    (lambda: tf.Session("", graph, by_position), by_position, True),
    (lambda: tf.Session(graph=graph, config=with_entry), with_entry, False),
    (lambda: tf.InteractiveSession(config=made()), None, True),
]


def check_session(number, opened, given, added):
    sess = opened()
    proto = sess._config
    assert given is None or proto is given, number
    assert entries(proto) == ["NpuOptimizer"], (number, entries(proto))
    assert proto.allow_soft_placement and not proto.log_device_placement, number
    rewrite = proto.graph_options.rewrite_options
    assert rewrite.remapping == OFF, number
    assert (rewrite.memory_optimization == OFF) == added, (number, rewrite)
    jit = proto.graph_options.optimizer_options.global_jit_level
    assert jit == tf.OptimizerOptions.OFF, number
    sess.close()


for number, row in enumerate(OPENED):
    check_session(number, *row)
with needs_keras_2(SESSION):
    check_session("keras", set_keras_session_npu_config, None, True)
assert by_position.intra_op_parallelism_threads == 1

same = made()
assert npu_config_proto(same) is same and npu_config_proto(same) is same and len(entries(same)) == 1
assert entries(npu_config_proto("no proto")) == ["NpuOptimizer"]
assert npu_graph_options().optimizer_options.global_jit_level == tf.OptimizerOptions.OFF
assert npu_optimizer_options(5).global_jit_level == tf.OptimizerOptions.OFF
with needs_keras_2(ESTIMATOR):
    assert entries(npu_run_config_init().session_config) == ["NpuOptimizer"]
    run_config = tf.estimator.RunConfig()
    assert npu_run_config_init(run_config) is run_config
    assert entries(run_config.session_config) == ["NpuOptimizer"]
with needs_keras_2(SESSION):
    npu_clear_session()
    assert entries(backend.get_session()._config) == ["NpuOptimizer"]

# --- lists ----------------------------------------------------------------------------------------
mine = [NpuEmptyHook()]
assert npu_hooks_append(mine) is mine and len(mine) == 2
assert isinstance(mine[1], NPUBroadcastGlobalVariablesHook)
assert len(npu_hooks_append((1, 2))) == 1 and len(npu_callbacks_append()) == 1

# --- one rank -------------------------------------------------------------------------------------
last = tf.get_default_graph()
sess, shutdown = init_resource()
assert (get_npu_rank_id(), get_npu_local_rank_id()) == (0, 0)
assert (get_npu_rank_size(), get_npu_local_rank_size()) == (1, 1)
assert get_rank_size() == 1 and tf.get_default_graph() is last
shutdown_resource(sess, shutdown)
close_session(sess)

# --- util -----------------------------------------------------------------------------------------
DIVISIONS = [
    ([1, 1, 1, 1], 2, [2, 2]),
    ([9, 1, 1], 2, [1, 2]),
    ([1, 1, 9], 2, [2, 1]),
    ([5], 1, [1]),
    ([1, 1, 1], 3, [1, 1, 1]),
    ([100, 1, 1, 1], 3, [1, 2, 1]),
]
for sizes, number, lengths in DIVISIONS:
    groups = util.fair_division(sizes, number)
    assert [len(group) for group in groups] == lengths, (sizes, groups)
    assert sum(groups, []) == sizes
with tf.Graph().as_default() as marked:
    value = tf.constant(1.0, name="value")
    assert util.set_graph_exec_config([value], dynamic_input=True) == [value]
    assert value.op.get_attr("_graph_dynamic_input") is True
    util.keep_tensors_dtypes(marked, ["value:0"])
    assert value.op.get_attr("_keep_dtype") == 1
    with tf.Session() as sess:
        util.npu_compile(sess, value)
        values = []
        hook = NPUOutputTensorHook({"v": value}, output_fn=values.append, output_every_n_steps=2)
        with tf.train.MonitoredSession(hooks=[hook]) as monitored:
            for _ in range(3):
                monitored.run(value)
        assert values == [[{"v": 1.0}] * 2, [{"v": 1.0}]], values
    zero = NPUOutputTensorHook([value])
    check(
        "n=0",
        lambda: zero.after_run(None, tf.train.SessionRunValues([1.0], None, None)),
        ZeroDivisionError,
        "",
    )

# --- job information ------------------------------------------------------------------------------
from npu_bridge.estimator.npu.npu_common import NPUBasics
from npu_bridge.estimator.npu.npu_optimizer import allreduce, reduce

check("job", lambda: allreduce(tf.constant(1.0)), AttributeError, "JOB_ID")
check("device", lambda: reduce(tf.constant(1.0), 0), ValueError, "DEVICE_ID")
os.environ.update(JOB_ID="10", RANK_ID="0")
os.chdir(tempfile.mkdtemp())
with needs_keras_2(ESTIMATOR):
    config = NPURunConfig(precision_mode="force_fp16")
    estimator = NPUEstimator(lambda features: None, config=config)
    assert NPUBasics("").jobinfo.rank_size == 1 and NPUBasics("") is NPUBasics("x")
    folders = [name for name in os.listdir(".") if name.startswith("model_dir_")]
    assert len(folders) == 1 and len(folders[0]) == 20 and estimator.model_dir.endswith(folders[0])
    rewrite = estimator._session_config.graph_options.rewrite_options
    assert list(rewrite.optimizers)[-1] == "GradFusionOptimizer" and len(rewrite.optimizers) == 9
    options = rewrite.custom_optimizers[0].parameter_map
    assert options["precision_mode"].s == b"force_fp16" and options["use_off_line"].b
    assert options["jit_compile"].s == b"auto" and options["iterations_per_loop"].i == 1
    check(
        "model_dir",
        lambda: NPUEstimator(lambda features: None, "a", NPURunConfig(model_dir="b")),
        ValueError,
        "`model_dir`",
    )
all_hold()
