"""Parameter orders, checked against the specification of the migration rules (its appendix A)."""

from __future__ import annotations

import pytest

from ascendify.catalog import names
from ascendify.catalog.signatures import ParameterKind, signature


def texts(api: str) -> list[str]:
    found = signature(api)
    assert found is not None, f"{api} has no signature"
    return [str(item) for item in found.parameters]


# One row a callable; ``name=value`` fixes the default too, a bare name only the order.
APPENDIX_A = {
    "tf.Session": "target='' graph=None config=None",
    "tf.InteractiveSession": "target='' graph=None config=None",
    "tf.train.MonitoredTrainingSession": """master='' is_chief=True checkpoint_dir scaffold hooks
        chief_only_hooks save_checkpoint_secs save_summaries_steps save_summaries_secs config
        stop_grace_period_secs=120 log_step_count_steps=100 max_wait_secs=7200 save_checkpoint_steps
        summary_dir""",
    "tf.train.ChiefSessionCreator": """scaffold master='' config checkpoint_dir
        checkpoint_filename_with_path""",
    "tf.train.WorkerSessionCreator": "scaffold master='' config max_wait_secs",
    "tf.train.Supervisor.managed_session": """master='' config start_standard_services
        close_summary_writer""",
    "tf.train.Supervisor.prepare_or_wait_for_session": """master='' config wait_for_checkpoint
        max_wait_secs start_standard_services""",
    "tf.train.SessionManager.prepare_session": """master init_op saver checkpoint_dir
        checkpoint_filename_with_path wait_for_checkpoint max_wait_secs config init_feed_dict
        init_fn""",
    "tf.contrib.slim.learning.train": """train_op logdir train_step_fn train_step_kwargs
        log_every_n_steps graph master is_chief global_step number_of_steps init_op init_feed_dict
        local_init_op init_fn ready_op summary_op save_summaries_secs summary_writer
        startup_delay_steps saver save_interval_secs sync_optimizer session_config session_wrapper
        trace_every_n_steps ignore_live_threads""",
    "tf.contrib.slim.evaluation.evaluate_once": """master checkpoint_path logdir num_evals=1
        initial_op initial_op_feed_dict eval_op eval_op_feed_dict final_op final_op_feed_dict
        summary_op summary_op_feed_dict variables_to_restore session_config hooks""",
    "tf.contrib.slim.evaluation.evaluation_loop": """master checkpoint_dir logdir num_evals
        initial_op initial_op_feed_dict init_fn eval_op eval_op_feed_dict final_op
        final_op_feed_dict summary_op summary_op_feed_dict variables_to_restore eval_interval_secs
        max_number_of_evaluations session_config timeout timeout_fn hooks""",
    "tf.contrib.training.train": """train_op logdir master is_chief scaffold hooks chief_only_hooks
        save_checkpoint_secs save_summaries_steps config max_wait_secs run_metadata""",
    "tf.contrib.training.evaluate_once": """checkpoint_path master scaffold eval_ops feed_dict
        final_ops final_ops_feed_dict hooks config""",
    "tf.contrib.training.evaluate_repeatedly": """checkpoint_dir master scaffold eval_ops feed_dict
        final_ops final_ops_feed_dict eval_interval_secs hooks config max_number_of_evaluations
        timeout timeout_fn""",
    "tf.data.Dataset.batch": "batch_size drop_remainder=False",
    "tf.data.Dataset.padded_batch": "batch_size padded_shapes padding_values drop_remainder",
    "tf.data.Dataset.window": "size shift stride drop_remainder",
    "tf.data.experimental.map_and_batch": """map_func batch_size num_parallel_batches
        drop_remainder num_parallel_calls""",
    "tf.data.experimental.bucket_by_sequence_length": """element_length_func bucket_boundaries
        bucket_batch_sizes padded_shapes padding_values pad_to_bucket_boundary no_padding
        drop_remainder""",
    "tf.data.experimental.make_batched_features_dataset": """file_pattern batch_size features reader
        label_key reader_args num_epochs shuffle shuffle_buffer_size shuffle_seed
        prefetch_buffer_size reader_num_threads parser_num_threads sloppy_ordering
        drop_final_batch""",
    "tf.nn.dropout": "x keep_prob noise_shape seed name rate",
    "tf.compat.v2.nn.dropout": "x rate noise_shape seed name",
    "tf.estimator.RunConfig": """model_dir tf_random_seed save_summary_steps=100
        save_checkpoints_steps save_checkpoints_secs session_config keep_checkpoint_max=5
        keep_checkpoint_every_n_hours=10000 log_step_count_steps=100 train_distribute device_fn
        protocol eval_distribute experimental_distribute experimental_max_worker_delay_secs
        session_creation_timeout_secs=7200""",
    "tf.estimator.Estimator": "model_fn model_dir config params warm_start_from",
    "tf.estimator.tpu.TPUEstimator": """model_fn model_dir config params use_tpu=True
        train_batch_size eval_batch_size predict_batch_size batch_axis eval_on_tpu=True
        export_to_tpu=True export_to_cpu=True warm_start_from embedding_config_spec
        export_saved_model_api_version""",
    "tf.estimator.tpu.TPUEstimatorSpec": """mode predictions loss train_op eval_metrics
        export_outputs scaffold_fn host_call training_hooks evaluation_hooks prediction_hooks""",
    "tf.nn.ctc_loss_v2": """labels logits label_length logit_length logits_time_major=True unique
        blank_index name""",
    "tf.xla.experimental.jit_scope": "compile_ops=True separate_compiled_gradients=False",
    "tf.nn.dynamic_rnn": """cell inputs sequence_length initial_state dtype parallel_iterations
        swap_memory=False time_major=False scope""",
    "tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager": """init_loss_scale
        incr_every_n_steps decr_every_n_nan_or_inf=2 incr_ratio=2 decr_ratio=0.8""",
}


@pytest.mark.parametrize("api", APPENDIX_A)
def test_the_orders_the_rules_bind_to(api: str) -> None:
    expected = APPENDIX_A[api].split()
    assert len(texts(api)) == len(expected)
    for text, wanted in zip(texts(api), expected):
        assert (text if "=" in wanted else text.partition("=")[0]) == wanted


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("tf.train.Optimizer.minimize", "loss global_step var_list gate_gradients "
         "aggregation_method colocate_gradients_with_ops name grad_loss"),
        ("tf.train.AdamOptimizer", "learning_rate beta1 beta2 epsilon use_locking name"),
        ("tf.keras.estimator.model_to_estimator",
         "keras_model keras_model_path custom_objects model_dir config checkpoint_format"),
        ("tf.keras.Sequential", "layers name"),
        ("tf.keras.layers.Dropout", "rate noise_shape seed **kwargs"),
        ("tf.placeholder", "dtype shape name"),
        ("tf.device", "device_name_or_function"),
        ("tf.io.FixedLenFeature", "shape dtype default_value"),
        ("tf.FixedLenFeature", "shape dtype default_value"),
        ("tf.test.TestCase.test_session", "graph config use_gpu force_gpu"),
        ("tf.test.TestCase.cached_session", "graph config use_gpu force_gpu"),
        ("tf.contrib.layers.conv2d", "inputs num_outputs kernel_size stride padding data_format "
         "rate activation_fn normalizer_fn normalizer_params weights_initializer "
         "weights_regularizer biases_initializer biases_regularizer reuse variables_collections "
         "outputs_collections trainable scope"),
    ],
)  # fmt: skip
def test_decorated_functions_and_classes(api: str, expected: str) -> None:
    assert [item.partition("=")[0] for item in texts(names.canonical(api))] == expected.split()


@pytest.mark.parametrize(
    ("api", "declared_on"),
    [
        ("tf.train.AdamOptimizer.minimize", "tf.train.Optimizer.minimize"),
        ("tf.data.TFRecordDataset.batch", "tf.data.Dataset.batch"),
        ("tf.keras.Sequential.fit", "tf.keras.Model.fit"),
        ("tf.estimator.DNNClassifier.evaluate", "tf.estimator.Estimator.evaluate"),
        ("tf.contrib.tpu.TPUEstimator.evaluate", "tf.estimator.tpu.TPUEstimator.evaluate"),
        ("tf.data.Dataset.reduce", "tf.data.Dataset.reduce"),
        ("tf.contrib.slim.conv2d", "tf.contrib.layers.conv2d"),
        ("tf.compat.v2.nn.relu", "tf.nn.relu"),
    ],
)
def test_signatures_are_found_through_bases_and_other_spellings(api: str, declared_on: str) -> None:
    found = signature(api)
    assert found is not None
    assert found.api == declared_on


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("horovod.tensorflow.init", "comm process_sets"),
        ("horovod.keras.rank", ""),
        ("horovod.tensorflow.keras.local_rank", ""),
        ("horovod.tensorflow.BroadcastGlobalVariablesHook", "root_rank device"),
        ("horovod.tensorflow.broadcast_global_variables", "root_rank"),
        ("horovod.tensorflow.broadcast", "tensor root_rank name ignore_name_scope process_set"),
        ("horovod.keras.broadcast", "value root_rank name"),
        ("horovod.tensorflow.keras.allreduce", "value name average prescale_factor "
         "postscale_factor op compression"),
        ("horovod.tensorflow.keras.callbacks.BroadcastGlobalVariablesCallback",
         "root_rank device local_variables"),
    ],
)  # fmt: skip
def test_horovod(api: str, expected: str) -> None:
    assert [item.partition("=")[0] for item in texts(api)] == expected.split()


@pytest.mark.parametrize("module", ["horovod.tensorflow", "horovod.keras"])
def test_the_optimizer_comes_first_and_the_name_second(module: str) -> None:
    found = signature(f"{module}.DistributedOptimizer")
    assert found is not None
    assert found.positional[:2] == ("optimizer", "name")
    assert found.index("compression") == (5 if module == "horovod.tensorflow" else 4)


def test_fields_of_a_protocol_buffer_are_keyword_only() -> None:
    found = signature("tf.ConfigProto")
    assert found is not None
    options = found.parameter("gpu_options")
    assert options is not None
    assert options.kind is ParameterKind.KEYWORD_ONLY
    assert found.positional == ()
    assert found.index("gpu_options") is None
    assert str(found).startswith("tf.ConfigProto(*, device_count=None, ")


def test_required_and_optional_parameters_differ() -> None:
    found = signature("tf.data.Dataset.batch")
    assert found is not None
    assert [item.default for item in found.parameters] == [None, "False"]
    assert found.index("drop_remainder") == 1
    assert found.parameter("no_such_parameter") is None
    assert str(found) == "tf.data.Dataset.batch(batch_size, drop_remainder=False)"


def test_stars_are_shown() -> None:
    found = signature("tf.keras.Model")
    assert found is not None
    assert [item.kind for item in found.parameters] == [
        ParameterKind.VAR_POSITIONAL,
        ParameterKind.VAR_KEYWORD,
    ]
    assert str(found) == "tf.keras.Model(*args, **kwargs)"


@pytest.mark.parametrize("api", ["tf.no_such_thing", "tf.float32", "tf.train", "os.getenv", ""])
def test_what_cannot_be_called_has_no_signature(api: str) -> None:
    assert signature(api) is None
