"""One name for every way to write a TensorFlow name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ascendify.catalog import names
from ascendify.catalog._data import table

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("tensorflow", "tf"),
        ("tensorflow.Session", "tf.Session"),
        ("tf.Session", "tf.Session"),
        ("tensorflow_core.Session", "tf.Session"),
        ("tensorflow.compat.v1", "tf"),
        ("tensorflow.compat.v1.Session", "tf.Session"),
        ("tf.compat.v1.train.AdamOptimizer", "tf.train.AdamOptimizer"),
        ("tf.compat.v1.estimator.tpu.TPUEstimator", "tf.estimator.tpu.TPUEstimator"),
        ("tensorflow.compat.v2.nn.dropout", "tf.compat.v2.nn.dropout"),
        ("tensorflow.compat.v2", "tf.compat.v2"),
        ("tensorflow.compat.v1.compat.v2.nn.dropout", "tf.compat.v2.nn.dropout"),
    ],
)
def test_public_paths(dotted: str, expected: str) -> None:
    assert names.canonical(dotted) == expected


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("tensorflow.python.client.session.Session", "tf.Session"),
        ("tensorflow.python.framework.ops.Tensor", "tf.Tensor"),
        ("tensorflow.python.ops.nn_ops.dropout", "tf.nn.dropout"),
        ("tensorflow.python.ops.nn_ops.dropout_v2", "tf.compat.v2.nn.dropout"),
        ("tensorflow.python.ops.math_ops.reduce_sum_v1", "tf.reduce_sum"),
        ("tensorflow.python.ops.math_ops.reduce_sum", "tf.compat.v2.reduce_sum"),
        ("tensorflow.python.training.optimizer.Optimizer", "tf.train.Optimizer"),
        ("tensorflow.python.training.session_run_hook.SessionRunHook", "tf.train.SessionRunHook"),
        ("tensorflow.python.data.ops.dataset_ops.DatasetV1", "tf.data.Dataset"),
        ("tensorflow.python.platform.gfile.GFile", "tf.gfile.GFile"),
        ("tensorflow.python.platform.flags.DEFINE_string", "tf.app.flags.DEFINE_string"),
        ("tensorflow.python.keras.layers.Dense", "tf.keras.layers.Dense"),
        ("tensorflow.python.keras.engine.training.Model", "tf.keras.Model"),
        ("tensorflow.python.estimator.run_config.RunConfig", "tf.estimator.RunConfig"),
        (
            "tensorflow_estimator.python.estimator.estimator.Estimator",
            "tf.estimator.Estimator",
        ),
        ("tensorflow.core.protobuf.config_pb2.ConfigProto", "tf.ConfigProto"),
        ("tensorflow.contrib.slim.python.slim.learning.train", "tf.contrib.slim.learning.train"),
        ("tensorflow.contrib.slim.python.slim.nets.vgg.vgg_16", "tf.contrib.slim.nets.vgg.vgg_16"),
        ("tensorflow.contrib.layers.python.layers.layers.dropout", "tf.contrib.layers.dropout"),
        (
            "tensorflow.contrib.framework.python.ops.arg_scope.arg_scope",
            "tf.contrib.framework.arg_scope",
        ),
        (
            "tensorflow.contrib.training.python.training.hparam.HParams",
            "tf.contrib.training.HParams",
        ),
        (
            "tensorflow.contrib.tpu.python.tpu.tpu_estimator.TPUEstimator",
            "tf.contrib.tpu.TPUEstimator",
        ),
    ],
)
def test_private_paths_become_the_public_name(dotted: str, expected: str) -> None:
    assert names.canonical(dotted) == expected


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("tensorflow.python.client.session.Session.run", "tf.Session.run"),
        ("tensorflow.python.data.Dataset.batch", "tf.data.Dataset.batch"),
        ("tf.keras.models.Model.fit", "tf.keras.Model.fit"),
        ("tf.io.FixedLenFeature.anything.below", "tf.FixedLenFeature.anything.below"),
    ],
)
def test_what_is_below_a_known_name_stays_below_it(dotted: str, expected: str) -> None:
    assert names.canonical(dotted) == expected


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("tf.math.log", "tf.log"),
        ("tf.io.VarLenFeature", "tf.VarLenFeature"),
        ("tf.random.normal", "tf.random_normal"),
        ("tf.debugging.is_nan", "tf.is_nan"),
        ("tf.keras.models.Sequential", "tf.keras.Sequential"),
        ("tf.keras.layers.MaxPool2D", "tf.keras.layers.MaxPooling2D"),
        ("tf.estimator.LoggingTensorHook", "tf.train.LoggingTensorHook"),
        ("tf.dtypes.float16", "tf.float16"),
        ("tf.half", "tf.float16"),
        ("tf.double", "tf.float64"),
        ("tf.gfile.Open", "tf.gfile.GFile"),
        ("tf.flags.FLAGS", "tf.app.flags.FLAGS"),
        ("tf.image.resize", "tf.image.resize_images"),
    ],
)
def test_public_aliases_of_one_object_have_one_name(dotted: str, expected: str) -> None:
    assert names.canonical(dotted) == expected


@pytest.mark.parametrize(
    "dotted",
    [
        "tf.contrib.slim.conv2d",
        "tf.contrib.layers.conv2d",
        "tf.contrib.slim.arg_scope",
        "tf.contrib.framework.arg_scope",
        "tf.contrib.rnn.LSTMCell",
        "tf.contrib.tpu.TPUEstimator",
        "tf.contrib.data.map_and_batch",
        "tf.data.experimental.map_and_batch",
    ],
)
def test_contrib_keeps_the_spelling_of_the_user(dotted: str) -> None:
    assert names.canonical(dotted) == dotted


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tf.nn.dropout", "tf.compat.v2.nn.dropout"),
        ("tf.nn.dropout", "tf.layers.dropout"),
        ("tf.layers.Dense", "tf.keras.layers.Dense"),
        ("tf.nn.max_pool", "tf.nn.max_pool2d"),
        ("tf.data.make_initializable_iterator", "tf.data.Dataset.make_initializable_iterator"),
        ("tf.nn.ctc_loss", "tf.nn.ctc_loss_v2"),
    ],
)
def test_different_things_are_never_merged(one: str, other: str) -> None:
    assert names.primary(names.canonical(one)) != names.primary(names.canonical(other))


@pytest.mark.parametrize(
    "dotted",
    [
        "os.environ",
        "horovod.tensorflow.rank",
        "keras.layers.Dense",
        "npu_bridge.npu_init.npu_config_proto",
        "tensorflowx.Session",
        "numpy.log",
        "Session",
        "",
    ],
)
def test_names_of_others_are_left_alone(dotted: str) -> None:
    assert names.canonical(dotted) == dotted


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        (
            "tensorflow.python.client.device_lib.list_local_devices",
            "tf.python.client.device_lib.list_local_devices",
        ),
        (
            "tensorflow.core.protobuf.rewriter_config_pb2.RewriterConfig",
            "tf.core.protobuf.rewriter_config_pb2.RewriterConfig",
        ),
        ("tensorflow.python.ops.no_such_module.thing", "tf.python.ops.no_such_module.thing"),
        ("tf_slim.conv2d", "tf.contrib.slim.conv2d"),
        ("tf_slim.learning.train", "tf.contrib.slim.learning.train"),
    ],
)
def test_names_without_a_public_one_are_only_spelled_with_tf(dotted: str, expected: str) -> None:
    assert names.canonical(dotted) == expected


def test_canonical_names_are_fixed_points() -> None:
    moved = table("names-tf1")["moved"]
    dotted = [
        f"{module}.{word.partition('=')[0]}"
        for module, groups in moved.items()
        for words in groups.values()
        for word in words.split()
    ]
    assert len(dotted) > 8_000
    wrong = [
        name for name in dotted if names.canonical(names.canonical(name)) != names.canonical(name)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tf.contrib.slim.conv2d", "tf.contrib.layers.conv2d"),
        ("tf.contrib.slim.arg_scope", "tf.contrib.framework.arg_scope"),
        ("tf.contrib.rnn.LSTMCell", "tf.nn.rnn_cell.LSTMCell"),
        ("tf.contrib.tpu.TPUEstimator", "tf.estimator.tpu.TPUEstimator"),
        ("tf.compat.v2.nn.relu", "tf.nn.relu"),
        ("tf.compat.v2.math.log", "tf.log"),
        ("tf.compat.v2.keras.layers.Dense", "tf.keras.layers.Dense"),
        ("tf.compat.v2.nn.dropout", "tf.compat.v2.nn.dropout"),
        ("tf.compat.v2.data.Dataset.batch", "tf.compat.v2.data.Dataset.batch"),
        ("tf.Session", "tf.Session"),
    ],
)
def test_primary_is_where_an_object_is_described(name: str, expected: str) -> None:
    assert names.primary(name) == expected


def test_aliases_are_the_other_public_names() -> None:
    assert names.aliases("tf.log") == ("tf.math.log",)
    assert "tf.contrib.layers.conv2d" in names.aliases("tf.contrib.slim.conv2d")
    assert "tf.contrib.slim.conv2d" in names.aliases("tf.contrib.layers.conv2d")
    assert not [name for name in names.aliases("tf.Session") if ".python." in name]


def test_the_packaged_data_is_what_the_tool_writes() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "build_catalog.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
