#### a warm-up of older releases, with epochs first
import tensorflow as tf
import horovod.tensorflow.keras as hvd
callbacks = [hvd.callbacks.LearningRateWarmupCallback(5, True)]
#### a warm-up without a rate
import tensorflow as tf
import horovod.tensorflow.keras as hvd
callbacks = [hvd.callbacks.LearningRateWarmupCallback(warmup_epochs=5, verbose=1)]
#### a launcher whose results are used
import tensorflow as tf
import horovod
def train():
    return tf.keras.Model
results = horovod.run(train, np=4)
#### callbacks of the program's own
import tensorflow as tf
class MetricAverageCallback(tf.keras.callbacks.Callback):
    pass
callbacks = [MetricAverageCallback()]
#### callbacks that are handed on, not made
import tensorflow as tf
import horovod.tensorflow.keras as hvd
make = hvd.callbacks.MetricAverageCallback
#### a schedule, which has a recipe
import tensorflow as tf
import horovod.tensorflow.keras as hvd
callbacks = [hvd.callbacks.LearningRateScheduleCallback(0.1, multiplier=0.5, start_epoch=3)]
