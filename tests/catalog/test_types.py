"""What expressions are: bases, results of calls, attributes, ``with``."""

from __future__ import annotations

import pytest

from ascendify.catalog import types
from ascendify.catalog._data import table


def test_members_of_a_class_and_of_its_bases() -> None:
    assert types.declares("tf.train.AdamOptimizer", "minimize")
    assert types.declares("tf.contrib.training.HParams", "parse")
    assert not types.declares("tf.contrib.training.HParams", "learning_rate")


@pytest.mark.parametrize(
    ("api", "base"),
    [
        ("tf.train.AdamOptimizer", "tf.train.Optimizer"),
        ("tf.contrib.opt.LazyAdamOptimizer", "tf.train.Optimizer"),
        ("tf.contrib.optimizer_v2.AdamOptimizer", "tf.train.Optimizer"),
        ("tf.contrib.mixed_precision.LossScaleOptimizer", "tf.train.Optimizer"),
        ("tf.contrib.tpu.CrossShardOptimizer", "tf.train.Optimizer"),
        ("tf.train.SyncReplicasOptimizer", "tf.train.Optimizer"),
        ("tf.keras.optimizers.Adam", "tf.keras.optimizers.Optimizer"),
        ("tf.estimator.DNNClassifier", "tf.estimator.Estimator"),
        ("tf.estimator.tpu.TPUEstimator", "tf.estimator.Estimator"),
        ("tf.contrib.tpu.TPUEstimator", "tf.estimator.tpu.TPUEstimator"),
        ("tf.contrib.tpu.TPUEstimator", "tf.estimator.Estimator"),
        ("tf.estimator.tpu.RunConfig", "tf.estimator.RunConfig"),
        ("tf.keras.Sequential", "tf.keras.Model"),
        ("tf.keras.layers.Dense", "tf.keras.layers.Layer"),
        ("tf.layers.Dense", "tf.keras.layers.Layer"),
        ("tf.keras.callbacks.ModelCheckpoint", "tf.keras.callbacks.Callback"),
        ("tf.train.LoggingTensorHook", "tf.train.SessionRunHook"),
        ("tf.train.ProfilerHook", "tf.train.SessionRunHook"),
        ("tf.data.TFRecordDataset", "tf.data.Dataset"),
        ("tf.data.experimental.CsvDataset", "tf.data.Dataset"),
        ("tf.compat.v2.data.TFRecordDataset", "tf.data.Dataset"),
        ("tf.distribute.MirroredStrategy", "tf.distribute.Strategy"),
        ("tf.contrib.distribute.ParameterServerStrategy", "tf.distribute.Strategy"),
        ("tf.nn.rnn_cell.LSTMCell", "tf.nn.rnn_cell.RNNCell"),
        ("tf.InteractiveSession", "tf.Session"),
        ("tf.train.MonitoredSession", "tf.Session"),
        ("tf.python.ops.resource_variable_ops.ResourceVariable", "tf.Variable"),
        ("horovod.tensorflow.BroadcastGlobalVariablesHook", "tf.train.SessionRunHook"),
        (
            "horovod.tensorflow.keras.callbacks.MetricAverageCallback",
            "tf.keras.callbacks.Callback",
        ),
        ("tf.Session", "tf.Session"),
    ],
)
def test_is_a(api: str, base: str) -> None:
    assert types.is_a(api, base)


@pytest.mark.parametrize(
    ("api", "base"),
    [
        ("tf.train.Optimizer", "tf.train.AdamOptimizer"),
        ("tf.keras.optimizers.Adam", "tf.train.Optimizer"),
        ("tf.keras.Model", "tf.keras.Sequential"),
        ("tf.Session", "tf.InteractiveSession"),
        ("tf.data.Dataset", "tf.data.Iterator"),
        ("list", "tf.Tensor"),
        ("os.path", "tf.Session"),
    ],
)
def test_is_not_a(api: str, base: str) -> None:
    assert not types.is_a(api, base)


def test_bases_come_nearest_first() -> None:
    assert types.bases("tf.keras.Sequential") == (
        "tf.keras.Model",
        "tf.keras.layers.Layer",
        "tf.Module",
    )
    assert types.bases("tf.Session") == ()
    assert types.bases("tf.nn.dropout") == ()


def test_no_class_is_its_own_base() -> None:
    for name in table("types-tf1")["bases"]:
        assert name not in types.bases(name)


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("tf.Session", True),
        ("tf.contrib.tpu.TPUEstimator", True),
        ("tf.compat.v2.keras.layers.Dense", True),
        ("tf.Summary.Value", True),
        ("tf.nn.dropout", False),
        ("tf.train", False),
        ("tf.train.MonitoredTrainingSession", False),
    ],
)
def test_is_class(api: str, expected: bool) -> None:
    assert types.is_class(api) is expected


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("tf.train.AdamOptimizer.minimize", "tf.train.Optimizer.minimize"),
        ("tf.contrib.mixed_precision.LossScaleOptimizer.apply_gradients",
         "tf.train.Optimizer.apply_gradients"),
        ("tf.keras.Sequential.fit", "tf.keras.Model.fit"),
        ("tf.keras.optimizers.Adam.minimize", "tf.keras.optimizers.Optimizer.minimize"),
        ("tf.data.TFRecordDataset.batch", "tf.data.Dataset.batch"),
        ("tf.compat.v2.data.Dataset.batch", "tf.data.Dataset.batch"),
        ("tf.estimator.DNNClassifier.train", "tf.estimator.Estimator.train"),
        ("tf.contrib.tpu.TPUEstimator.train", "tf.estimator.Estimator.train"),
        ("tf.InteractiveSession.run", "tf.Session.run"),
        ("tf.train.MonitoredSession.run", "tf.Session.run"),
        ("tf.keras.Sequential.add", "tf.keras.Sequential.add"),
        ("tf.Session.no_such_method", "tf.Session.no_such_method"),
        ("tf.nn.dropout", "tf.nn.dropout"),
        ("tf.train", "tf.train"),
    ],
)  # fmt: skip
def test_member_is_where_it_was_first_declared(api: str, expected: str) -> None:
    assert types.member(api) == expected


DATASET_METHODS = """apply batch cache concatenate enumerate filter flat_map interleave map
    map_with_legacy_function padded_batch prefetch repeat shard shuffle skip take unbatch window
    with_options""".split()  # noqa: SIM905
DATASET_MAKERS = """from_generator from_sparse_tensor_slices from_tensor_slices from_tensors
    list_files range zip""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", [*DATASET_METHODS, *DATASET_MAKERS])
@pytest.mark.parametrize(
    "cls", ["tf.data.Dataset", "tf.data.TFRecordDataset", "tf.compat.v2.data.Dataset"]
)
def test_datasets_make_datasets(cls: str, name: str) -> None:
    assert types.returns(f"{cls}.{name}") == "tf.data.Dataset"


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("tf.Session", "tf.Session"),
        ("tf.data.TFRecordDataset", "tf.data.TFRecordDataset"),
        ("tf.contrib.tpu.TPUEstimator", "tf.contrib.tpu.TPUEstimator"),
        ("tf.data.experimental.make_csv_dataset", "tf.data.Dataset"),
        ("tf.contrib.data.make_csv_dataset", "tf.data.Dataset"),
        ("tf.data.experimental.map_and_batch", "function"),
        ("tf.data.Dataset.make_initializable_iterator", "tf.data.Iterator"),
        ("tf.data.TextLineDataset.make_one_shot_iterator", "tf.data.Iterator"),
        ("tf.data.make_initializable_iterator", "tf.data.Iterator"),
        ("tf.data.Iterator.get_next", "tf.Tensor"),
        ("tf.train.Supervisor.managed_session", "tf.Session"),
        ("tf.train.Supervisor.prepare_or_wait_for_session", "tf.Session"),
        ("tf.train.SessionManager.prepare_session", "tf.Session"),
        ("tf.train.MonitoredTrainingSession", "tf.train.MonitoredSession"),
        ("tf.keras.backend.get_session", "tf.Session"),
        ("tf.test.TestCase.test_session", "tf.Session"),
        ("tf.train.AdamOptimizer.compute_gradients", "list"),
        ("tf.train.AdamOptimizer.minimize", "tf.Operation"),
        ("tf.gradients", "list"),
        ("tf.placeholder", "tf.Tensor"),
        ("tf.nn.dropout", "tf.Tensor"),
        ("tf.compat.v2.nn.relu", "tf.Tensor"),
        ("tf.contrib.slim.conv2d", "tf.Tensor"),
        ("tf.keras.layers.Dense.__call__", "tf.Tensor"),
        ("tf.nn.rnn_cell.LSTMCell.__call__", "tuple"),
        ("tf.get_variable", "tf.Variable"),
        ("tf.train.get_or_create_global_step", "tf.Variable"),
        ("tf.global_variables_initializer", "tf.Operation"),
        ("tf.keras.estimator.model_to_estimator", "tf.estimator.Estimator"),
        ("tf.estimator.RunConfig.replace", "tf.estimator.RunConfig"),
        ("tf.keras.models.load_model", "tf.keras.Model"),
        ("tf.keras.applications.ResNet50", "tf.keras.Model"),
        ("tf.distribute.get_strategy", "tf.distribute.Strategy"),
        ("tf.sparse_placeholder", "tf.SparseTensor"),
        ("horovod.tensorflow.rank", "int"),
        ("horovod.tensorflow.DistributedOptimizer", "tf.train.Optimizer"),
        ("horovod.tensorflow.keras.DistributedOptimizer", "tf.keras.optimizers.Optimizer"),
        ("tf.Summary.value.add", "tf.Summary.Value"),
    ],
)
def test_returns(api: str, kind: str) -> None:
    assert types.returns(api) == kind


@pytest.mark.parametrize(
    "api",
    [
        "tf.Session.run",
        "tf.cond",
        "tf.map_fn",
        "tf.data.Dataset.reduce",
        "tf.no_such_thing",
        "os.getenv",
        "tf.train",
    ],
)
def test_results_that_depend_or_are_unknown_have_no_kind(api: str) -> None:
    assert types.returns(api) is None


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("tf.ConfigProto.gpu_options", "tf.GPUOptions"),
        ("tf.ConfigProto.graph_options", "tf.GraphOptions"),
        ("tf.GraphOptions.optimizer_options", "tf.OptimizerOptions"),
        (
            "tf.GraphOptions.rewrite_options",
            "tf.core.protobuf.rewriter_config_pb2.RewriterConfig",
        ),
        ("tf.Session.graph", "tf.Graph"),
        ("tf.InteractiveSession.graph", "tf.Graph"),
        ("tf.data.Iterator.initializer", "tf.Operation"),
        ("tf.train.Supervisor.session_manager", "tf.train.SessionManager"),
        ("tf.estimator.DNNClassifier.config", "tf.estimator.RunConfig"),
        ("tf.estimator.tpu.RunConfig.session_config", "tf.ConfigProto"),
        ("tf.keras.Sequential.optimizer", "tf.keras.optimizers.Optimizer"),
        ("tf.distribute.MirroredStrategy.num_replicas_in_sync", "int"),
        ("tf.app.flags.FLAGS", "absl.flags.FlagValues"),
        ("tf.Tensor.shape", "tf.TensorShape"),
    ],
)
def test_attributes(api: str, kind: str) -> None:
    assert types.attribute(api) == kind


def test_custom_optimizers_of_a_session_config_can_be_followed() -> None:
    config = "tf.core.protobuf.rewriter_config_pb2.RewriterConfig"
    entries = types.attribute(f"{config}.custom_optimizers")
    assert entries is not None
    assert types.returns(f"{entries}.add") == f"{config}.CustomGraphOptimizer"


@pytest.mark.parametrize("api", ["tf.ConfigProto.allow_soft_placement", "tf.Session.run", "tf.x"])
def test_attributes_without_a_kind(api: str) -> None:
    assert types.attribute(api) is None


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("tf.Session", "tf.Session"),
        ("tf.InteractiveSession", "tf.Session"),
        ("tf.Session.as_default", "tf.Session"),
        ("tf.InteractiveSession.as_default", "tf.Session"),
        ("tf.train.Supervisor.managed_session", "tf.Session"),
        ("tf.train.MonitoredSession", "tf.train.MonitoredSession"),
        ("tf.train.MonitoredTrainingSession", "tf.train.MonitoredSession"),
        ("tf.test.TestCase.test_session", "tf.Session"),
        ("tf.test.TestCase.cached_session", "tf.Session"),
        ("tf.Graph.as_default", "tf.Graph"),
        ("tf.GradientTape", "tf.GradientTape"),
        ("tf.variable_scope", "tf.VariableScope"),
        ("tf.contrib.slim.arg_scope", "dict"),
        ("tf.distribute.MirroredStrategy.scope", "tf.distribute.Strategy"),
        ("tf.gfile.GFile", "tf.gfile.GFile"),
        ("tf.device", None),
        ("tf.data.Dataset", None),
    ],
)
def test_enters(api: str, kind: str | None) -> None:
    assert types.enters(api) == kind
