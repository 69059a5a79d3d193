"""Callbacks for stand-alone Keras."""

import keras

from horovod._keras import callbacks as _common
from horovod._missing import missing

BestModelCheckpoint = missing("callbacks.BestModelCheckpoint", "it has no checkpoints of its own")


class BroadcastGlobalVariablesCallback(_common.BroadcastGlobalVariables, keras.callbacks.Callback):
    """Broadcasts all variables of one rank at the start of training."""

    def __init__(self, root_rank, device="", local_variables=None):
        super(BroadcastGlobalVariablesCallback, self).__init__(keras.backend, root_rank, device)
        for variable in local_variables or ():
            self.register_local_var(variable)


class MetricAverageCallback(_common.MetricAverage, keras.callbacks.Callback):
    """Averages the metrics of an epoch over the ranks."""

    def __init__(self, device=""):
        super(MetricAverageCallback, self).__init__(keras.backend, device)


class LearningRateScheduleCallback(_common.LearningRateSchedule, keras.callbacks.Callback):
    """Multiplies the learning rate by a number that depends on the epoch."""

    def __init__(
        self,
        initial_lr=None,
        multiplier=1.0,
        start_epoch=0,
        end_epoch=None,
        staircase=True,
        momentum_correction=True,
        steps_per_epoch=None,
    ):
        super(LearningRateScheduleCallback, self).__init__(
            keras.backend,
            initial_lr,
            multiplier,
            start_epoch,
            end_epoch,
            staircase,
            momentum_correction,
            steps_per_epoch,
        )


class LearningRateWarmupCallback(_common.LearningRateWarmup, keras.callbacks.Callback):
    """Raises the learning rate from that of one rank to that of all, over some epochs."""

    def __init__(
        self,
        initial_lr=None,
        warmup_epochs=5,
        momentum_correction=True,
        steps_per_epoch=None,
        verbose=0,
    ):
        super(LearningRateWarmupCallback, self).__init__(
            keras.backend,
            initial_lr,
            warmup_epochs,
            momentum_correction,
            steps_per_epoch,
            verbose,
        )
