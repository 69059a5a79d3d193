"""The Estimator of the NPU."""

import contextlib
import functools
import os
import random
import string

from ascendify_runtime.framework import estimator_class, tf, uncounted_ops
from ascendify_runtime.world import world
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.util import function_utils, tf_inspect

from npu_bridge.estimator.npu import util
from npu_bridge.estimator.npu.npu_common import load_job
from npu_bridge.estimator.npu.npu_config import NPURunConfig, add_run_config
from npu_bridge.estimator.npu.npu_hook import (
    NPUBroadcastGlobalVariablesHook,
    NPUCheckpointSaverHook,
    NPUInfeedOutfeedSessionHook,
    NPULogOutfeedSessionHook,
    SetIterationsVarHook,
    summary_writers,
)
from npu_bridge.estimator.npu.npu_saver import NPUSaver

_Estimator = estimator_class("Estimator")
_EstimatorSpec = estimator_class("EstimatorSpec")
_GRAPH_OPTIMIZERS = (
    "pruning",
    "function",
    "constfold",
    "shape",
    "arithmetic",
    "loop",
    "dependency",
    "layout",
    "GradFusionOptimizer",
)
_NO_SPEC = "model_fn should return an EstimatorSpec"  # the start of TensorFlow's own message


class NPUEstimatorSpec(_EstimatorSpec):
    """An EstimatorSpec with a function that runs on the host in every step."""

    def __new__(
        cls,
        mode,
        predictions=None,
        loss=None,
        train_op=None,
        eval_metric_ops=None,
        export_outputs=None,
        training_chief_hooks=None,
        training_hooks=None,
        scaffold=None,
        evaluation_hooks=None,
        prediction_hooks=None,
        host_call=None,
    ):
        """Check `host_call` and the arguments of an EstimatorSpec."""
        if host_call is not None:
            _check_host_call(host_call)
        spec = _EstimatorSpec.__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=eval_metric_ops,
            export_outputs=export_outputs,
            training_chief_hooks=training_chief_hooks,
            training_hooks=training_hooks,
            scaffold=scaffold,
            evaluation_hooks=evaluation_hooks,
            prediction_hooks=prediction_hooks,
        )
        spec.host_call = host_call
        return spec

    def _replace(self, **fields):
        host_call = fields.pop("host_call", self.host_call)
        replaced = super(NPUEstimatorSpec, self)._replace(**fields)
        replaced.host_call = host_call
        return replaced


def _check_host_call(host_call):
    if not isinstance(host_call, (tuple, list)):
        raise ValueError("host_call should be tuple or list")
    if len(host_call) != 2:
        raise ValueError("host_call should have two elements.")
    function, tensors = host_call
    if not callable(function):
        raise TypeError("host_call[0] should be callable.")
    if not isinstance(tensors, (tuple, list, dict)):
        raise ValueError("host_call[1] should be tuple or list, or dict.")
    if isinstance(tensors, dict) or tf_inspect.getfullargspec(function).varargs is not None:
        return
    wanted = len(function_utils.fn_args(function))
    if len(tensors) != wanted:
        raise RuntimeError(
            "In NPUEstimatorSpec.host_call, length of tensors %d does not match the function, "
            "which takes %d arguments" % (len(tensors), wanted)
        )


@contextlib.contextmanager
def no_check_override():
    """Let a subclass override methods of Estimator that must not be overridden."""
    check = _Estimator._assert_members_are_not_overridden
    _Estimator._assert_members_are_not_overridden = lambda self: None
    try:
        yield
    finally:
        _Estimator._assert_members_are_not_overridden = check


def with_model_dir(config, model_dir=None):
    """Return a configuration with a model folder: the given one, its own, or a new one."""
    _check_config(config)
    if model_dir and config.model_dir and str(model_dir) != str(config.model_dir):
        raise ValueError(
            "`model_dir` are set both in constructor and `NPURunConfig`, but with different "
            "values. In constructor: '%s', in `NPURunConfig`: '%s'" % (model_dir, config.model_dir)
        )
    chosen = model_dir or config.model_dir
    if not chosen:
        # a separate generator, so that the user's seeded generator is not advanced
        letters = random.SystemRandom().choices(string.ascii_letters + string.digits, k=10)
        chosen = os.path.join(os.getcwd(), "model_dir_" + "".join(letters))
        os.makedirs(chosen)
        tf.logging.warning("Using temporary folder as model directory: %s", chosen)
    return config.replace(model_dir=chosen)


def _check_config(config):
    if config is None or not isinstance(config, NPURunConfig):
        raise ValueError("`config` must be provided with type `NPUConfigs`")


def _with_session_config(config):
    """Return the configuration with an NPU session configuration, which has its options."""
    session_config = config_pb2.ConfigProto()
    if config.session_config is not None:
        session_config.CopyFrom(config.session_config)
    rewrite = session_config.graph_options.rewrite_options
    rewrite.optimizers.extend(_GRAPH_OPTIMIZERS)
    rewrite.remapping = rewrite.OFF
    rewrite.memory_optimization = rewrite.OFF
    add_run_config(session_config, config)
    return config.replace(session_config=session_config)


class NPUEstimator(_Estimator):
    """Trains, evaluates and predicts with the sessions of an NPU."""

    def __init__(
        self,
        model_fn=None,
        model_dir=None,
        config=None,
        params=None,
        job_start_file="",
        warm_start_from=None,
    ):
        _check_config(config)
        self._job = load_job(job_start_file)
        config = _with_session_config(with_model_dir(config, model_dir))
        start = warm_start_from or self._job.local_checkpoint_dir or os.getenv("RESTORE_FROM")
        with no_check_override():
            super(NPUEstimator, self).__init__(
                model_fn=model_fn,
                config=config,
                params=params,
                warm_start_from=start or None,
            )

    def _call_model_fn(self, features, labels, mode, config):
        try:
            spec = super(NPUEstimator, self)._call_model_fn(features, labels, mode, config)
        except ValueError as error:
            if str(error).startswith(_NO_SPEC):
                raise RuntimeError("estimator_spec used by NPU train must have type EstimatorSpec")
            raise
        world().initialise()
        if mode == tf.estimator.ModeKeys.TRAIN:
            return _for_training(spec, config)
        if mode == tf.estimator.ModeKeys.EVAL:
            return _for_evaluation(spec)
        return spec


def _for_training(spec, config):
    """Return the spec with the NPU's additions for training; its hooks run before the user's."""
    with uncounted_ops():
        hooks = []
        if int(util.get_ranksize()) > 1 and not config.horovod_mode:
            hooks.append(NPUBroadcastGlobalVariablesHook(0, int(world().rank)))
        if config.save_checkpoints_steps or config.save_checkpoints_secs:
            hooks.append(_checkpoint_hook(spec, config))
        train_op = spec.train_op
        if isinstance(spec, NPUEstimatorSpec):
            train_op, host_hooks = _with_host_call(spec.host_call, train_op)
            hooks.extend(host_hooks)
        if config.iterations_per_loop > 1:
            hooks.append(SetIterationsVarHook(config.iterations_per_loop))
            train_op = tf.group(train_op, name="IterationOp")
    return spec._replace(train_op=train_op, training_hooks=hooks + list(spec.training_hooks))


def _checkpoint_hook(spec, config):
    """Return a hook that saves with the user's saver, else with the NPU's."""
    if not (spec.scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS)):
        saver = NPUSaver(
            max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            defer_build=True,  # the scaffold builds it once every variable exists
            save_relative_paths=True,
        )
        tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    return NPUCheckpointSaverHook(
        config.model_dir,
        save_secs=config.save_checkpoints_secs,
        save_steps=config.save_checkpoints_steps,
        scaffold=spec.scaffold,
    )


def _with_host_call(host_call, train_op):
    """Return a train op that runs the host call after each step, and the hooks for it."""
    hooks = [NPULogOutfeedSessionHook(None)]
    if host_call is None:
        return train_op, hooks
    host_ops = _call_on_host(host_call, [train_op])
    hooks.append(NPUInfeedOutfeedSessionHook([], "_npu_host_call"))
    return tf.group(train_op, host_ops), hooks


def _call_on_host(host_call, after=()):
    """Return an op that runs the result of a host call and writes its summaries.

    The tensors are read after the ops of `after`. The function itself is not called under that
    control dependency: the op that opens its summary writer would then run only with a step.
    """
    function, tensors = host_call
    with tf.control_dependencies(after):
        if isinstance(tensors, dict):
            result_of = functools.partial(function, **{k: _now(t) for k, t in tensors.items()})
        else:
            result_of = functools.partial(function, *[_now(tensor) for tensor in tensors])
    result = result_of()
    with tf.control_dependencies([] if result is None else list(util._leaves(result))):
        return summary_writers()[1]


def _now(tensor):
    """Return the value of a tensor or a variable at this point of the graph."""
    return tensor.read_value() if hasattr(tensor, "read_value") else tf.identity(tensor)


def _for_evaluation(spec):
    if not isinstance(spec, NPUEstimatorSpec):
        return spec
    hooks = [NPULogOutfeedSessionHook(None)]
    if spec.host_call is not None:
        with uncounted_ops():
            host_op = _call_on_host(spec.host_call)
        hooks.append(NPUInfeedOutfeedSessionHook([host_op], "_npu_host_call"))
    return spec._replace(evaluation_hooks=hooks + list(spec.evaluation_hooks or ()))
