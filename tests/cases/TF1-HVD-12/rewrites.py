#### callbacks in a list
import keras
import horovod.keras as hvd
callbacks = [
    hvd.callbacks.BroadcastGlobalVariablesCallback(0),
    # averaged before others read them
    hvd.callbacks.MetricAverageCallback(),
    hvd.callbacks.LearningRateWarmupCallback(initial_lr=0.1, warmup_epochs=5, verbose=1),
]
#### after
import npu_callbacks
import keras
import horovod.keras as hvd
callbacks = [
    hvd.callbacks.BroadcastGlobalVariablesCallback(0),
    # averaged before others read them
    npu_callbacks.MetricAverageCallback(),
    npu_callbacks.LearningRateWarmupCallback(initial_lr=0.1, warmup_epochs=5, verbose=1),
]
#### findings
6 auto
7 auto
#### a class that is imported
from horovod.tensorflow.keras.callbacks import LearningRateScheduleCallback as Schedule
callbacks.append(Schedule(0.1, multiplier=lambda epoch: 0.1, start_epoch=30))
#### after
import npu_callbacks
from horovod.tensorflow.keras.callbacks import LearningRateScheduleCallback as Schedule
callbacks.append(npu_callbacks.LearningRateScheduleCallback(0.1, multiplier=lambda epoch: 0.1, start_epoch=30))
#### findings
2 auto
