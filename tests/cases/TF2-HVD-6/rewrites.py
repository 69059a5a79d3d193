#### variables of a model and of its optimizer
import tensorflow as tf
import horovod.tensorflow as hvd
if first_batch:
    hvd.broadcast_variables(model.variables, root_rank=0)
    hvd.broadcast_variables(opt.variables(), root_rank=0)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
if first_batch:
    npu_device.distribute.broadcast(model.variables, root_rank=0)
    npu_device.distribute.broadcast(opt.variables(), root_rank=0)
#### findings
4 auto
5 auto
#### by name
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.broadcast_variables(variables=model.variables, root_rank=0)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
npu_device.distribute.broadcast(values=model.variables, root_rank=0)
#### findings
3 auto
#### a callback
import tensorflow as tf
import horovod.tensorflow.keras as hvd
callbacks = [
    hvd.callbacks.BroadcastGlobalVariablesCallback(0),  # first
    stop,
]
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow.keras as hvd
def npu_broadcast_callback():
    """Callback that gives every rank the variables of rank 0 as soon as they exist."""
    class Broadcast(tf.keras.callbacks.Callback):
        done = False

        def on_train_batch_begin(self, batch, logs=None):
            if self.model.built and not self.done:
                self.done = True
                npu_device.distribute.broadcast(self.model.variables, root_rank=0)
                if self.model.optimizer.variables():
                    npu_device.distribute.broadcast(self.model.optimizer.variables(), root_rank=0)

        on_train_batch_end = on_train_batch_begin

    return Broadcast()


callbacks = [
    npu_broadcast_callback(),  # first
    stop,
]
#### findings
4 auto
