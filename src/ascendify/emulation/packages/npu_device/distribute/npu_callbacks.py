"""Broadcast of variables by a callback and by the scope of a strategy.

The callback never broadcasts: the adapter defines its hook in the wrong place. That is imitated,
and strict mode reports it.
"""

import tensorflow as tf
from ascendify_runtime import findings

from npu_device.distribute.hccl import broadcast
from npu_device.npu_device import get_ranksize as _ranksize


def broadcast_helper(variables, root_rank=0):
    """Broadcast variables from rank 0; the other argument is not used, as in the adapter."""
    broadcast(variables, root_rank=0)


def broadcast_keras_model(model, root_rank=0):
    """Broadcast the trainable variables of a model."""
    broadcast_helper(model.trainable_variables, root_rank)


def get_ranksize():
    """Return the number of ranks as a text."""
    return _ranksize()


class NPUBroadcastGlobalVariablesCallback(tf.keras.callbacks.Callback):
    """A callback that should broadcast before the first batch, and does nothing."""

    def __init__(self, root_rank):
        super(NPUBroadcastGlobalVariablesCallback, self).__init__()
        self.root_rank = root_rank
        self.broadcast_done = False
        if int(get_ranksize()) > 1:
            findings.record(
                "EMU-HCCL-4",
                findings.BLOCKER,
                "NPUBroadcastGlobalVariablesCallback never broadcasts: ranks may start from "
                "different weights",
                "Call npu_device.distribute.broadcast(model.trainable_variables) when the model "
                "is built.",
            )


class NpuBroadcastScopeContext:
    """The scope of a strategy, which broadcasts once: at its first exit in the process."""

    _broadcast_done = False

    def __init__(self, org_scope_ctx, model_trainable_variables):
        self.org_scope_ctx = org_scope_ctx
        self.trainable_variables = model_trainable_variables
        self._creator = tf.variable_creator_scope(self._collect)

    def _collect(self, next_creator, **kwargs):
        variable = next_creator(**kwargs)
        if getattr(variable, "trainable", False):
            self.trainable_variables.append(variable)
        return variable

    def __enter__(self):
        self._creator.__enter__()
        self.org_scope_ctx.__enter__()

    def __exit__(self, kind, value, traceback):
        self.org_scope_ctx.__exit__(kind, value, traceback)
        self._creator.__exit__(kind, value, traceback)
        if kind is None and not NpuBroadcastScopeContext._broadcast_done:
            NpuBroadcastScopeContext._broadcast_done = True
            broadcast_helper(self.trainable_variables)


def npu_broadcast_scope_wrapper(strategy):
    """Let the scope of a strategy broadcast the variables made in it; return the strategy."""
    if not isinstance(strategy, tf.distribute.Strategy):
        return strategy
    scope = strategy.scope

    def broadcasting_scope():
        return NpuBroadcastScopeContext(scope(), [])

    strategy.scope = broadcasting_scope
    return strategy
