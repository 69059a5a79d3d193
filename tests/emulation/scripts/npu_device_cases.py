"""Checks of npu_device in one process: options, opening, functions, loss scale, compat.v1."""

import contextlib
import importlib
import os

import npu_device as npu
import numpy as np
import tensorflow as tf
from keras_2 import ESTIMATOR, GRADIENTS, KERAS, LAYERS, SESSION, all_hold, needs_keras_2
from npu_device.distribute import hccl, npu_callbacks
from npu_device.npu_device import global_npu_ctx
from npu_device.train import npu_convert
from npu_device.train.optimizer.npu_loss_scale_optimizer import NpuLossScaleOptimizer
from npu_device.utils import scope


@contextlib.contextmanager
def raises(kind, text):
    try:
        yield
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"no {kind.__name__}: {text}")


@contextlib.contextmanager
def environment(**variables):
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def check_options():
    options = npu.global_options()
    assert options is npu.global_options()
    options.precision_mode = "allow_mix_precision"
    assert options.precision_mode.value == "allow_mix_precision"
    assert options.precision_mode != "allow_mix_precision"  # an object, as on the device
    options.dump_config.enable_dump = True
    assert options.dump_config.enable_dump.value == "1"
    options.dump_config.enable_dump = 0
    assert options.dump_config.enable_dump.value == "0"
    options.deterministic = 1
    assert options.as_dict()["deterministic"] == "1"
    assert "modify_mixlist" not in options.as_dict()
    assert options.as_dict()["enable_dump"] == "0"  # options of inner sets have no prefix
    options.hcom_multi_mode = "anything"
    options.topo_sorting_mode = None
    with raises(TypeError, "Expected bool, got str"):
        options.dump_config.enable_dump = "True"
    with raises(ValueError, "'fp16' not in optional list ['force_fp32', "):
        options.precision_mode = "fp16"
    with raises(ValueError, "NpuConfig has no option auto_tune_mode, all options ["):
        options.auto_tune_mode = "RL,GA"
    with raises(ValueError, "NpuDumpConfig has no option enable, all options ['enable_dump', "):
        options.dump_config.enable = True
    with raises(ValueError, "'1' not in optional list ['0']"):
        options.experimental.multi_branches_config.dynamic_node_type = "1"
    with raises(ValueError, "'high_precision_for_all' not in optional list"):
        options.op_select_implmode = "high_precision_for_all"
    one_call = npu.configs.run_context_options()
    one_call.experimental.graph_memory_optimize_config.recompute = "auto"
    with npu.npu_run_context(one_call):
        pass
    with raises(ValueError, "options type must be NpuRunContextOptions"), npu.npu_run_context({}):
        pass


def check_before_opening():
    assert global_npu_ctx() is None
    data = tf.data.Dataset.range(8)
    assert npu.distribute.shard_and_rebatch_dataset(data, 4) == (data, 4)
    assert npu.distribute.all_reduce([1, None]) == [1, None]
    assert npu.distribute.broadcast(tf.Variable(1.0)) is None


def check_jobs():
    job = {"RANK_SIZE": "2", "ASCEND_DEVICE_ID": "0"}
    cases = (
        ({}, "CM_CHIEF_IP and RANK_TABLE_FILE are all not be configured."),
        (
            {"CM_CHIEF_IP": "10.0.0.1", "RANK_TABLE_FILE": "table.json"},
            "CM_CHIEF_IP and RANK_TABLE_FILE cannot be configured at the same time.",
        ),
        (
            {"CM_CHIEF_IP": "10.0.0.1"},
            "You must specify cm chief port by set env CM_CHIEF_PORT in distribution mode",
        ),
        (
            {"CM_CHIEF_IP": "10.0.0.1", "CM_CHIEF_PORT": "6000"},
            "You must specify cm chief device by set env CM_CHIEF_DEVICE in distribution mode",
        ),
        (
            {"RANK_TABLE_FILE": "table.json"},
            "You must specify rank id by set env RANK_ID in distribution mode",
        ),
    )
    for variables, text in cases:
        with environment(**job, **variables), raises(RuntimeError, text):
            npu.open()
    both = "RANK_SIZE and CM_WORK_SIZE cannot be configured at the same time"
    with environment(RANK_SIZE="2", CM_WORKER_SIZE="2"), raises(ValueError, both):
        npu.open()
    with environment(CM_WORKER_SIZE="4"):
        assert npu_callbacks.get_ranksize() == "4"


def check_what_opening_loses():
    """Runs before the first `open`, which fails here and has replaced the context already."""
    tf.random.set_seed(3)
    constant = tf.constant(2.0)
    variable = tf.Variable(1.0)
    built = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    unbuilt = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    generator = tf.random.Generator.from_seed(1)
    traced = tf.function(lambda value: value + 1)
    untraced = tf.function(lambda value: value + 1)
    data = tf.data.Dataset.range(3)
    traced(constant)
    check_jobs()
    from tensorflow.python.eager import context

    assert context.context()._seed is None
    assert float(constant + 1) == 3.0
    with raises(tf.errors.FailedPreconditionError, "Could not find variable"):
        variable + 1
    variable.assign(5.0)
    assert float(variable + 1) == 6.0
    with raises(tf.errors.FailedPreconditionError, "Could not find variable"):
        built(tf.ones([1, 2]))
    with raises(tf.errors.NotFoundError, "does not exist"):
        generator.normal([1])
    assert unbuilt(tf.ones([1, 2])).shape == [1, 1]
    assert float(untraced(constant)) == 3.0
    assert [int(one) for one in data] == [0, 1, 2]
    return traced, constant


def check_opening():
    with environment(ASCEND_DEVICE_ID="3"):
        handle = npu.open()
    assert handle.name() == "/job:localhost/replica:0/task:0/device:NPU:3"
    assert (handle.workers_num, handle.worker_id) == (1, 0)
    assert not handle.is_cluster_worker()
    tf.random.set_seed(4)
    assert npu.open(3) is handle
    from tensorflow.python.eager import context

    assert context.context()._seed == 4  # only the first call replaces the context
    with raises(RuntimeError, "Failed create npu instance on device 0 as existed instance on [3]"):
        npu.open(0)
    with handle.scope():
        tf.constant(1)
    assert global_npu_ctx() is None
    return handle


def random_functions():
    @tf.function
    def inner(value):
        return tf.nn.dropout(value, 0.5)

    @tf.function
    def outer(value):
        first = tf.nn.dropout(value, 0.5)
        return first, inner(value), inner(value), tf.nn.dropout(value, 0.5)

    tf.random.set_seed(9)
    return [outer(tf.ones([16])) for _ in range(2)]


def check_functions(handle, traced, constant):
    expected = random_functions()
    assert handle.as_default() is handle
    assert global_npu_ctx() is handle
    with raises(tf.errors.NotFoundError, "is neither a type of a primitive operation"):
        traced(constant)
    found = random_functions()
    for one, other in zip(tf.nest.flatten(expected), tf.nest.flatten(found)):
        np.testing.assert_array_equal(one, other)

    calls = []

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def inner(value):
        calls.append("inner")
        return value * 2

    @tf.function
    def branching(value):
        calls.append("branching")
        if tf.reduce_sum(value) > 0:
            return value
        return -value

    @tf.function(jit_compile=True)
    def outer(value):
        return inner(value) + branching(value)

    # an inlined function takes any shape; what cannot be inlined is traced after the attempt
    np.testing.assert_array_equal(outer(tf.ones([3])), [3, 3, 3])
    assert calls == ["inner", "branching", "branching"]
    assert not outer._jit_compile
    graph = outer.get_concrete_function(tf.ones([3])).graph
    types = [item.type for item in graph.get_operations()]
    assert "Mul" in types and sum(one.endswith("PartitionedCall") for one in types) == 1, types
    with raises(TypeError, ""):
        tf.function(lambda value: value, [tf.TensorSpec([2])])
    with tf.device("/GPU:5"):
        assert float(tf.constant(1.0) + 1) == 2.0
    squared = tf.function(lambda value: tf.py_function(np.square, [value], tf.float32))
    assert float(squared(tf.constant(3.0))) == 9.0


def check_dropout():
    assert npu_convert.parse_version_range("2.6.2~2.6.*") == ([2, 6, 2], [2, 6, 999])
    assert npu_convert.parse_version_range("2.4.*") == ([2, 4, 0], [2, 4, 999])
    with raises(ValueError, "version format error: x"):
        npu_convert.parse_version_range("x")
    replaced = tf.nn.dropout.__module__.startswith("npu_device")
    assert replaced == tf.__version__.startswith("2.6.")


NAMES_WITHOUT_KERAS_2 = {
    "get_scaled_loss": "scale_loss() takes its place",
    "get_unscaled_gradients": "apply_gradients() divides by the scale itself",
    "loss_scale": "dynamic_scale is the variable",
    "dynamic": "every loss scale is dynamic there",
    "dynamic_counter": "step_counter is the variable",
}


def check_loss_scale_of_keras_3():
    """What is left of it there, and messages for what is gone."""
    optimizer = NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.5), initial_scale=8.0)
    assert isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer)
    variable, gradient = tf.Variable([1.0]), tf.constant([8.0])
    optimizer.apply_gradients([(gradient, variable)])
    optimizer.apply([gradient], [variable])
    optimizer.apply([gradient * np.inf], [variable])
    assert (float(variable[0]), float(optimizer.dynamic_scale)) == (0.0, 4.0)
    for name, instead in NAMES_WITHOUT_KERAS_2.items():
        assert not hasattr(optimizer, name), name
        with needs_keras_2(f"NpuLossScaleOptimizer.{name}: Keras 3 left it out; {instead}"):
            getattr(optimizer, name)
    with needs_keras_2("constant loss scale (dynamic=False): Keras 3 left it out"):
        NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.5), dynamic=False, initial_scale=8.0)
    npu.set_device_sat_mode(0)
    for apply in (
        lambda: optimizer.apply_gradients([(gradient, variable)]),
        lambda: optimizer.apply([gradient], [variable]),
    ):
        with needs_keras_2(
            "loss scale that follows the overflow flag of a 910A: Keras 3 left it out"
        ):
            apply()
    npu.set_device_sat_mode(1)


def check_loss_scale():
    if KERAS == 3:
        check_loss_scale_of_keras_3()
        return

    def gradients(value):
        return [(tf.constant([value]), variable), (None, unused)]

    kinds = [tf.keras.optimizers.SGD]
    if hasattr(tf.keras.optimizers, "legacy"):
        kinds.append(tf.keras.optimizers.legacy.SGD)
    for kind in kinds:
        for compiled in (False, True):
            npu.set_device_sat_mode(0)
            assert not npu.is_inf_nan_enabled()
            variable, unused = tf.Variable([1.0]), tf.Variable([1.0])
            inner = kind(0.5)
            optimizer = NpuLossScaleOptimizer(inner, initial_scale=8.0, dynamic_growth_steps=2)
            assert isinstance(optimizer, tf.keras.mixed_precision.LossScaleOptimizer)
            assert isinstance(optimizer, NpuLossScaleOptimizer)

            def step(value, optimizer=optimizer):
                optimizer.apply_gradients(gradients(value))

            step = tf.function(step) if compiled else step
            values = []
            for value in (1.0, float("inf"), 1.0, 1.0):
                step(value)
                finite = bool(optimizer.last_step_finite.numpy())
                scale = float(optimizer.loss_scale)
                values.append((float(variable[0]), scale, int(inner.iterations), finite))
            assert values == [(0.5, 8.0, 1, True), (0.5, 4.0, 2, False), (0.0, 4.0, 3, True),
                              (-0.5, 8.0, 4, True)], values  # fmt: skip
            with raises(TypeError, "experimental_aggregate_gradients"):
                optimizer.apply_gradients([], experimental_aggregate_gradients=False)
            npu.set_device_sat_mode(1)
            step = lambda: optimizer.apply_gradients(gradients(float("nan")))  # noqa: E731, B023
            step()
            assert float(optimizer.loss_scale) == 4.0 and float(variable[0]) == -0.5
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1)), "mse")
    model.fit(np.ones([8, 2]), np.ones([8, 1]), batch_size=4, verbose=0)


def check_optimizer_wrapper():
    optimizer = hccl.npu_distributed_keras_optimizer_wrapper("adam")
    assert isinstance(optimizer, type(tf.keras.optimizers.get("adam")))
    assert hccl.npu_distributed_keras_optimizer_wrapper(optimizer) is optimizer
    with raises(ValueError, "not enough values to unpack"):
        optimizer.apply_gradients([])
    callbacks = hccl.npu_callbacks_append((1, 2))
    assert [type(one).__name__ for one in callbacks] == ["NPUBroadcastGlobalVariablesCallback"]
    assert not hasattr(type(callbacks[0]), "broadcast_global_variables")


def check_scopes():
    @tf.function
    def scoped(value):
        with scope.keep_dtype_scope():
            value = value + 1
        with scope.npu_optimizer_scope(), scope.npu_gradients_scope():
            value = value * 2
        with npu.npu_recompute_scope():
            return tf.square(value)

    graph = scoped.get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    attributes = {item.type: dict(item.node_def.attr) for item in graph.get_operations()}
    assert attributes["AddV2"]["_keep_dtype"].i == 1
    assert attributes["Mul"]["_optimizer"].b and attributes["Mul"]["_backward"].b
    assert attributes["Square"]["_recompute"].b
    exact, fast = npu.ops.gelu(tf.constant(1.0)), tf.function(npu.ops.gelu)(tf.constant(1.0))
    np.testing.assert_allclose([exact, fast], [0.8413447, 0.8457958], rtol=1e-5)
    inputs = tf.keras.Input([2])
    model = tf.keras.Model(inputs, npu.ops.gelu(inputs))
    predicted = model.predict(np.ones([1, 2]), verbose=0)
    np.testing.assert_allclose(predicted[0, 0], 0.8457958, rtol=1e-5)
    assert npu.gen_npu_ops.fast_gelu(tf.constant(0.0)) == 0.0


def check_loop_size():
    from ascendify_runtime import offloaded_loops

    npu.set_npu_loop_size(5)
    npu.set_npu_loop_size(0)
    assert offloaded_loops.size() == 5


def check_what_compat_lacks(run_config):
    from npu_device.compat.v1.npu_init import (
        NPUBroadcastGlobalVariablesCallback,
        npu_distributed_optimizer_wrapper,
        set_keras_session_npu_config,
    )

    dynamic_rnn = importlib.import_module("npu_device.compat.v1.estimator.npu.npu_dynamic_rnn")
    with environment(RANK_SIZE="2"):
        for what, call in (
            (ESTIMATOR, run_config),
            (SESSION, set_keras_session_npu_config),
            (LAYERS, lambda: dynamic_rnn.DynamicRNN(4, tf.float32)),
            (LAYERS, lambda: dynamic_rnn.DynamicGRUV2(4, tf.float32, gate_order="hzr")),
            (GRADIENTS, lambda: npu_distributed_optimizer_wrapper("adam")),
            (SESSION, lambda: NPUBroadcastGlobalVariablesCallback(0).on_batch_begin(0)),
        ):
            needs_keras_2(what)(call)()


def check_compat():
    import npu_bridge.estimator.npu.npu_config as same
    import npu_device.compat.v1.estimator.npu.npu_config as config
    from npu_device.compat.v1.hccl import hccl_ops
    from npu_device.compat.v1.npu_init import NPURunConfig, npu_config_proto

    assert config is same and config.__name__ == "npu_bridge.estimator.npu.npu_config"
    assert NPURunConfig is config.NPURunConfig
    assert hccl_ops.__name__ == "npu_bridge.hccl.hccl_ops"
    with raises(ImportError, "npu_loss_scale_manager"):
        importlib.import_module("npu_device.compat.v1.estimator.npu.npu_loss_scale_manager")
    with raises(ImportError, "FixedLossScaleManager"):
        from npu_device.compat.v1.npu_init import FixedLossScaleManager  # noqa: F401
    builder = npu.compat.v1.SessionConfigBuilder()
    builder.parameter_map["precision_mode"].s = b"force_fp16"
    (entry,) = builder.session_config.graph_options.rewrite_options.custom_optimizers
    assert entry.name == "NpuOptimizer" and entry.parameter_map["precision_mode"].s == b"force_fp16"
    again = npu.compat.v1.SessionConfigBuilder(builder.session_config)
    assert again.parameter_map["precision_mode"].s == b"force_fp16"
    if KERAS == 3:
        check_what_compat_lacks(NPURunConfig)
    npu.compat.enable_v1()
    assert os.environ["ASCEND_DEVICE_ID"] == "3"
    assert not tf.executing_eagerly()
    with tf.compat.v1.Session(config=npu_config_proto()) as session:
        assert session.run(tf.constant(1)) == 1


check_options()
check_before_opening()
lost = check_what_opening_loses()
check_functions(check_opening(), *lost)
check_dropout()
check_loss_scale()
check_optimizer_wrapper()
check_scopes()
check_loop_size()
check_compat()
all_hold()
