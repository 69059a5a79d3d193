"""What is refused, and what stands in the graph."""

import inspect

import numpy as np
from ascendify_runtime.framework import tf
from ascendify_runtime.world import world
from keras_2 import LAYERS, error_of
from npu_bridge.estimator import npu_aicore_ops, npu_ops, npu_unary_ops
from npu_bridge.estimator.npu import npu_dynamic_rnn, npu_scope
from npu_bridge.estimator.npu.npu_config import NpuExecutePlacement
from npu_bridge.experimental import file_constant, hccl
from npu_bridge.helper import helper
from npu_bridge.npu_cpu import lru_cache, npu_cpu_ops
from npu_bridge.profiler.profiler import Profiler
from npu_bridge.scoped_graph_manager.scoped_graph_manager import ScopedGraphManager
from npu_bridge.tbe import npu_cube_ops, npu_vector_ops
from ops_harness import numbers

X = numbers(2, 3)


def double():
    return tf.constant(X, tf.float64)


def rnn(**options):
    layer = npu_dynamic_rnn.DynamicRNN(5, options.pop("dtype", tf.float32), **options)
    return layer(tf.constant(numbers(4, 3, 2)))


def gru(**options):
    return npu_dynamic_rnn.DynamicGRUV2(5, tf.float32, **options)(tf.constant(numbers(4, 3, 2)))


def convolution(**options):
    return npu_cube_ops.deformable_conv2d(
        numbers(1, 4, 4, 1), numbers(1, 1, 1, 1), numbers(1, 4, 4, 3), **options
    )


def entered(scope):
    with scope:
        pass


def nested():
    with Profiler(), Profiler():
        pass


ALLOWED = "not in list of allowed values: float16, float32"
REFUSALS = (
    (lambda: npu_ops.dropout(tf.constant([1, 2]), 0.5), ValueError,
     "x must be a floating point tensor. Got a <dtype: 'int32'> tensor instead."),
    (lambda: npu_ops.dropout(X, 0), ValueError,
     "keep_prob must be a float value or a scalar tensor in the range (0, 1], got 0"),
    (lambda: npu_ops.dropout(X, 1.5), ValueError, "in the range (0, 1], got 1.5"),
    (lambda: npu_ops.dropout(double(), 0.5), TypeError,
     "Value passed to parameter 'x' has DataType float64 " + ALLOWED),
    (lambda: npu_aicore_ops.dropout_v3(X, -1), ValueError, "(0, 1], got -1"),
    (lambda: npu_aicore_ops.dropout_v4(tf.constant([1]), 0.5), ValueError, "floating point"),
    (lambda: npu_unary_ops.npu_unary_ops.gelu(double()), TypeError, "float64 " + ALLOWED),
    (lambda: npu_aicore_ops.npu_aicore_ops.fast_gelu(double()), TypeError, "float64 " + ALLOWED),
    (lambda: npu_aicore_ops.fast_gelu_v2(double()), TypeError, "float64 " + ALLOWED),
    (lambda: npu_aicore_ops.prelu(double(), 0.1), TypeError, "float64 " + ALLOWED),
    (lambda: npu_aicore_ops.nonzerowithvalue([1.0]), ValueError, "takes a matrix"),
    (lambda: npu_ops.LARSV2(double(), double(), 0.1, 0.1), TypeError,
     "parameter 'input_weight' has DataType float64 not in list of allowed values: float32"),
    (lambda: npu_ops.basic_lstm_cell(X, X, X, X, X, 0.5, 0.0, True, "tanh"), NotImplementedError,
     "keep_prob=0.5"),
    (lambda: npu_ops.adam_apply_one_assign(*[tf.constant(1.0)] * 10), TypeError,
     "input1 is updated in place and must be a variable"),
    (lambda: npu_vector_ops.lamb_apply_weight_assign(*[tf.constant(1.0)] * 5), TypeError,
     "input4 is updated in place"),
    (lambda: npu_ops.npu_onnx_graph_op([], [], "model.onnx"), NotImplementedError, "ONNX"),
    (lambda: npu_ops.outfeed_dequeue_op("c", [tf.int32], []), ValueError,
     "`output_shapes` must be the same length as `output_types` (0 vs. 1)"),
    (lambda: convolution(modulated=False, strides=[1] * 4, pads=[0] * 4), RuntimeError,
     "tf.deformable_conv2d() only supports modulated is True currently"),
    (lambda: convolution(groups=2, strides=[1] * 4, pads=[0] * 4), RuntimeError,
     "tf.deformable_conv2d() only supports groups is 1 currently"),
    (convolution, ValueError, "needs strides and pads"),
    (lambda: entered(npu_scope.npu_variable_scope("ALL")), ValueError,
     "placement vaule must be in NpuExecutePlacement's vaule"),
    (lambda: entered(npu_scope.limit_core_num_scope(op_vectorore_num=4)), ValueError,
     "Param op_vectorore_num must be string."),
    (lambda: entered(npu_scope.limit_core_num_scope(op_vectorore_num="many")), ValueError,
     "Param op_vectorore_num can not be converted into a valid int number."),
    (lambda: entered(npu_scope.limit_core_num_scope()), ValueError,
     "Param op_vectorore_num must be greater than zero."),
    (lambda: npu_scope.npu_graph_slice_scope(0), ValueError, "slice_num"),
    (lambda: npu_scope.npu_graph_slice_scope("2"), TypeError, "slice_num"),
    (lambda: Profiler(level=1), ValueError, "level must be str"),
    (lambda: Profiler(aic_metrics=None), ValueError, "aic_metrics must be str"),
    (nested, RuntimeError, "already running"),
    (lambda: Profiler().stop(), RuntimeError, "not running"),
    (lambda: lru_cache.LruCache(dtype=tf.float32), TypeError, "'dtype' has DataType float32"),
    (lambda: file_constant.file_constant([2], tf.float32), ValueError, "file_path or file_id"),
    (lambda: file_constant.file_constant([2], tf.float32, file_id="a"), NotImplementedError,
     "file_id"),
    (lambda: npu_cpu_ops.randomchoicewithmask([True], -1), ValueError,
     "input count must greater or equal to 0 but instead is -1"),
    (lambda: npu_cpu_ops.randomchoicewithmask([1], 1), TypeError, "allowed values: bool"),
    (lambda: npu_cpu_ops.init_embedding_hashtable(1, None, 6, 2, "zeros", 0), ValueError,
     "initializer_mode must be 'random' or 'constant'"),
    (lambda: npu_cpu_ops.embedding_hash_table_export([1], [0], [2], [6], "new"),
     NotImplementedError, "export_mode='new'"),
    (lambda: helper.get_gen_ops().unheard_of, AttributeError, "no operator 'unheard_of'"),
)  # fmt: skip

REFUSALS_OF_LAYERS = (
    (lambda: rnn(direction="SIDEWAYS"), ValueError,
     "Invalid direction: SIDEWAYS, expecting UNIDIRECTIONAL or BIDIRECTIONAL"),
    (lambda: rnn(cell_type="GRU"), NotImplementedError, "only cell_type='LSTM' is documented"),
    (lambda: rnn(cell_depth=2), NotImplementedError, "cell_depth=2"),
    (lambda: rnn(use_peephole=True), NotImplementedError, "use_peephole=True"),
    (lambda: rnn(keep_prob=0.5), NotImplementedError, "keep_prob=0.5"),
    (lambda: rnn(cell_clip=1.0), NotImplementedError, "cell_clip=1.0"),
    (lambda: rnn(num_proj=3), NotImplementedError, "num_proj=3"),
    (lambda: rnn(time_major=False), NotImplementedError, "time_major=False"),
    (lambda: rnn(activation="relu"), NotImplementedError, "activation='relu'"),
    (lambda: gru(gate_order="hzr"), ValueError, "gate_order must be zrh or rzh"),
    (lambda: gru(reset_after=False), NotImplementedError, "reset_after=False"),
    (lambda: npu_dynamic_rnn.DynamicGRUV2(5, tf.float32)(tf.placeholder(tf.float32, [4, 3, None])),
     ValueError, "Expected input_shape[2] to be known, saw shape: input_size."),
    (lambda: npu_dynamic_rnn.DynamicRNN(5, tf.float64)(tf.constant(numbers(4, 3, 2), tf.float64)),
     TypeError, "float64 " + ALLOWED),
)  # fmt: skip

UNAVAILABLE = (
    (npu_aicore_ops, "lru_cache_v2 prod_env_mat_a prodvirialsea prodforcesea tabulatefusionsea "
     "tabulatefusionseagrad tabulatefusion tabulatefusiongrad"),
    (npu_cpu_ops, "embeddingrankid embedding_local_index stateless_dropout batch_enqueue "
     "ocr_recognition_pre_handle ocr_detection_pre_handle ocr_identify_pre_handle "
     "batch_dilate_polys ocr_find_contours dequeue ocr_detection_post_handle warp_affine_v2 "
     "resize_v2 resize_and_clip_polys embedding_hashmap_export_v2 embedding_hashmap_file_size_v2 "
     "embedding_hashmap_import_v2 embedding_hashtable_apply_adam_w"),
)  # fmt: skip

EAGER = (
    (npu_ops.NPUInit, "tf.NPUInit()"),
    (npu_ops.NPUShutdown, "tf.NPUShutdown()"),
    (npu_ops.initialize_system, "tf.NPUInit()"),
    (lambda: npu_ops.dropout(X, 0.5), "npu_ops.dropout()"),
    (lambda: npu_ops.LARS([X], [X], 0.1), "tf.LARS()"),
    (lambda: npu_ops.LARSV2(X, X, 0.1, 0.1), "tf.LARSV2()"),
    (lambda: npu_ops.k_means_centroids(X, X, X, X), "tf.k_means_centroids()"),
    (lambda: npu_ops.adam_apply_one_assign(*[1.0] * 10), "tf.adam_apply_one_assign()"),
    (lambda: npu_vector_ops.lamb_apply_weight_assign(*[1.0] * 5), "tf.lamb_apply_weight_assign()"),
    (convolution, "tf.deformable_conv2d()"),
)


def refusal(call, kind, text):
    try:
        call()
    except kind as error:
        return None if text in str(error) else f"{kind.__name__} says {error}, not {text}"
    except Exception as error:
        return f"{type(error).__name__} ({error}) instead of {kind.__name__}: {text}"
    return f"nothing raised instead of {kind.__name__}: {text}"


def none_of(problems):
    found = [problem for problem in problems if problem]
    assert not found, found


def check_refusals():
    none_of(refusal(*row) for row in REFUSALS)
    none_of(refusal(call, *error_of(LAYERS, *rest)) for call, *rest in REFUSALS_OF_LAYERS)


def check_unavailable_operators_say_why():
    for module, names in UNAVAILABLE:
        for name in names.split():
            operator = getattr(module, name)
            arguments = [None] * len(inspect.signature(operator).parameters)
            text = f"{name} cannot be emulated: "
            none_of([refusal(lambda: operator(*arguments), NotImplementedError, text)])  # noqa: B023


def check_graph_operators_refuse_eager_execution(monkey=tf.executing_eagerly):
    tf.executing_eagerly = lambda: True
    try:
        none_of(
            refusal(call, RuntimeError, f"{name} is not compatible with eager execution.")
            for call, name in EAGER
        )
    finally:
        tf.executing_eagerly = monkey


SCOPES = (
    (npu_scope.without_npu_compile_scope, {"_without_npu_compile": True}),
    (npu_scope.npu_variable_scope, {"_variable_placement": NpuExecutePlacement.ALL.value.encode()}),
    (lambda: npu_scope.npu_variable_scope(NpuExecutePlacement.HOST),
     {"_variable_placement": NpuExecutePlacement.HOST.value.encode()}),
    (npu_scope.keep_dtype_scope, {"_keep_dtype": 1}),
    (lambda: npu_scope.npu_stage_scope(3), {"_stage_level": 3}),
    (npu_scope.npu_mem_type_scope, {"_output_memory_type": 1}),
    (npu_scope.npu_weight_prefetch_scope, {"_buffer_pool_id": 0, "_buffer_pool_size": 536870912}),
    (lambda: npu_scope.op_specified_engine_scope("DNN", "kernels"),
     {"_specified_engine_name": b"DNN", "_specified_kernel_lib_name": b"kernels"}),
    (lambda: npu_scope.npu_qos_label_scope(2), {"_qos_service_label": 2}),
    (lambda: npu_scope.subgraph_multi_dims_scope(1), {"_subgraph_multi_dims_index": 1}),
    (npu_scope.npu_optimizer_scope, {"_optimizer": True}),
    (npu_scope.disable_autofuse, {"_disable_autofuse_scope": True}),
    (lambda: npu_scope.limit_core_num_scope(op_vectorore_num="8"), {"_op_vectorcore_num": b"8"}),
)  # fmt: skip


def check_scopes_mark_the_nodes_inside():
    for scope, attributes in SCOPES:
        with scope():
            inside = tf.constant(1.0) + 1.0
        outside = tf.constant(1.0)
        for name, value in attributes.items():
            assert inside.op.get_attr(name) == value, name
            assert name not in outside.op.node_def.attr, name


def check_name_scopes():
    with npu_scope.npu_recompute_scope():
        first = tf.constant(1.0, name="a")
    with npu_scope.npu_graph_slice_scope(2):
        second = tf.constant(1.0, name="a")
    with npu_scope.npu_graph_slice_scope():
        third = tf.constant(1.0, name="a")
    assert first.op.name == "NpuRecompute/a"
    assert second.op.name == "SliceNum-2-NpuGraphSlicing2/a"
    assert third.op.name == "SliceNum-None-NpuGraphSlicingNone/a"


def check_host_operators_say_what_they_stand_for():
    init, stop = npu_ops.initialize_system(), npu_ops.shutdown_system(name="end")
    assert isinstance(init, tf.Operation)
    assert init.name == "NPUInit"
    assert stop.name == "end"
    assert init.get_attr("_npu_op") == b"NPUInit"
    assert stop.get_attr("_npu_op") == b"NPUShutdown"


def check_system_operators_begin_and_end_the_world():
    init, stop = npu_ops.initialize_system(), npu_ops.shutdown_system()
    with tf.Session() as session:
        session.run(init)
        assert world().initialised
        assert hccl.get_actual_rank_size() == hccl.get_user_rank_size() == 1
        assert hccl.get_user_rank_id() == 0
        session.run(stop)
    assert not world().initialised


def check_profiler_and_graph_manager_as_with():
    with Profiler(level="L1", aic_metrics="PipeUtilization", output_path="."):
        pass
    with Profiler():
        pass
    with ScopedGraphManager() as manager:
        assert manager is not None


def check_helper():
    assert helper.version == "v1.15.0"
    assert helper.get_gen_ops() is npu_unary_ops.npu_unary_ops is npu_aicore_ops.npu_aicore_ops
    assert npu_cpu_ops.gen_npu_cpu_ops is helper.get_gen_ops()
    assert hccl.c_str("group").value == b"group"
    assert np.isfinite(X).all()
