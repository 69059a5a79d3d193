"""The module that migrated programs import: NPU sessions, and every class and function they need.

Importing this module changes `Session` and `InteractiveSession`: each gets the configuration of
an NPU session. There is no `__all__`: `from npu_bridge.npu_init import *` imports every name here.
"""

import os

import tensorflow as tf
from ascendify_runtime import framework as _framework
from ascendify_runtime.framework import keras_backend as backend
from ascendify_runtime.world import world as _world
from hccl.manage.api import (
    create_group,
    destroy_group,
    get_group_rank_from_world_rank,
    get_local_rank_id,
    get_local_rank_size,
    get_rank_id,
    get_rank_size,
    get_world_rank_from_group_rank,
)
from hccl.split.api import set_split_strategy_by_idx, set_split_strategy_by_size
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.client import session
from tensorflow.python.training import session_run_hook

from npu_bridge.estimator import npu_ops
from npu_bridge.estimator.npu import (
    keras_to_npu,
    npu_plugin,
    npu_rnn,
    npu_scope,
    npu_strategy,
    util,
)
from npu_bridge.estimator.npu.npu_callbacks import NPUBroadcastGlobalVariablesCallback
from npu_bridge.estimator.npu.npu_config import (
    DumpConfig,
    DynamicInputConfig,
    MemoryConfig,
    NPURunConfig,
    ProfilingConfig,
    decorator_tf_session,
)
from npu_bridge.estimator.npu.npu_config import npu_session_config as _npu_session_config
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator, NPUEstimatorSpec
from npu_bridge.estimator.npu.npu_hook import (
    NPUBroadcastGlobalVariablesHook,
    NPUCheckpointSaverHook,
    NPUOutputTensorHook,
    SetIterationsVarHook,
    TellMeStepOrLossHook,
)
from npu_bridge.estimator.npu.npu_loss_scale_manager import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
)
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
from npu_bridge.estimator.npu.npu_optimizer import (
    KerasDistributeOptimizer,
    NPUDistributedOptimizer,
    NPUOptimizer,
    npu_allreduce,
    npu_distributed_optimizer_wrapper,
)
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
from npu_bridge.hccl import hccl_ops
from npu_bridge.npu_cpu import npu_cpu_ops
from npu_bridge.profiler import profiler
from npu_bridge.scoped_graph_manager import scoped_graph_manager

session.Session.__init__ = decorator_tf_session(session.Session.__init__)
session.InteractiveSession.__init__ = decorator_tf_session(session.InteractiveSession.__init__)

experimental_options = {
    "disable_model_pruning": False,
    "function_optimization": RewriterConfig.ON,
    "constant_folding": RewriterConfig.ON,
    "shape_optimization": RewriterConfig.ON,
    "arithmetic_optimization": RewriterConfig.ON,
    "loop_optimization": RewriterConfig.ON,
    "dependency_optimization": RewriterConfig.ON,
    "layout_optimizer": RewriterConfig.ON,
}


def npu_hooks_append(hooks_list=()):
    """Return a list of hooks with the broadcast hook added; anything but a list is dropped."""
    hooks_list = hooks_list if isinstance(hooks_list, list) else []
    hooks_list.append(NPUBroadcastGlobalVariablesHook(0, int(os.getenv("RANK_ID", "0"))))
    return hooks_list


def npu_callbacks_append(callbacks_list=()):
    """Return a list of callbacks with the broadcast callback; anything but a list is dropped."""
    callbacks_list = callbacks_list if isinstance(callbacks_list, list) else []
    callbacks_list.append(NPUBroadcastGlobalVariablesCallback(0))
    return callbacks_list


def npu_config_proto(config_proto=None):
    """Add the options of an NPU session to a session configuration; return the same object."""
    if not isinstance(config_proto, config_pb2.ConfigProto):
        config_proto = config_pb2.ConfigProto()
    return _npu_session_config(config_proto)


def npu_graph_options(graph_options=None):
    """Graph options without just-in-time compilation by TensorFlow."""
    if not isinstance(graph_options, config_pb2.GraphOptions):
        graph_options = config_pb2.GraphOptions()
    graph_options.optimizer_options.global_jit_level = config_pb2.OptimizerOptions.OFF
    return graph_options


def npu_optimizer_options(optimizer_options=None):
    """Optimizer options without just-in-time compilation by TensorFlow."""
    if not isinstance(optimizer_options, config_pb2.OptimizerOptions):
        optimizer_options = config_pb2.OptimizerOptions()
    optimizer_options.global_jit_level = config_pb2.OptimizerOptions.OFF
    return optimizer_options


def npu_run_config_init(run_config=None):
    """Return a RunConfig with the configuration of NPU sessions."""
    run_config_class = _framework.estimator_class("RunConfig")
    if not isinstance(run_config, run_config_class):
        run_config = run_config_class()
    run_config._session_config = npu_config_proto(run_config.session_config)
    return run_config


def set_keras_session_npu_config(config=None):
    """Give Keras an NPU session."""
    _framework.need_keras_2("session for Keras models")
    sess = session.Session(config=npu_config_proto(config))
    backend.set_session(sess)
    return sess


def init_resource(config=None):
    """Join the job; return a session and the op to run in it to leave the job.

    The ops are in a separate graph. In the default graph they would precede the user's ops and
    change the seeds that TensorFlow derives from the number of ops.
    """
    with _framework.tf.Graph().as_default():
        npu_init = npu_ops.initialize_system()
        npu_shutdown = npu_ops.shutdown_system()
        sess = session.Session(config=npu_config_proto(config))
        sess.run(npu_init)
    job = _world()
    job.initialise()
    util.global_dict_init()
    util.set_value("npu_rank_id", job.rank)
    util.set_value("npu_local_rank_id", job.local_rank)
    util.set_value("npu_rank_size", job.size)
    util.set_value("npu_local_rank_size", job.local_size)
    return sess, npu_shutdown


def shutdown_resource(sess, npu_shutdown):
    """Leave the job."""
    sess.run(npu_shutdown)


def close_session(sess):
    """Close a session."""
    sess.close()


def get_npu_rank_id():
    """Return the rank of this process, after `init_resource` was called."""
    return util.get_value("npu_rank_id", 0)


def get_npu_local_rank_id():
    """Return the rank of this process on its server, after `init_resource` was called."""
    return util.get_value("npu_local_rank_id", 0)


def get_npu_rank_size():
    """Return the number of ranks, after `init_resource` was called."""
    return util.get_value("npu_rank_size", 1)


def get_npu_local_rank_size():
    """Return the number of ranks on this server, after `init_resource` was called."""
    return util.get_value("npu_local_rank_size", 1)


class NpuEmptyHook(session_run_hook.SessionRunHook):
    """A hook that does nothing."""


def npu_keras_optimizer(opt):
    """Return a Keras optimizer that averages gradients over the ranks."""
    return KerasDistributeOptimizer(opt)


def npu_tf_optimizer(opt):
    """Return an optimizer that averages gradients over the ranks."""
    return NPUDistributedOptimizer(opt)


def npu_clear_session(config=None):
    """Reset Keras and give it a new NPU session."""
    backend.clear_session()
    set_keras_session_npu_config(config)
