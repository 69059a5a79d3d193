"""The generated module: readable, valid for old Pythons, right on a session config.

Its logic runs here against stand-ins of the two packages it imports; when the variable
``ASCENDIFY_TF1_PYTHON`` names a Python that has TensorFlow 1.15, it also runs against the real one.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import os
import subprocess
import sys
import textwrap
import types
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from make_environments import find_python

from ascendify.catalog import options as catalog
from ascendify.catalog.options import OptionError
from ascendify.migrate.options_module import render

OFF = "OFF"


# --- stand-ins -------------------------------------------------------------------------------


class Node:
    """A message whose sub-messages appear when they are looked at."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = Entries() if name == "custom_optimizers" else Node()
        return self.__dict__[name]


class ConfigProto(Node):
    intra_op_parallelism_threads = 0


class Entry:
    def __init__(self, name: str) -> None:
        self.name = name
        self.parameter_map: defaultdict[str, types.SimpleNamespace] = defaultdict(
            types.SimpleNamespace
        )

    def MergeFrom(self, other: Entry) -> None:  # noqa: N802 (the name protobuf gives it)
        self.parameter_map.update(other.parameter_map)


class Entries(list[Entry]):
    def add(self, name: str) -> Entry:
        self.append(Entry(name))
        return self[-1]


class Recorded:
    """An object that remembers how it was built."""

    def __init__(self, *positional: object, **named: object) -> None:
        self.positional = positional
        self.named = named
        self.after = Recorded.dependencies[-1]

    dependencies: ClassVar[list[object]] = ["operators of the step"]
    """What everything built now is made to wait for, the innermost last."""

    @classmethod
    @contextlib.contextmanager
    def within(cls, operators: object) -> Iterator[None]:
        """Stands for ``tf.control_dependencies``."""
        cls.dependencies.append(operators)
        try:
            yield
        finally:
            cls.dependencies.pop()


class FixedLossScaleManager(Recorded):
    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        super().__init__(loss_scale=loss_scale)


def _package(name: str, **content: object) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(content)
    return module


HELPERS = {name: type(name, (Recorded,), {}) for name in catalog.run_config_helpers()}


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("NPU_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorFlow's messages and the adapter, as far as the generated module needs them."""
    flags = types.SimpleNamespace(OFF=OFF)
    config_pb2 = _package("config_pb2", ConfigProto=ConfigProto, OptimizerOptions=flags)
    rewriter = _package("rewriter_config_pb2", RewriterConfig=flags)
    config = _package("npu_config", **HELPERS)
    managers = _package(
        "npu_loss_scale_manager",
        FixedLossScaleManager=FixedLossScaleManager,
        ExponentialUpdateLossScaleManager=type("ExponentialUpdate", (Recorded,), {}),
    )
    optimizer = _package(
        "npu_loss_scale_optimizer", NPULossScaleOptimizer=type("NPULossScale", (Recorded,), {})
    )
    modules = {
        "tensorflow": _package("tensorflow", control_dependencies=Recorded.within),
        "tensorflow.core": _package("core"),
        "tensorflow.core.protobuf": _package(
            "protobuf", config_pb2=config_pb2, rewriter_config_pb2=rewriter
        ),
        "npu_bridge": _package("npu_bridge"),
        "npu_bridge.npu_init": _package("npu_init"),
        "npu_bridge.estimator": _package("estimator"),
        "npu_bridge.estimator.npu": _package(
            "npu", npu_config=config, npu_loss_scale_manager=managers
        ),
        "npu_bridge.estimator.npu.npu_config": config,
        "npu_bridge.estimator.npu.npu_loss_scale_manager": managers,
        "npu_bridge.estimator.npu.npu_loss_scale_optimizer": optimizer,
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


def generated(requested: dict[str, object]) -> Any:
    """The module with all its functions, imported."""
    text = render(requested, run_config_options=True, loss_scale_optimizer=True)
    module = types.ModuleType("npu_options")
    exec(compile(text, "npu_options.py", "exec"), vars(module))
    return module


def parameters(config: ConfigProto) -> dict[str, dict[str, object]]:
    entries = config.graph_options.rewrite_options.custom_optimizers
    (entry,) = [one for one in entries if one.name == "NpuOptimizer"]
    return {key: vars(value) for key, value in entry.parameter_map.items()}


# --- the text --------------------------------------------------------------------------------

ALL = {
    "session_config": True,
    "run_config_options": True,
    "loss_scale_optimizer": True,
    "set_global_options": True,
}
VARIANTS = {
    "global-options": {"session_config": False, "set_global_options": True},
    "session": {"session_config": True},
    "run-config": {"session_config": False, "run_config_options": True},
    "loss-scale": {"session_config": False, "loss_scale_optimizer": True},
    "all": ALL,
}
REQUESTED: dict[str, dict[str, object]] = {
    "none": {},
    "one": {"precision_mode": "allow_mix_precision"},
    "several": {
        "precision_mode_v2": "mixed_float16",
        "loss_scale": 1024,
        "iterations_per_loop": 10,
        "profiling_mode": True,
        "profiling_options": '{"output": "./prof", "task_trace": "on"}',
        "debug_dir": 'it\'s "here"\\there',
        "experimental_accelerate_train_mode": None,
        "recompute": "auto",
        "graph_memory_max_size": "16 * 1024",
        "in_out_pair": "[[['in'], ['out']]]",
        "job": "worker",
    },
}


@functools.cache
def _python36() -> str | None:
    return find_python([(3, 6)], os.environ)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("requested", REQUESTED)
def test_it_is_valid_python_3_6(requested: str, variant: str, tmp_path: Path) -> None:
    text = render(REQUESTED[requested], **VARIANTS[variant])
    ast.parse(text, feature_version=(3, 6))
    python = _python36()
    if python:
        file = tmp_path / "npu_options.py"
        file.write_text(text, encoding="utf-8")
        subprocess.run([python, "-m", "py_compile", str(file)], check=True)


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_has_no_unused_name_and_no_long_line(variant: str) -> None:
    text = render(REQUESTED["one"], **VARIANTS[variant])
    assert "@" not in text and "#::" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert text.endswith("\n") and not text.endswith("\n\n")
    tree = ast.parse(text)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert {name for name in defined if name.startswith("_")} <= used
    imports = {
        alias.name
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert imports <= used
    for flag in ALL:
        assert (flag in defined) == VARIANTS[variant].get(flag, False)


def test_options_carry_their_meaning_and_values() -> None:
    text = render({"dump_debug_mode": "all", "precision_mode": "force_fp32"})
    assert (
        "# Which kind of overflow is looked for. Allowed: aicore_overflow, atomic_overflow, all.\n"
        '    "dump_debug_mode": "all",\n'
    ) in text
    assert '    "precision_mode": "force_fp32",\n' in text


@pytest.mark.usefixtures("platform")
def test_values_arrive_as_they_were_asked_for() -> None:
    validated, _ = catalog.validate(REQUESTED["several"])
    del validated["loss_scale"]
    assert validated == generated(REQUESTED["several"]).OPTIONS


def test_it_says_who_wrote_it() -> None:
    assert "Generated by ascendify" in render({}).split('"""')[1]


def test_it_depends_on_nothing_of_ours() -> None:
    tree = ast.parse(render(REQUESTED["several"], **ALL))
    origins = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert {name.split(".")[0] for name in origins} == {
        *("difflib", "json", "os", "re", "warnings"),
        *("tensorflow", "npu_bridge", "npu_device"),
    }


def test_sessions_under_tensorflow_2_take_their_classes_from_npu_device() -> None:
    text = render({}, run_config_options=True, tensorflow2=True)
    assert "import npu_device.compat.v1.npu_init  # noqa" in text
    assert "from npu_device.compat.v1.estimator.npu import npu_config" in text
    assert "npu_bridge" not in text


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        ({"precison_mode": "x"}, "did you mean 'precision_mode'"),
        ({"enable_dump": True}, "needs dump_path"),
        ({"overflow_flag": 1}, "overflow_flag exists for TensorFlow 2 only"),
    ],
    ids=str,
)
def test_wrong_options_are_not_written(requested: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        render(requested)


def test_a_module_without_functions_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        render({}, session_config=False)


# --- session_config --------------------------------------------------------------------------


@pytest.mark.usefixtures("platform")
def test_every_option_reaches_its_typed_field() -> None:
    module = generated(
        {
            "precision_mode": "allow_mix_precision",
            "iterations_per_loop": 10,
            "hcom_parallel": False,
            "horovod_mode": True,
        }
    )
    assert parameters(module.session_config()) == {
        "use_off_line": {"b": True},
        "precision_mode": {"s": b"allow_mix_precision"},
        "iterations_per_loop": {"i": 10},
        "hcom_parallel": {"b": False},
    }


@pytest.mark.usefixtures("platform")
def test_the_config_is_made_fit_for_the_npu() -> None:
    config = generated({}).session_config()
    assert config.allow_soft_placement is True
    assert config.log_device_placement is False
    assert config.graph_options.optimizer_options.global_jit_level == OFF
    assert config.graph_options.rewrite_options.remapping == OFF
    assert config.graph_options.rewrite_options.memory_optimization == OFF


@pytest.mark.usefixtures("platform")
def test_the_given_config_is_changed_and_returned_and_twice_is_once() -> None:
    module = generated({"precision_mode": "force_fp32"})
    config = ConfigProto()
    config.intra_op_parallelism_threads = 3
    assert module.session_config(config) is config
    once = parameters(config)
    assert parameters(module.session_config(config)) == once
    assert config.intra_op_parallelism_threads == 3


@pytest.mark.usefixtures("platform")
def test_entries_already_there_are_reused_and_merged() -> None:
    config = ConfigProto()
    entries = config.graph_options.rewrite_options.custom_optimizers
    entries.add(name="NpuOptimizer").parameter_map["hcom_parallel"].b = True
    entries.add(name="Other")
    entries.add(name="NpuOptimizer").parameter_map["dump_mode"].s = b"all"
    generated({"precision_mode": "force_fp32"}).session_config(config)
    assert [entry.name for entry in entries] == ["NpuOptimizer", "Other"]
    assert set(parameters(config)) == {
        *("use_off_line", "precision_mode", "hcom_parallel", "dump_mode")
    }


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize("wrong", [{}, "config", Node()], ids=lambda one: type(one).__name__)
def test_anything_but_a_config_is_refused(wrong: object) -> None:
    with pytest.raises(TypeError, match=f"takes a ConfigProto, got {type(wrong).__name__}"):
        generated({}).session_config(wrong)


@pytest.mark.usefixtures("platform")
def test_directories_are_there_before_the_run(tmp_path: Path) -> None:
    requested = {
        "over_dump": True,
        "dump_path": "dump/overflow",
        "profiling_options": '{"output": "profile/data"}',
    }
    module = generated(dict(requested))
    module.session_config()
    module.session_config()
    assert (tmp_path / "dump" / "overflow").is_dir()
    assert (tmp_path / "profile" / "data").is_dir()


def test_without_the_adapter_the_module_imports_and_its_functions_say_what_lacks(
    platform: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.split(".")[0] == "npu_bridge":
            monkeypatch.delitem(sys.modules, name)
    module = generated({"precision_mode": "force_fp32"})
    assert module.run_config_options() == {"precision_mode": "force_fp32"}
    with pytest.raises(ImportError, match="npu_bridge"):
        module.session_config()


# --- the environment -------------------------------------------------------------------------


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    ("requested", "environment", "expected"),
    [
        ({"precision_mode": "force_fp32"}, {}, {"precision_mode": "force_fp32"}),
        (
            {"precision_mode": "force_fp32"},
            {"NPU_PRECISION_MODE": "allow_mix_precision"},
            {"precision_mode": "allow_mix_precision"},
        ),
        ({"precision_mode": "force_fp32"}, {"NPU_PRECISION_MODE": "none"}, {}),
        (
            {"precision_mode": "force_fp32"},
            {"NPU_PRECISION_MODE": ""},
            {"precision_mode": "force_fp32"},
        ),
        (
            {"precision_mode": "force_fp32"},
            {"NPU_PRECISION_MODE": "none", "NPU_PRECISION_MODE_V2": "fp16"},
            {"precision_mode_v2": "fp16"},
        ),
        (
            {},
            {"NPU_ENABLE_DUMP": "1", "NPU_DUMP_PATH": "dump", "NPU_DUMP_STEP": "0|5-9"},
            {"enable_dump": True, "dump_path": "dump", "dump_step": "0|5-9"},
        ),
        ({"hcom_parallel": True}, {"NPU_HCOM_PARALLEL": "False"}, {"hcom_parallel": False}),
        ({}, {"NPU_STREAM_SYNC_TIMEOUT": "-1"}, {"stream_sync_timeout": -1}),
        ({}, {"NPU_GRAPH_EXEC_TIMEOUT": "9"}, {"graph_exec_timeout": 9}),
        ({}, {"NPU_HCCL_ALGORITHM": "level0:NA"}, {"HCCL_algorithm": "level0:NA"}),
        ({}, {"NPU_AOE_MODE": "2"}, {"aoe_mode": "2"}),
        ({"recompute": "auto"}, {"NPU_RECOMPUTE": "manual"}, {"recompute": "manual"}),
        (
            {},
            {"NPU_AUTO_MULTISTREAM_PARALLEL_MODE": "LoadBalance:12"},
            {"auto_multistream_parallel_mode": "LoadBalance:12"},
        ),
        ({}, {"NPU_DEBUG": "1", "NPU_LOOP_SIZE": "10", "NPU_COLLECT_PATH": "x"}, {}),
    ],
    ids=str,
)
def test_the_environment_overrides(
    requested: dict[str, object],
    environment: dict[str, str],
    expected: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = generated(requested)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert module.options() == expected


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"NPU_ENABLE_DUMP": "maybe"}, "NPU_ENABLE_DUMP is 'maybe'; expected 1 or 0"),
        (
            {"NPU_OO_LEVEL": "O9"},
            "NPU_OO_LEVEL is 'O9'; expected O0|O1|O2|O3",
        ),
        (
            {"NPU_PRECISION_MODE": "fp16"},
            "NPU_PRECISION_MODE is 'fp16'; expected force_fp32|allow_fp32_to_fp16|force_fp16|",
        ),
        ({"NPU_ITERATIONS_PER_LOOP": "0"}, "NPU_ITERATIONS_PER_LOOP is '0'; expected 1.."),
        ({"NPU_ITERATIONS_PER_LOOP": "many"}, "NPU_ITERATIONS_PER_LOOP is 'many'"),
        ({"NPU_INPUT_FUSION_SIZE": "33554433"}, "expected 0..33554432"),
        ({"NPU_OP_DEBUG_LEVEL": "5"}, "NPU_OP_DEBUG_LEVEL is '5'; expected 0|1|2|3|4"),
        ({"NPU_GRAPH_EXEC_TIMEOUT": "soon"}, "NPU_GRAPH_EXEC_TIMEOUT is 'soon'"),
        ({"NPU_DUMP_STEP": "5-"}, "NPU_DUMP_STEP is '5-'"),
        (
            {"NPU_MODIFY_MIXLIST": "no.json"},
            "NPU_MODIFY_MIXLIST is 'no.json'; expected an existing",
        ),
        ({"NPU_PROFILING_OPTIONS": "[]"}, "profiling_options is not a JSON object"),
        ({"NPU_PROFILING_OPTIONS": "{"}, "profiling_options is not a JSON object"),
        ({"NPU_ENABLE_DUMP": "1"}, "enable_dump=True needs dump_path; see OPTIONS and NPU_*"),
        (
            {"NPU_ENABLE_DUMP": "1", "NPU_ENABLE_DUMP_DEBUG": "1", "NPU_DUMP_PATH": "d"},
            "enable_dump=True excludes enable_dump_debug=True",
        ),
        ({"NPU_PRECISION_MODE_V2": "fp16"}, "precision_mode excludes precision_mode_v2"),
        (
            {"NPU_MIX_COMPILE_MODE": "1", "NPU_ITERATIONS_PER_LOOP": "5"},
            "mix_compile_mode=True needs iterations_per_loop=1;",
        ),
        ({"NPU_DYNAMIC_NODE_TYPE": "0"}, "dynamic_node_type needs input_shape"),
    ],
    ids=str,
)
def test_a_wrong_override_is_explained(
    environment: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = generated({"precision_mode": "force_fp32"})
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError) as caught:
        module.options()
    assert message in str(caught.value)


@pytest.mark.usefixtures("platform")
def test_a_misspelt_variable_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_PRECISON_MODE", "force_fp32")
    with pytest.warns(UserWarning, match="did you mean NPU_PRECISION_MODE"):
        assert generated({}).options() == {}


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("precison_mode", "force_fp32", r"OPTIONS\['precison_mode'\] .* a name that _TABLE knows"),
        ("deterministic", "very", r"OPTIONS\['deterministic'\] is 'very'; expected 0\|1"),
    ],
)
def test_what_people_edit_is_checked_too(key: str, value: object, message: str) -> None:
    module = generated({})
    module.OPTIONS[key] = value
    with pytest.raises(ValueError, match=message):
        module.options()


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    "found",
    [one for one in catalog.all_options() if one.values and (one.field or one.run_config)],
    ids=lambda one: str(one.key),
)
def test_the_module_allows_what_the_catalogue_allows(found: catalog.Option) -> None:
    module = generated({})
    # An option that is in the table only when it is requested must be requested here.
    if found.key not in module._KNOWN:
        module = generated({found.key: found.values[0]})
    for value in found.values:
        assert module._typed(found.key, str(value), "here") == value
    with pytest.raises(ValueError, match="expected"):
        module._typed(found.key, "no such value", "here")


# --- run_config_options ----------------------------------------------------------------------


@pytest.mark.usefixtures("platform")
def test_run_config_gets_plain_arguments_and_helper_objects() -> None:
    module = generated(
        {
            "precision_mode": "allow_mix_precision",
            "horovod_mode": True,
            "over_dump": True,
            "dump_path": "dump",
            "profiling_mode": True,
            "static_memory_policy": 2,
        }
    )
    arguments = module.run_config_options()
    built = {name: arguments.pop(name) for name in list(arguments) if name.endswith("_config")}
    assert arguments == {"precision_mode": "allow_mix_precision", "horovod_mode": True}
    assert {name: (type(one).__name__, one.named) for name, one in built.items()} == {
        "dump_config": (
            "DumpConfig",
            {"enable_dump_debug": True, "dump_debug_mode": "all", "dump_path": "dump"},
        ),
        "profiling_config": ("ProfilingConfig", {"enable_profiling": True}),
        "memory_config": ("MemoryConfig", {"static_memory_policy": 2}),
    }


@pytest.mark.usefixtures("platform")
def test_a_helper_inside_a_helper() -> None:
    arguments = generated(
        {"recompute": "auto", "experimental_logical_device_id": "[0:0]"}
    ).run_config_options()
    assert list(arguments) == ["experimental_config"]
    outer = arguments["experimental_config"]
    assert outer.named.pop("graph_memory_optimize_config").named == {"recompute": "auto"}
    assert outer.named == {"logical_device_id": "[0:0]"}


@pytest.mark.usefixtures("platform")
def test_shape_profiles_bring_all_four_required_arguments() -> None:
    arguments = generated(
        {"input_shape": "x:-1", "dynamic_dims": "1;2", "dynamic_node_type": 0}
    ).run_config_options()
    assert arguments["dynamic_input_config"].named == {
        "input_shape": "x:-1",
        "dynamic_dims": "1;2",
        "dynamic_node_type": 0,
        "compile_hybrid_mode": 0,
    }


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    ("key", "value"),
    [("graph_exec_timeout", 5), ("use_off_line", False), ("in_out_pair", "[]")],
)
def test_what_run_config_cannot_take_is_left_out_aloud(key: str, value: object) -> None:
    with pytest.warns(UserWarning, match=f"no working argument for {key}"):
        assert generated({key: value}).run_config_options() == {}


@pytest.mark.usefixtures("platform")
def test_what_run_config_writes_anyway_is_left_out_in_silence() -> None:
    assert generated({"use_off_line": True}).run_config_options() == {}


# --- set_global_options ----------------------------------------------------------------------


def _with_global_options(
    requested: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> types.SimpleNamespace:
    """What npu_device.global_options() holds after the module set it."""
    groups = ("dump_config", "profiling_config", "aoe_config")
    given = types.SimpleNamespace(**{name: types.SimpleNamespace() for name in groups})
    device = _package("npu_device", global_options=lambda: given)
    monkeypatch.setitem(sys.modules, "npu_device", device)
    text = render(requested, session_config=False, set_global_options=True)
    module: Any = types.ModuleType("npu_options")
    exec(compile(text, "npu_options.py", "exec"), vars(module))
    module.set_global_options()
    return given


def test_global_options_are_set_where_npu_device_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_ENABLE_DUMP_DEBUG", "1")
    monkeypatch.setenv("NPU_DUMP_PATH", "dump")
    given = _with_global_options(
        {"precision_mode": "allow_mix_precision", "profiling_mode": True, "overflow_flag": 0},
        monkeypatch,
    )
    assert given.precision_mode == "allow_mix_precision"
    assert given.overflow_flag == 0
    assert vars(given.profiling_config) == {"enable_profiling": True}
    assert vars(given.dump_config) == {"enable_dump_debug": True, "dump_path": "dump"}


def test_what_npu_device_lacks_is_left_out_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning, match="no global option for hccl_timeout"):
        given = _with_global_options({"hccl_timeout": 100}, monkeypatch)
    assert not hasattr(given, "hccl_timeout")


# --- loss_scale_optimizer --------------------------------------------------------------------


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    ("requested", "variable", "manager"),
    [
        ("1024", "", ("FixedLossScaleManager", {"loss_scale": 1024.0})),
        ("dynamic", "512", ("FixedLossScaleManager", {"loss_scale": 512.0})),
        (
            None,
            "dynamic",
            (
                "ExponentialUpdate",
                {
                    "init_loss_scale": 2**32,
                    "incr_every_n_steps": 1000,
                    "decr_every_n_nan_or_inf": 2,
                    "incr_ratio": 2,
                    "decr_ratio": 0.5,
                },
            ),
        ),
    ],
    ids=["fixed", "fixed-by-environment", "dynamic-by-environment"],
)
def test_the_optimizer_is_wrapped_once(
    requested: object,
    variable: str,
    manager: tuple[str, dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NPU_LOSS_SCALE", variable)
    module = generated({"loss_scale": requested})
    wrapped = module.loss_scale_optimizer("adam", is_distributed=True)
    inner, built = wrapped.positional
    assert inner == "adam"
    assert (type(built).__name__, built.named) == manager
    assert wrapped.named == {"is_distributed": True}
    assert wrapped.after is built.after is None, "its variables wait for operators of the step"
    assert module.loss_scale_optimizer(wrapped) is wrapped


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    ("requested", "variable"), [(None, ""), (None, "none"), ("dynamic", "None")]
)
def test_no_loss_scale_leaves_the_optimizer_alone(
    requested: object, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LOSS_SCALE", variable)
    optimizer = object()
    assert generated({"loss_scale": requested}).loss_scale_optimizer(optimizer) is optimizer


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize("wrong", ["0.5", "big"])
def test_a_wrong_loss_scale_is_explained(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LOSS_SCALE", wrong)
    with pytest.raises(ValueError, match=f"is '{wrong}'; expected dynamic, a number >= 1 or none"):
        generated({}).loss_scale_optimizer(object())


# --- under TensorFlow 1.15 -------------------------------------------------------------------

TF1_PYTHON = os.environ.get("ASCENDIFY_TF1_PYTHON", "")

TF1_SCRIPT = """
import json
import os

import tensorflow as tf
import npu_options

config = tf.ConfigProto(intra_op_parallelism_threads=1)
rewrite = config.graph_options.rewrite_options
for value in (True, False):
    entry = rewrite.custom_optimizers.add()
    entry.name = "NpuOptimizer"
    entry.parameter_map["hcom_parallel"].b = value
assert npu_options.session_config(config) is config
once = config.SerializeToString(deterministic=True)
assert npu_options.session_config(config).SerializeToString(deterministic=True) == once
with tf.Session(config=config) as session:
    assert session.run(tf.constant(1) + 1) == 2
(entry,) = rewrite.custom_optimizers
fields = {key: value.WhichOneof("value") for key, value in entry.parameter_map.items()}
print(json.dumps({
    "fields": fields,
    "precision_mode": entry.parameter_map["precision_mode"].s.decode(),
    "hcom_parallel": entry.parameter_map["hcom_parallel"].b,
    "off": [rewrite.remapping, rewrite.memory_optimization],
    "jit": config.graph_options.optimizer_options.global_jit_level,
    "threads": config.intra_op_parallelism_threads,
    "soft": config.allow_soft_placement,
    "dump": os.path.isdir("dump"),
    "new": type(npu_options.session_config()) is tf.ConfigProto,
}))
"""


@pytest.mark.skipif(not TF1_PYTHON, reason="ASCENDIFY_TF1_PYTHON names no TensorFlow 1.15")
def test_a_real_session_takes_the_config(tmp_path: Path) -> None:
    requested = {
        "precision_mode": "force_fp32",
        "over_dump": True,
        "dump_path": "dump",
        "iterations_per_loop": 10,
    }
    (tmp_path / "npu_options.py").write_text(render(requested), encoding="utf-8")
    (tmp_path / "script.py").write_text(textwrap.dedent(TF1_SCRIPT), encoding="utf-8")
    (tmp_path / "npu_bridge").mkdir()
    (tmp_path / "npu_bridge" / "__init__.py").touch()
    (tmp_path / "npu_bridge" / "npu_init.py").touch()
    done = subprocess.run(
        [TF1_PYTHON, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "NPU_PRECISION_MODE": "allow_mix_precision"},
        stdout=subprocess.PIPE,
        check=True,
    )
    assert json.loads(done.stdout) == {
        "fields": {
            "use_off_line": "b",
            "hcom_parallel": "b",
            "precision_mode": "s",
            "enable_dump_debug": "b",
            "dump_debug_mode": "s",
            "dump_path": "s",
            "iterations_per_loop": "i",
        },
        "precision_mode": "allow_mix_precision",
        "hcom_parallel": False,
        "off": [2, 2],
        "jit": -1,
        "threads": 1,
        "soft": True,
        "dump": True,
        "new": True,
    }
