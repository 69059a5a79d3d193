"""Keras callback that broadcasts the weights of the root rank."""

from ascendify_runtime.framework import keras_backend, need_keras_2, tf

from npu_bridge.estimator.npu import util
from npu_bridge.estimator.npu.npu_hook import broadcast_variables


def broadcast_global_variables(root_rank):
    """Return an op that sets every variable of Keras to its value on the root rank."""
    initialised = [v for v in tf.global_variables() if getattr(v, "_keras_initialized", False)]
    return broadcast_variables(initialised, root_rank)


class BroadcastGlobalVariablesCallbackImpl:
    """Broadcasts once, before the first batch."""

    def __init__(self, root_rank, *args):
        super(BroadcastGlobalVariablesCallbackImpl, self).__init__(*args)
        self.root_rank = root_rank
        self.broadcast_done = False

    def on_batch_begin(self, batch, logs=None):
        """Broadcast before the first batch."""
        if self.broadcast_done:
            return
        self.broadcast_done = True
        if int(util.get_ranksize()) > 1:
            need_keras_2("session for Keras models")
            # get_session() initialises the variables that are not initialised yet
            session = keras_backend.get_session()
            with session.graph.as_default():
                session.run(broadcast_global_variables(self.root_rank))


class NPUBroadcastGlobalVariablesCallback(
    BroadcastGlobalVariablesCallbackImpl, tf.keras.callbacks.Callback
):
    """Callback that starts every rank from the weights of the root rank."""

    def __init__(self, root_rank):
        super(NPUBroadcastGlobalVariablesCallback, self).__init__(root_rank)
