#### metrics of an epoch
import tensorflow as tf
import horovod.tensorflow.keras as hvd
callbacks = [hvd.callbacks.MetricAverageCallback()]
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow.keras as hvd
def npu_average_callback():
    """Callback that averages the metrics of each epoch over the ranks."""
    class Average(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            for name, value in sorted((logs or dict()).items()):
                value = tf.constant(float(value), tf.float32)
                logs[name] = float(npu_device.distribute.all_reduce(value, 'mean'))

    return Average()


callbacks = [npu_average_callback()]
#### findings
3 auto
#### a warm-up with the keywords that matter
import os
import tensorflow as tf
import horovod.tensorflow.keras as hvd
rate = 0.1 * hvd.size()
callbacks.append(
    hvd.callbacks.LearningRateWarmupCallback(initial_lr=rate, warmup_epochs=3, verbose=1))
#### after
import os
import tensorflow as tf
import horovod.tensorflow.keras as hvd
rate = 0.1 * hvd.size()
def npu_warmup_callback(initial_lr, warmup_epochs=5, steps_per_epoch=None):
    """Callback that raises the learning rate from that of one device to that of all ranks."""
    class Warmup(tf.keras.callbacks.Callback):
        epoch = 0

        def on_epoch_begin(self, epoch, logs=None):
            self.epoch = epoch

        def on_train_batch_begin(self, batch, logs=None):
            if self.epoch < warmup_epochs:
                steps, ranks = steps_per_epoch or self.params['steps'], int(os.getenv('RANK_SIZE', '1'))
                done = (self.epoch + (batch + 1) / steps) / warmup_epochs
                rate = initial_lr / ranks * (done * (ranks - 1) + 1)
                tf.keras.backend.set_value(self.model.optimizer.lr, rate)

    return Warmup()


callbacks.append(
    npu_warmup_callback(initial_lr=rate, warmup_epochs=3))
#### findings
6 auto-check
#### a warm-up with its rate by position
import os
import tensorflow as tf
import horovod.keras as hvd
callbacks.append(hvd.callbacks.LearningRateWarmupCallback(0.4, warmup_epochs=2))
#### after
import os
import tensorflow as tf
import horovod.keras as hvd
def npu_warmup_callback(initial_lr, warmup_epochs=5, steps_per_epoch=None):
    """Callback that raises the learning rate from that of one device to that of all ranks."""
    class Warmup(tf.keras.callbacks.Callback):
        epoch = 0

        def on_epoch_begin(self, epoch, logs=None):
            self.epoch = epoch

        def on_train_batch_begin(self, batch, logs=None):
            if self.epoch < warmup_epochs:
                steps, ranks = steps_per_epoch or self.params['steps'], int(os.getenv('RANK_SIZE', '1'))
                done = (self.epoch + (batch + 1) / steps) / warmup_epochs
                rate = initial_lr / ranks * (done * (ranks - 1) + 1)
                tf.keras.backend.set_value(self.model.optimizer.lr, rate)

    return Warmup()


callbacks.append(npu_warmup_callback(0.4, warmup_epochs=2))
#### findings
4 auto-check
#### the launcher in Python
import sys
import tensorflow as tf
import horovod
def train(epochs, rate=0.1):
    return tf.keras.Model
if len(sys.argv) > 1:
    horovod.run(train, (3,), kwargs={"rate": 0.2}, np=4, use_gloo=True)
#### after
import sys
import tensorflow as tf
import horovod
def train(epochs, rate=0.1):
    return tf.keras.Model
if len(sys.argv) > 1:
    train(*(3,), **{"rate": 0.2})
#### findings
7 auto-check
