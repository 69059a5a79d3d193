"""The NPU options: every one is known, typed, checked, and explained when it is wrong."""

from __future__ import annotations

import re

import pytest

from ascendify.catalog import options
from ascendify.catalog.options import OptionError

KEYS_BY_SECTION = {
    "basic": "use_off_line graph_run_mode session_device_id deterministic distribute job task_index"
    " device_type soc_config min_group_size",
    "mixed-computing": "mix_compile_mode iterations_per_loop enable_data_pre_proc in_out_pair_flag"
    " in_out_pair const_input lower_functional_ops variable_placement frozen_variable"
    " graph_max_parallel_model_num",
    "precision": "precision_mode precision_mode_v2 modify_mixlist customize_dtypes"
    " op_precision_mode op_select_implmode optypelist_for_implmode enable_reduce_precision"
    " overflow_flag",
    "debugging": "enable_dump dump_path dump_step dump_mode enable_dump_debug dump_debug_mode"
    " dump_data dump_layer quant_dumpable fusion_switch_file buffer_optimize enable_exception_dump"
    " op_debug_config op_debug_level debug_dir export_compile_stat",
    "profiling-and-tuning": "profiling_mode profiling_options aoe_mode work_path aoe_config_file"
    " distribute_config auto_tune_mode",
    "memory": "atomic_clean_policy static_memory_policy variable_use_1g_huge_page"
    " memory_optimization_policy external_weight input_fusion_size input_batch_cpy"
    " graph_memory_max_size variable_memory_max_size enable_compress_weight compress_weight_conf",
    "dynamic-shape": "input_shape dynamic_dims dynamic_node_type compile_hybrid_mode"
    " compile_dynamic_mode ac_parallel_enable all_tensor_not_empty jit_compile"
    " shape_generalization_mode dynamic_input dynamic_graph_execute_mode"
    " dynamic_inputs_shape_range",
    "compilation": "op_compiler_cache_mode op_compiler_cache_dir aicore_num oo_constant_folding"
    " oo_level optimization_switch topo_sorting_mode enable_scope_fusion_passes"
    " stream_max_parallel_num enable_small_channel variable_format_optimize insert_op_file"
    " graph_compiler_cache_dir graph_exec_timeout auto_multistream_parallel_mode execute_times",
    "distributed": "hcom_parallel hcom_multi_mode is_tailing_optimization hccl_timeout"
    " HCCL_algorithm local_rank_id local_device_list horovod_mode",
    "timeouts": "op_wait_timeout op_execute_timeout stream_sync_timeout event_sync_timeout",
    "experimental": "experimental_logical_device_cluster_deploy_mode experimental_logical_device_id"
    " experimental_model_deploy_mode experimental_model_deploy_devicelist resource_config_path"
    " graph_parallel_option_path enable_graph_parallel graph_slice recompute"
    " experimental_accelerate_train_mode",
}

NO_SESSION_FORM = {"distribute", "overflow_flag", "execute_times", "horovod_mode", "recompute"}

PROCESS_WIDE = (
    "graph_run_mode op_debug_level profiling_mode profiling_options precision_mode"
    " precision_mode_v2 enable_scope_fusion_passes enable_exception_dump aoe_mode work_path"
    " aoe_config_file op_compiler_cache_mode op_compiler_cache_dir debug_dir hcom_multi_mode"
    " export_compile_stat aicore_num oo_constant_folding input_batch_cpy oo_level"
    " optimization_switch op_wait_timeout op_execute_timeout stream_sync_timeout"
    " event_sync_timeout HCCL_algorithm"
)

NPU_RUN_CONFIG = (
    "iterations_per_loop profiling_config model_dir tf_random_seed save_summary_steps"
    " save_checkpoints_steps save_checkpoints_secs session_config keep_checkpoint_max"
    " keep_checkpoint_every_n_hours log_step_count_steps distribute enable_data_pre_proc"
    " precision_mode enable_reduce_precision variable_format_optimize mix_compile_mode"
    " hcom_parallel graph_memory_max_size variable_memory_max_size dump_config"
    " stream_max_parallel_num is_tailing_optimization horovod_mode graph_run_mode op_debug_level"
    " enable_scope_fusion_passes enable_exception_dump op_select_implmode optypelist_for_implmode"
    " dynamic_input_config aoe_mode work_path buffer_optimize enable_small_channel"
    " fusion_switch_file enable_compress_weight compress_weight_conf op_compiler_cache_mode"
    " op_compiler_cache_dir debug_dir hcom_multi_mode dynamic_input dynamic_graph_execute_mode"
    " dynamic_inputs_shape_range train_distribute eval_distribute local_rank_id local_device_list"
    " session_device_id distribute_config modify_mixlist op_precision_mode device_type soc_config"
    " hccl_timeout op_wait_timeout op_execute_timeout HCCL_algorithm customize_dtypes"
    " op_debug_config memory_config experimental_config topo_sorting_mode aoe_config_file"
    " insert_op_file stream_sync_timeout event_sync_timeout external_weight deterministic"
    " frozen_variable variable_placement jit_compile precision_mode_v2 ac_parallel_enable"
    " quant_dumpable input_fusion_size compile_dynamic_mode graph_max_parallel_model_num"
    " export_compile_stat aicore_num oo_constant_folding input_batch_cpy shape_generalization_mode"
    " all_tensor_not_empty auto_multistream_parallel_mode oo_level optimization_switch"
)

HELPER_ARGUMENTS = {
    "ProfilingConfig": "enable_profiling profiling_options",
    "MemoryConfig": "atomic_clean_policy static_memory_policy memory_optimization_policy"
    " variable_use_1g_huge_page",
    "DumpConfig": "enable_dump dump_path dump_step dump_mode enable_dump_debug dump_debug_mode"
    " dump_data dump_layer",
    "GraphMemoryOptimizeConfig": "recompute graph_slice",
    "ExperimentalConfig": "logical_device_cluster_deploy_mode logical_device_id model_deploy_mode"
    " model_deploy_devicelist graph_memory_optimize_config enable_graph_parallel"
    " graph_parallel_option_path graph_compiler_cache_dir resource_config_path"
    " accelerate_train_mode",
    "DynamicInputConfig": "input_shape dynamic_dims dynamic_node_type compile_hybrid_mode",
}


# --- the table -------------------------------------------------------------------------------


@pytest.mark.parametrize("section", KEYS_BY_SECTION)
def test_every_documented_option_is_in_its_section(section: str) -> None:
    keys = [found.key for found in options.all_options() if found.section == section]
    assert sorted(keys) == sorted(KEYS_BY_SECTION[section].split())


def test_there_are_108_session_options_and_5_others() -> None:
    assert len(options.all_options()) == 113
    assert {found.key for found in options.all_options() if not found.field} == NO_SESSION_FORM


def test_process_wide_options() -> None:
    assert {found.key for found in options.all_options() if found.process_wide} == set(
        PROCESS_WIDE.split()
    )


def test_run_config_spellings_exist_in_the_adapter() -> None:
    places = [found.run_config for found in options.all_options() if found.run_config]
    places += options.run_config_helpers().values()
    for place in places:
        owner, dot, argument = place.partition(".")
        if dot:
            assert argument in HELPER_ARGUMENTS[owner].split(), place
        else:
            assert owner in NPU_RUN_CONFIG.split(), place


def test_only_profiling_and_experimental_options_have_another_name_in_run_config() -> None:
    renamed = {
        found.key
        for found in options.all_options()
        if found.run_config and found.run_config.split(".")[-1] != found.key
    }
    assert renamed == {"profiling_mode"} | {
        key for key in KEYS_BY_SECTION["experimental"].split() if key.startswith("experimental_")
    }


@pytest.mark.parametrize("found", options.all_options(), ids=lambda found: str(found.key))
def test_facts_about_one_option_agree(found: options.Option) -> None:
    assert found.type in ("b", "i", "s", "object")
    assert found.field in (None, found.type)
    assert found.meaning[0].isupper() and found.meaning[-1] == "." and ". " not in found.meaning
    assert set(found.products) <= set(options.products())
    assert set(found.product_ranges) <= set(options.products())
    for value, only in found.value_products.items():
        assert value in found.values
        assert set(only) <= set(options.products())
    assert set(found.loss_scale_values) | set(found.value_notes) <= set(found.values)
    if found.default is not None:
        assert options.parse(found.key, found.default) == found.default
    for value in found.values:
        assert options.parse(found.key, str(value)) == value
        assert type(options.parse(found.key, str(value))) is {"i": int, "s": str}[found.type]
    if found.pattern:
        assert found.format, "a pattern needs words for the error message"


def test_rules_speak_of_options_and_values_that_exist() -> None:
    for rule in options.rules():
        assert rule.severity in ("error", "warning")
        for condition in (rule.when, *rule.needs, *rule.forbids):
            for value in condition.values:
                assert options.parse(condition.option, value) == value


def test_the_source_is_named() -> None:
    assert "npu_bridge" in options.source()


# --- one value -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "given", "typed"),
    [
        ("enable_dump", "true", True),
        ("enable_dump", "1", True),
        ("enable_dump", "ON", True),
        ("enable_dump", " yes ", True),
        ("enable_dump", "false", False),
        ("enable_dump", 0, False),
        ("enable_dump", True, True),
        ("graph_run_mode", "0", 0),
        ("deterministic", True, 1),
        ("deterministic", "off", 0),
        ("iterations_per_loop", "100", 100),
        ("stream_sync_timeout", "-1", -1),
        ("graph_exec_timeout", 5, 5),
        ("input_fusion_size", 33554432, 33554432),
        ("precision_mode", "allow_mix_precision", "allow_mix_precision"),
        ("precision-mode", "force_fp32", "force_fp32"),
        ("hccl_algorithm", "level0:NA;level1:ring", "level0:NA;level1:ring"),
        ("aoe_mode", 2, "2"),
        ("jit_compile", True, "true"),
        ("jit_compile", "auto", "auto"),
        ("ac_parallel_enable", False, "0"),
        ("dump_step", "0|5|10-20", "0|5|10-20"),
        ("dump_step", 3, "3"),
        ("dump_step", "|".join("1" * 100), "|".join("1" * 100)),
        ("dump_path", "/data/dump dir", "/data/dump dir"),
        ("aicore_num", "2|4", "2|4"),
        ("stream_max_parallel_num", "DNN_VM_AICPU:10,AIcoreEngine:1", None),
        ("auto_multistream_parallel_mode", "LoadBalance:64", None),
        ("auto_multistream_parallel_mode", "cv", None),
        ("graph_memory_max_size", "16 * 1024 * 1024 * 1024", None),
        ("input_shape", "data:1,1,40,-1;label:1,-1", None),
        ("dynamic_dims", "20,20;40,40", None),
        ("profiling_options", '{"output": "/tmp/p", "task_trace": "on"}', None),
        ("optimization_switch", "FirstPass:on;SecondPass:off", None),
        ("experimental_accelerate_train_mode", "fast|step|0.9", None),
        ("experimental_accelerate_train_mode", "fast1|loss|1.05", None),
        ("local_device_list", "0,1,2", None),
        ("loss_scale", "dynamic", "dynamic"),
        ("loss_scale", "1024", 1024.0),
        ("loss_scale", 512, 512.0),
        ("over_dump", "yes", True),
    ],
    ids=str,
)
def test_parse(key: str, given: object, typed: object) -> None:
    expected = given if typed is None else typed
    value = options.parse(key, given)
    assert value == expected
    assert type(value) is type(expected)


def test_loss_scale_none_is_not_asked_for() -> None:
    assert options.parse("loss_scale", "none") is None


@pytest.mark.parametrize(
    ("key", "given", "message"),
    [
        ("enable_dump", "maybe", "enable_dump cannot be 'maybe'; expected true or false"),
        ("enable_dump", 2, "expected true or false"),
        ("enable_dump", 1.0, "expected true or false"),
        ("graph_run_mode", 2, "graph_run_mode cannot be 2; expected one of 0, 1"),
        ("iterations_per_loop", 0, "expected an integer of at least 1"),
        ("iterations_per_loop", "ten", "expected an integer of at least 1"),
        ("iterations_per_loop", True, "expected an integer of at least 1"),
        ("iterations_per_loop", 1.5, "expected an integer of at least 1"),
        ("input_fusion_size", 33554433, "expected an integer from 0 to 33554432"),
        ("session_device_id", -1, "expected an integer of at least 0"),
        ("precision_mode", "allow_mix_precison", "did you mean 'allow_mix_precision'?"),
        ("precision_mode", "FORCE_FP32", "did you mean 'force_fp32'?"),
        ("precision_mode", "", "precision_mode cannot be ''; expected one of force_fp32,"),
        ("precision_mode", True, "expected one of force_fp32,"),
        ("oo_level", "O4", "expected one of O0, O1, O2, O3"),
        ("aoe_mode", 3, "expected one of 1, 2, 4"),
        ("dump_step", "5-", "such as 0|5|10-20"),
        ("dump_step", "20-10", "ascending"),
        ("dump_step", "|".join("1" * 101), "at most 100"),
        ("aicore_num", "2", "cube|vector"),
        ("stream_max_parallel_num", "AIcoreEngine:14", "1 to 13"),
        ("auto_multistream_parallel_mode", "MainStream:65", "n from 1 to 64"),
        ("input_shape", "label:1,-1;data:1,-1", "alphabetical"),
        ("dynamic_dims", "20,20", "2 to 100 profiles"),
        ("profiling_options", "output=/tmp", "a JSON object"),
        ("profiling_options", "[]", "a JSON object"),
        ("experimental_accelerate_train_mode", "fast|step|0.95", "0.2 to 0.9"),
        ("experimental_accelerate_train_mode", "fast|loss|1.6", "1.01 to 1.5"),
        ("modify_mixlist", 1.5, "the path of a file"),
        ("distribute", "ps", "which only code can build"),
        ("loss_scale", "dynamc", "did you mean 'dynamic'?"),
        ("loss_scale", 0.5, "a number of at least 1"),
        ("loss_scale", "inf", "a number of at least 1"),
        ("loss_scale", True, "a number of at least 1"),
        ("over_dump", "some", "expected true or false"),
        (
            "precison_mode",
            "x",
            "unknown NPU option 'precison_mode'; did you mean 'precision_mode'?",
        ),
        ("overdump", 1, "did you mean 'over_dump'?"),
    ],
    ids=str,
)
def test_parse_explains_what_is_wrong(key: str, given: object, message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)) as caught:
        options.parse(key, given)
    assert caught.value.key == key


def test_an_unknown_name_near_nothing_gets_no_suggestion() -> None:
    with pytest.raises(OptionError) as caught:
        options.option("xyzzy")
    assert str(caught.value) == "unknown NPU option 'xyzzy'"


# --- several values --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requested", "validated"),
    [
        ({}, {}),
        ({"precision-mode": "force_fp32"}, {"precision_mode": "force_fp32"}),
        ({"precision_mode": None}, {}),
        ({"loss_scale": "none"}, {}),
        ({"loss_scale": "1024"}, {"loss_scale": 1024.0}),
        (
            {"over_dump": "1", "dump_path": "d"},
            {"enable_dump_debug": True, "dump_debug_mode": "all", "dump_path": "d"},
        ),
        ({"over_dump": False}, {}),
        ({"mix_compile_mode": True}, {"mix_compile_mode": True}),
        (
            {"precision_mode_v2": "mixed_float16", "modify_mixlist": "m.json"},
            {"precision_mode_v2": "mixed_float16", "modify_mixlist": "m.json"},
        ),
        ({"enable_dump": False, "enable_dump_debug": False}, None),
        (
            {
                "input_shape": "d:-1",
                "dynamic_dims": "1;2",
                "dynamic_node_type": 0,
                "graph_run_mode": 0,
            },
            None,
        ),
        (
            {
                "experimental_accelerate_train_mode": "fast",
                "precision_mode": "must_keep_origin_dtype",
            },
            None,
        ),
    ],
    ids=str,
)
def test_validate_accepts_without_a_warning(
    requested: dict[str, object], validated: dict[str, object] | None
) -> None:
    assert options.validate(requested) == (requested if validated is None else validated, ())


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        (
            {"precision_mode": "force_fp32", "precision_mode_v2": "fp16"},
            "precision_mode=force_fp32 cannot go with precision_mode_v2=fp16",
        ),
        ({"modify_mixlist": "m.json"}, "needs precision_mode=allow_mix_precision or"),
        (
            {"modify_mixlist": "m.json", "precision_mode": "force_fp32"},
            "modify_mixlist=m.json needs",
        ),
        ({"enable_dump": 1, "enable_dump_debug": 1, "dump_path": "d"}, "either data or overflow"),
        ({"enable_dump": 1}, "enable_dump=True needs dump_path"),
        ({"over_dump": 1}, "enable_dump_debug=True needs dump_path"),
        (
            {"over_dump": 1, "dump_path": "d", "dump_debug_mode": "aicore_overflow"},
            "set twice",
        ),
        ({"optypelist_for_implmode": "Pooling"}, "needs op_select_implmode"),
        ({"mix_compile_mode": 1, "iterations_per_loop": 10}, "needs iterations_per_loop=1"),
        ({"variable_placement": "Host"}, "needs mix_compile_mode=True"),
        ({"enable_compress_weight": 1, "compress_weight_conf": "c"}, "cannot go with"),
        ({"input_shape": "d:-1"}, "needs dynamic_dims"),
        ({"input_shape": "d:-1", "dynamic_dims": "1;2"}, "needs dynamic_node_type"),
        ({"dynamic_node_type": 0}, "needs input_shape"),
        ({"compile_hybrid_mode": 1}, "needs dynamic_node_type=1"),
        (
            {
                "compile_dynamic_mode": 1,
                "input_shape": "d:-1",
                "dynamic_dims": "1;2",
                "dynamic_node_type": 1,
            },
            "compile_dynamic_mode=True cannot go with dynamic_dims=1;2",
        ),
        (
            {"experimental_accelerate_train_mode": "fast", "precision_mode": "allow_mix_precision"},
            "cannot go with precision_mode=allow_mix_precision",
        ),
        ({"precision_mode": "force_fp32", "precision-mode": "force_fp16"}, "set twice"),
        ({"no_such": 1}, "unknown NPU option 'no_such'"),
    ],
    ids=str,
)
def test_validate_refuses_what_the_platform_refuses(
    requested: dict[str, object], message: str
) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        options.validate(requested)


@pytest.mark.parametrize(
    ("requested", "warning"),
    [
        ({"auto_tune_mode": "RL,GA"}, "aoe_mode=2 is used instead"),
        ({"precision_mode": "allow_mix_precision_bf16"}, "not available on Atlas training series"),
        ({"precision_mode_v2": "mixed_hif8"}, "not supported by any release yet"),
        ({"precision_mode": "force_fp16"}, "this mode is for inference only"),
        ({"op_select_implmode": "high_precision"}, "deprecated; use op_precision_mode"),
        ({"enable_data_pre_proc": True}, "enable_data_pre_proc is deprecated"),
        ({"graph_memory_max_size": "1024"}, "no effect"),
        ({"task_index": 1}, "internal to the adapter"),
        ({"frozen_variable": True}, "expects graph_run_mode=0"),
        ({"dump_mode": "all"}, "needs enable_dump=True"),
        ({"work_path": "w"}, "needs aoe_mode"),
        ({"shape_generalization_mode": "FULL"}, "needs jit_compile=true"),
        ({"iterations_per_loop": 10}, "util.set_iteration_per_loop"),
        ({"stream_sync_timeout": 1000}, "longer than the HCCL timeout"),
        ({"hccl_timeout": 20000}, "hccl_timeout=20000 is not available on Atlas training series"),
        ({"hccl_timeout": 0}, "hccl_timeout=0 is not available on Atlas training series"),
        ({"op_debug_level": 1, "op_compiler_cache_mode": "enable"}, "compile cache off"),
        ({"graph_run_mode": 0, "enable_small_channel": 0}, "inference always switches it on"),
        ({"overflow_flag": 1}, "TensorFlow 2 only"),
    ],
    ids=str,
)
def test_validate_warns(requested: dict[str, object], warning: str) -> None:
    _, warnings = options.validate(requested)
    assert any(warning in text for text in warnings), warnings


def test_a_replaced_option_becomes_its_successor() -> None:
    assert options.validate({"auto_tune_mode": "RL,GA"})[0] == {"aoe_mode": "2"}


@pytest.mark.parametrize(
    ("requested", "has_it", "lacks_it"),
    [
        ({"precision_mode": "allow_mix_precision_bf16"}, "A2", "AT"),
        ({"precision_mode_v2": "mixed_bfloat16"}, "950", "INF"),
        ({"input_batch_cpy": True}, "A3", "AT"),
        ({"aoe_mode": "1"}, "AT", "A2"),
        ({"aoe_mode": "2"}, "A2", "950"),
        ({"dump_debug_mode": "aicore_overflow"}, "AT", "A3"),
        ({"hccl_timeout": 20000}, "A2", "Duo"),
    ],
    ids=str,
)
def test_a_named_product_decides(requested: dict[str, object], has_it: str, lacks_it: str) -> None:
    assert options.validate(requested, product=has_it)[1] == ()
    with pytest.raises(OptionError, match="is not available on"):
        options.validate(requested, product=lacks_it)


def test_an_unknown_product_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown product 'A4'"):
        options.validate({}, product="A4")


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ({"precision_mode": "allow_mix_precision"}, True),
        ({"precision_mode_v2": "mixed_float16"}, True),
        ({"precision_mode_v2": "mixed_bfloat16"}, False),
        ({"precision_mode": "force_fp32", "loss_scale": "dynamic"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_loss_scale_goes_with_float16_mixes(chosen: dict[str, options.Value], wanted: bool) -> None:
    assert options.wants_loss_scale(chosen) is wanted


# --- what a program says ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "field", "kind", "suggestion"),
    [
        ("sfusion_switch_file", "s", "unknown-key", "fusion_switch_file"),
        ("sump_mode", "s", "unknown-key", "dump_mode"),
        ("autotune_tune_mode", "s", "unknown-key", "auto_tune_mode"),
        ("hccl_algorithm", "s", "unknown-key", "HCCL_algorithm"),
        ("horovod_mode", "b", "unknown-key", ""),
        ("xyzzy", "s", "unknown-key", ""),
        ("precision_mode", "b", "wrong-field", "s"),
        ("jit_compile", "b", "wrong-field", "s"),
        ("op_debug_level", "s", "wrong-field", "i"),
        ("enable_dump", "i", "wrong-field", "b"),
        ("iterations_per_loop", "f", "wrong-field", "i"),
    ],
    ids=str,
)
def test_check_parameter_finds(key: str, field: str, kind: str, suggestion: str) -> None:
    problem = options.check_parameter(key, field)
    assert problem is not None
    assert (problem.kind, problem.suggestion) == (kind, suggestion)
    assert repr(key) in problem.message
    assert suggestion in problem.message


def test_check_parameter_says_where_an_option_without_session_form_belongs() -> None:
    problem = options.check_parameter("horovod_mode", "b")
    assert problem is not None
    assert "NPURunConfig" in problem.message


@pytest.mark.parametrize(
    "found", [one for one in options.all_options() if one.field], ids=lambda one: str(one.key)
)
def test_check_parameter_is_silent_on_the_right_field(found: options.Option) -> None:
    assert options.check_parameter(found.key, found.field or "") is None
