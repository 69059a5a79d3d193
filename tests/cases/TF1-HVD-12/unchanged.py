#### a class that is passed on
import horovod.keras as hvd
make(hvd.callbacks.LearningRateWarmupCallback)
#### Keras' own schedule
import tensorflow as tf
callbacks = [tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1)]
#### callbacks of a library that is called like it
import hvd
callbacks = [hvd.callbacks.MetricAverageCallback()]
