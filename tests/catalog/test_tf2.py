"""TensorFlow 2: names, signatures, kinds and verdicts, apart from those of TensorFlow 1."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ascendify.catalog import names, native_keras, signatures, support, types
from ascendify.catalog._data import TENSORFLOW2, table
from ascendify.catalog.description import describe, describe_all

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("tensorflow", "tf2"),
        ("tensorflow.nn.dropout", "tf2.nn.dropout"),
        ("tensorflow.compat.v1", "tf"),
        ("tensorflow.compat.v1.Session", "tf.Session"),
        ("tensorflow.compat.v1.math.log", "tf.log"),
        ("tensorflow.compat.v2.data.Dataset", "tf2.data.Dataset"),
        ("tensorflow.compat.v1.compat.v2.nn.dropout", "tf2.nn.dropout"),
        ("tensorflow.optimizers.Adam", "tf2.keras.optimizers.Adam"),
        ("tensorflow.optimizers", "tf2.keras.optimizers"),
        ("tensorflow.keras.models.Sequential", "tf2.keras.Sequential"),
        ("tensorflow.keras.optimizers.experimental.Adam", "tf2.keras.optimizers.Adam"),
        (
            "tensorflow.keras.preprocessing.image_dataset_from_directory",
            "tf2.keras.utils.image_dataset_from_directory",
        ),
        (
            "tensorflow.config.experimental.list_physical_devices",
            "tf2.config.list_physical_devices",
        ),
        ("tensorflow.python.keras.layers.Dense", "tf2.keras.layers.Dense"),
        ("tensorflow.python.keras.engine.training.Model", "tf2.keras.Model"),
        ("tensorflow.python.data.ops.dataset_ops.DatasetV2", "tf2.data.Dataset"),
        ("tensorflow.python.client.session.Session", "tf.Session"),
        ("tensorflow.core.protobuf.config_pb2.ConfigProto", "tf.ConfigProto"),
        ("tensorflow.data.Dataset.batch", "tf2.data.Dataset.batch"),
        ("tensorflow.Session", "tf2.Session"),
        ("tensorflow.contrib.layers.conv2d", "tf2.contrib.layers.conv2d"),
        ("tf2.compat.v1.Session", "tf.Session"),
        ("torch.nn.functional.dropout", "torch.nn.functional.dropout"),
        ("numpy.float32", "numpy.float32"),
    ],
)
def test_names_in_code_for_tensorflow_2(dotted: str, expected: str) -> None:
    assert names.canonical(dotted, TENSORFLOW2) == expected


def test_the_same_path_is_another_name_in_each_release() -> None:
    assert names.canonical("tensorflow.nn.dropout") == "tf.nn.dropout"
    assert names.canonical("tensorflow.nn.dropout", TENSORFLOW2) == "tf2.nn.dropout"


def test_canonical_names_of_tensorflow_2_are_fixed_points() -> None:
    data = table("signatures-tf2")["names"]
    every = [f"{module}.{word}" for module, words in data.items() for word in words]
    assert len(every) > 4_000
    moved = [name for name in every if names.canonical(name) != name]
    assert moved == []
    assert [name for name in every if names.canonical(name, TENSORFLOW2) != name] == []


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ("keras", "tf2.keras"),
        ("keras.layers.Dense", "tf2.keras.layers.Dense"),
        ("keras.models.Sequential", "tf2.keras.Sequential"),
        ("keras.optimizers.adam", "tf2.keras.optimizers.Adam"),
        ("keras.engine.topology.Layer", "tf2.keras.layers.Layer"),
        ("keras.src.engine.training.Model", "tf2.keras.Model"),
        ("keras.utils.np_utils.to_categorical", "tf2.keras.utils.to_categorical"),
        ("keras.utils.multi_gpu_model", "keras.utils.multi_gpu_model"),
        ("keras.ops.matmul", "keras.ops.matmul"),
    ],
)
def test_native_keras_is_the_keras_of_tensorflow_2(native: str, expected: str) -> None:
    assert native_keras.canonical(native, TENSORFLOW2) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("keras.ops", True),
        ("keras.ops.matmul", True),
        ("keras.random.normal", True),
        ("keras.layers.Dense", False),
        ("keras", False),
        ("keras.saving.load_model", False),
    ],
)
def test_what_only_keras_3_has(name: str, expected: bool) -> None:
    assert native_keras.is_keras_3(name) is expected


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("tf2.nn.dropout", "tf2.nn.dropout(x, rate, noise_shape=None, seed=None, name=None)"),
        (
            "tf2.keras.mixed_precision.LossScaleOptimizer",
            "tf2.keras.mixed_precision.LossScaleOptimizer(inner_optimizer, dynamic=True, "
            "initial_scale=None, dynamic_growth_steps=None)",
        ),
        (
            "tf2.data.TFRecordDataset.batch",
            "tf2.data.Dataset.batch(batch_size, drop_remainder=False, num_parallel_calls=None, "
            "deterministic=None, name=None)",
        ),
        (
            "tf2.keras.layers.experimental.preprocessing.CategoryCrossing",
            "tf2.keras.layers.experimental.preprocessing.CategoryCrossing(depth=None, name=None, "
            "separator='_X_', **kwargs)",
        ),
        ("tf2.Session", "None"),
    ],
)
def test_signatures(api: str, expected: str) -> None:
    assert str(signatures.signature(api)) == expected


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("tf2.data.Dataset.from_tensor_slices", "tf2.data.Dataset"),
        ("tf2.data.TFRecordDataset.map", "tf2.data.Dataset"),
        ("tf2.keras.utils.image_dataset_from_directory", "tf2.data.Dataset"),
        (
            "tf2.distribute.MirroredStrategy.experimental_distribute_dataset",
            "tf2.distribute.DistributedDataset",
        ),
        ("tf2.keras.applications.EfficientNetB0", "tf2.keras.Model"),
        ("tf2.keras.Sequential.fit", "tf2.keras.callbacks.History"),
        ("tf2.keras.optimizers.Adam", "tf2.keras.optimizers.Adam"),
        ("tf2.config.list_physical_devices", "list[tf2.config.PhysicalDevice]"),
        ("tf2.reduce_mean", "tf2.Tensor"),
        ("tf2.math.log", "tf2.Tensor"),
        ("tf2.summary.scalar", None),
        ("tf2.keras.optimizers.Adam.apply_gradients", None),
    ],
)
def test_kinds_carry_their_release(call: str, kind: str | None) -> None:
    assert types.returns(call) == kind


def test_relations_of_classes() -> None:
    for optimizer in (
        "tf2.keras.optimizers.SGD",
        "tf2.keras.optimizers.legacy.SGD",
        "tf2.keras.mixed_precision.LossScaleOptimizer",
    ):
        assert types.is_a(optimizer, "tf2.keras.optimizers.Optimizer")
        assert types.member(f"{optimizer}.minimize") == "tf2.keras.optimizers.Optimizer.minimize"
    assert types.enters("tf2.distribute.MirroredStrategy.scope") == "tf2.distribute.Strategy"
    assert types.enters("tf2.GradientTape") == "tf2.GradientTape"
    assert not [
        base
        for bases in table("types-tf2")["bases"].values()
        for base in bases.split()
        if not base.startswith("tf2.")
    ]


@pytest.mark.parametrize(
    ("api", "verdict", "note"),
    [
        ("tf2.keras.optimizers.Adam", "supported", "none"),
        ("tf2.optimizers.Adam", "supported", "none"),
        ("tf2.distribute.MirroredStrategy", "tool_train", "tf2_dist"),
        ("tf2.einsum", "manual", "noplan|listed_in_v1"),
        ("tf2.estimator.Estimator", "unsupported", "noplan|graph_route"),
        ("tf2.compat.v1.Session", "tool_train", "session_config"),
    ],
)
def test_verdicts(api: str, verdict: str, note: str) -> None:
    found = support.lookup(api)
    assert found is not None
    assert (found.effective, found.note) == (verdict, note)
    assert "2.6" in support.release(found.api)


def test_the_whole_support_table_is_there() -> None:
    every = list(support.verdicts(TENSORFLOW2))
    assert len(every) == 6636
    assert all(item.effective in support.legend("tf2") for item in every)


def test_what_one_release_lacks() -> None:
    assert names.lacking("tf2.keras.optimizers.AdamW") == "2.6"
    assert names.lacking("tf2.train.experimental.FixedLossScale") == "2.15"
    assert names.lacking("tf2.nn.dropout") == ""
    assert names.lacking("tf.nn.dropout") == ""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "tf.nn.dropout",
            [("tf.nn.dropout", "TensorFlow 1.15"), ("tf2.nn.dropout", "TensorFlow 2")],
        ),
        ("tf.placeholder", [("tf.placeholder", "TensorFlow 1.15")]),
        ("tf.keras.optimizers.AdamW", [("tf2.keras.optimizers.AdamW", "TensorFlow 2")]),
        ("tf2.nn.dropout", [("tf2.nn.dropout", "TensorFlow 2")]),
        (
            "tf.compat.v1.Session",
            [("tf.Session", "TensorFlow 1.15"), ("tf.Session", "TensorFlow 2")],
        ),
        (
            "keras.layers.Dense",
            [
                ("tf.keras.layers.Dense", "TensorFlow 1.15"),
                ("tf2.keras.layers.Dense", "TensorFlow 2"),
            ],
        ),
        ("torch.Tensor.cuda", [("torch.Tensor.cuda", "")]),
    ],
)
def test_a_name_is_described_for_each_release_that_has_it(
    name: str, found: list[tuple[str, str]]
) -> None:
    assert [(item.api, item.release) for item in describe_all(name)] == found


def test_the_verdict_on_compat_v1_is_that_of_the_release() -> None:
    in_tf2 = describe("tf.compat.v1.Session", TENSORFLOW2)
    assert in_tf2 is not None
    assert in_tf2.support is not None
    assert in_tf2.support.api == "tf2.compat.v1.Session"


_SPY = """
import pathlib, sys
loaded = []
read_bytes = pathlib.Path.read_bytes
def spy(path):
    loaded.append(path.name)
    return read_bytes(path)
pathlib.Path.read_bytes = spy
from ascendify.cli import main
main(sys.argv[1:])
print(sorted(name for name in set(loaded) if name.startswith("names-")), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "tables"),
    [
        (["--version"], []),
        (["check", "examples/session-mnist", "--jobs=1", "--no-cache"], ["names-tf1.json"]),
        (["check", "examples/torch-amp", "--jobs=1", "--no-cache"], ["names-torch.json"]),
        (["api", "tf2.nn.dropout"], ["names-tf2.json"]),
    ],
)
def test_tables_are_loaded_only_when_asked_for(arguments: list[str], tables: list[str]) -> None:
    command = [sys.executable, "-c", _SPY, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1:] == [str(tables)]
