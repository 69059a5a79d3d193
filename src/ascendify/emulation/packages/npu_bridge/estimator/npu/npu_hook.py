"""Session hooks: broadcast, checkpoints, iteration offload, output."""

import os

from ascendify_runtime.framework import tf, uncounted_ops
from tensorflow.python.ops import gen_summary_ops, summary_ops_v2

from npu_bridge.estimator.npu import util
from npu_bridge.hccl import hccl_ops


class NPUShutDownHook(tf.train.SessionRunHook):
    """Marks the end of a session; the process leaves the job only when it exits."""

    def __init__(self, scaffold=None):
        self._scaffold = scaffold


def broadcast_global_variables(root_rank):
    """Return an op that sets every trainable variable to its value on the root rank."""
    return broadcast_variables(tf.trainable_variables(), root_rank)


def broadcast_variables(variables, root_rank):
    """Return an op that sets the variables to their values on the root rank."""
    with uncounted_ops(), tf.name_scope("NPUBroadcast"):
        if int(util.get_ranksize()) <= 1 or not variables:
            return tf.no_op()
        values = hccl_ops.broadcast_fused(
            [tf.convert_to_tensor(variable) for variable in variables],
            root_rank,
            name="NPUBroadcastGlobalVariables",
        )
        pairs = zip(variables, values)
        return tf.group(*[tf.assign(variable, value) for variable, value in pairs])


class NPUBroadcastGlobalVariablesHook(tf.train.SessionRunHook):
    """Hook that starts every rank from the trainable variables of the root rank."""

    def __init__(self, root_rank=None, index=None):
        self._root_rank = root_rank
        self._index = index
        self._bcast_op = None

    def begin(self):
        """Build the broadcast while the graph can still be changed."""
        if int(util.get_ranksize()) > 1:
            self._bcast_op = broadcast_global_variables(self._root_rank)

    def after_create_session(self, session, coord):
        """Run it after variables were initialised or restored."""
        if self._bcast_op is not None:
            session.run(self._bcast_op)


class NPUCheckpointSaverHook(tf.train.CheckpointSaverHook):
    """Hook that saves checkpoints and logs the global step."""

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
    ):
        super(NPUCheckpointSaverHook, self).__init__(
            checkpoint_dir, save_secs, save_steps, saver, checkpoint_basename, scaffold, listeners
        )

    def after_run(self, run_context, run_values):
        """Log the step, then do what a checkpoint hook does."""
        tf.logging.info("global_step: %s", run_values.results)
        super(NPUCheckpointSaverHook, self).after_run(run_context, run_values)


class SetIterationsVarHook(tf.train.SessionRunHook):
    """Hook that sets, in every new session, the number of iterations of IterationOp."""

    def __init__(self, iterations_per_loop=None):
        self._iterations_per_loop = iterations_per_loop
        self._loop = util.IterationPerLoop()

    def begin(self):
        """Create the variables."""
        self._loop.create_variables()

    def after_create_session(self, session, coord):
        """Load them."""
        self._loop.load_iteration_per_loop_var(session, self._iterations_per_loop)


class NPULogOutfeedSessionHook(tf.train.SessionRunHook):
    """Prints the output of tf.print on a device; on a CPU tf.print prints by itself."""

    def __init__(self, output_stream):
        self._output_stream = output_stream


class NPUInfeedOutfeedSessionHook(tf.train.SessionRunHook):
    """Opens the summary writers of a host call, runs its ops with every step, closes the writers.

    `dequeue_ops` run with every `Session.run`; without any, the hook only opens and closes writers.
    """

    def __init__(self, dequeue_ops, channel_name):
        self._dequeue_ops = dequeue_ops
        self._channel_name = channel_name
        self._openers = []
        self._flush = None

    def begin(self):
        """Find the writers the host call made."""
        with uncounted_ops():
            self._openers, self._flush = summary_writers()

    def after_create_session(self, session, coord):
        """Open them."""
        session.run(self._openers)

    def before_run(self, run_context):
        """Run the host call."""
        return tf.train.SessionRunArgs(self._dequeue_ops) if self._dequeue_ops else None

    def end(self, session):
        """Flush the writers."""
        session.run(self._flush)


def summary_writers():
    """Return the ops that open the summary writers of the default graph, and one to flush them."""
    openers = [op for op in summary_ops_v2.summary_writer_initializer_op() if op is not None]
    flushes = [gen_summary_ops.flush_summary_writer(op.inputs[0]) for op in openers]
    return openers, tf.group(*flushes)


class NPUOutputTensorHook(tf.train.SessionRunHook):
    """Collects values of tensors and passes them to a function every n steps."""

    def __init__(self, tensors, dependencies=None, output_fn=None, output_every_n_steps=0):
        self._tensors = tensors
        self._dependencies = dependencies
        self._output_fn = output_fn
        self._output_every_n_steps = output_every_n_steps
        self._output_list = []
        self._iter_count = 0

    def before_run(self, run_context):
        """Fetch the tensors."""
        return tf.train.SessionRunArgs(self._tensors)

    def after_run(self, run_context, run_values):
        """Store the values; pass them on after n steps."""
        self._output_list.append(self._tagged(run_values.results))
        self._iter_count += 1
        if self._iter_count % self._output_every_n_steps == 0:
            self._hand_over()

    def end(self, session):
        """Pass on the remaining values."""
        if self._output_list:
            self._hand_over()

    def _tagged(self, results):
        if isinstance(results, dict):
            return dict(results)
        return {tensor.name: value for tensor, value in zip(self._tensors, results)}

    def _hand_over(self):
        if self._output_fn is not None:
            self._output_fn(self._output_list)
        self._output_list = []


class TellMeStepOrLossHook(tf.train.SessionRunHook):
    """Updates the environment variables that the device uses to speed up training."""

    def __init__(self, step=None, total_step=None, loss=None, final_loss=None):
        if step is None and loss is None:
            raise ValueError("One of step or loss must be specified")
        self._fetches = {}
        if step is not None:
            self._fetches["STEP_NOW"] = step
            os.environ["STEP_NOW"] = "0"
            os.environ["TOTAL_STEP"] = str(total_step)
        if loss is not None:
            self._fetches["LOSS_NOW"] = loss
            os.environ["TARGET_LOSS"] = str(final_loss)

    def before_run(self, run_context):
        """Fetch step and loss."""
        return tf.train.SessionRunArgs(self._fetches)

    def after_run(self, run_context, run_values):
        """Write them to the environment variables."""
        for name, value in run_values.results.items():
            os.environ[name] = str(value)
