"""The callbacks without their base class, which differs between stand-alone Keras and tf.keras."""

import numbers
import sys

import numpy as np
from ascendify_runtime.framework import tf

import horovod.tensorflow as hvd
from horovod._keras import session_of
from horovod._missing import refuse
from horovod.tensorflow.mpi_ops import reduce_arrays


def _variables(optimizer):
    """Return the variables of an optimizer: a method in Keras 2, a list in Keras 3."""
    variables = optimizer.variables
    return variables() if callable(variables) else variables


def _learning_rate(optimizer):
    """Return the variable of the learning rate; Keras 3 has only the longer name."""
    return optimizer.lr if hasattr(optimizer, "lr") else optimizer.learning_rate


def _get_value(backend, variable):
    """Read a variable; the backend of Keras 3 has no function for it."""
    if tf.executing_eagerly():
        return variable.numpy() if hasattr(variable, "numpy") else variable
    return backend.get_value(variable)


def _set_value(backend, variable, value):
    """Assign a value; the backend of Keras 3 has no function for it."""
    if tf.executing_eagerly():
        variable.assign(value)
    else:
        backend.set_value(variable, value)


class BroadcastGlobalVariables(object):
    """Broadcasts all variables of one rank after the first batch, when they all exist."""

    def __init__(self, backend, root_rank, device="", *args):
        super(BroadcastGlobalVariables, self).__init__(*args)
        self.backend = backend
        self.root_rank = root_rank
        self.device = device
        self.broadcast_done = False

    def register_local_var(self, var):
        """Refuse."""
        refuse("variables of one rank", "it broadcasts all global variables")

    def on_batch_end(self, batch, logs=None):
        """Broadcast, once."""
        if self.broadcast_done:
            return
        self.broadcast_done = True
        if tf.executing_eagerly():
            hvd.broadcast_variables(self.model.variables, self.root_rank)
            hvd.broadcast_variables(_variables(self.model.optimizer), self.root_rank)
            return
        session = session_of(self.backend)
        with session.graph.as_default(), tf.device(self.device):
            session.run(hvd.broadcast_global_variables(self.root_rank))


class MetricAverage(object):
    """Averages the metrics of an epoch over the ranks, for the callbacks after this one."""

    def __init__(self, backend, device="", *args):
        super(MetricAverage, self).__init__(*args)
        self.backend = backend

    def on_epoch_end(self, epoch, logs=None):
        """Average in place; metrics in the order of their names, the same on every rank."""
        for metric, value in sorted((logs or {}).items()):
            array = np.asarray(value, self.backend.floatx())
            tag = "MetricAverageCallback/{}".format(metric)
            logs[metric] = reduce_arrays([array], hvd.Average, tag)[0][()]


class LearningRateSchedule(object):
    """Multiplies the learning rate by a number that depends on the epoch."""

    def __init__(
        self,
        backend,
        initial_lr,
        multiplier,
        start_epoch=0,
        end_epoch=None,
        staircase=True,
        momentum_correction=True,
        steps_per_epoch=None,
        *args,
    ):
        super(LearningRateSchedule, self).__init__(*args)
        self.backend = backend
        self.start_epoch = start_epoch
        self.end_epoch = end_epoch
        self.staircase = staircase
        self.momentum_correction = momentum_correction
        self.initial_lr = initial_lr
        self.restore_momentum = None
        self.steps_per_epoch = steps_per_epoch
        self.current_epoch = None
        self.multiplier = multiplier
        if not callable(multiplier):
            # a number means exponential decay
            self.multiplier = lambda epoch: multiplier ** (epoch - start_epoch)

    def on_train_begin(self, logs=None):
        """Read the learning rate from the optimizer, if it was not given (optional up to 0.19)."""
        if self.initial_lr is None:
            self.initial_lr = _get_value(self.backend, _learning_rate(self.model.optimizer))
        if not self.staircase and not self.steps_per_epoch:
            self.steps_per_epoch = self._steps_of_an_epoch()

    def on_epoch_begin(self, epoch, logs=None):
        """Remember the epoch."""
        self.current_epoch = epoch

    def on_batch_begin(self, batch, logs=None):
        """Set the learning rate for the epoch, or for the fraction of it that has passed."""
        if self.current_epoch < self.start_epoch:
            return
        if self.end_epoch is not None and self.current_epoch >= self.end_epoch:
            return
        if self.staircase and batch == 0:
            self._set_learning_rate(self.current_epoch)
        elif not self.staircase:
            self._set_learning_rate(self.current_epoch + float(batch) / self.steps_per_epoch)

    def on_batch_end(self, batch, logs=None):
        """Restore the momentum."""
        if self.restore_momentum:
            _set_value(self.backend, self.model.optimizer.momentum, self.restore_momentum)
            self.restore_momentum = None

    def on_epoch_end(self, epoch, logs=None):
        """Log the learning rate."""
        if logs is not None:
            logs["lr"] = _get_value(self.backend, _learning_rate(self.model.optimizer))

    def _steps_of_an_epoch(self):
        if self.params.get("steps"):
            return self.params["steps"]
        if self.params.get("samples") and self.params.get("batch_size"):
            return self.params["samples"] // self.params["batch_size"]
        raise ValueError(
            "Could not autodetect the number of steps per epoch. Please specify the "
            "steps_per_epoch parameter to the {}().".format(type(self).__name__)
        )

    def _set_learning_rate(self, epoch):
        optimizer = self.model.optimizer
        old = _get_value(self.backend, _learning_rate(optimizer))
        new = self.initial_lr * self.multiplier(epoch)
        _set_value(self.backend, _learning_rate(optimizer), new)
        if hasattr(optimizer, "momentum") and self.momentum_correction:
            self._correct_momentum(optimizer, new / old)

    def _correct_momentum(self, optimizer, ratio):
        """Scale the momentum buffer with the learning rate, for one batch."""
        if not isinstance(optimizer.momentum, numbers.Real):
            self.restore_momentum = _get_value(self.backend, optimizer.momentum)
            _set_value(self.backend, optimizer.momentum, self.restore_momentum * ratio)
        elif optimizer.momentum and ratio != 1:
            raise NotImplementedError(
                "{} cannot correct the momentum of {}: in this Keras it is a number of the traced "
                "step, not a variable, for Horovod as well. Pass momentum_correction=False.".format(
                    type(self).__name__, type(optimizer).__name__
                )
            )


class LearningRateWarmup(LearningRateSchedule):
    """Raises the learning rate from that of one rank to that of all, over some epochs."""

    def __init__(
        self,
        backend,
        initial_lr,
        warmup_epochs=5,
        momentum_correction=True,
        steps_per_epoch=None,
        verbose=0,
        *args,
    ):
        def multiplier(epoch):
            # the last batch of an epoch gets a whole number
            epoch += 1.0 / self.steps_per_epoch
            return 1.0 / hvd.size() * (epoch * (hvd.size() - 1) / warmup_epochs + 1)

        super(LearningRateWarmup, self).__init__(
            backend,
            initial_lr,
            multiplier,
            0,
            warmup_epochs,
            False,
            momentum_correction,
            steps_per_epoch,
            *args,
        )
        self.verbose = verbose

    def on_epoch_end(self, epoch, logs=None):
        """Log the learning rate, and print when the warm-up has finished."""
        super(LearningRateWarmup, self).on_epoch_end(epoch, logs)
        if epoch == self.end_epoch - 1 and self.verbose > 0 and hvd.rank() == 0:
            reached = _get_value(self.backend, _learning_rate(self.model.optimizer))
            text = "\nEpoch {}: finished gradual learning rate warmup to {:g}.\n"
            sys.stdout.write(text.format(epoch + 1, reached))
