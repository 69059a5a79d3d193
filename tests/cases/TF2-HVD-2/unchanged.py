#### some ranks only
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.init([0, 1])
#### with distributed=horovod
#### findings
3 manual
#### passed on
import tensorflow as tf
import horovod.tensorflow as hvd
stack.callback(hvd.shutdown)
#### with distributed=horovod
#### findings
3 manual
#### something else's
import tensorflow as tf
import wandb
wandb.init()
#### with distributed=horovod
#### a variable that holds it: the place that filled it is rewritten
import tensorflow as tf
def start(backend):
    backend.init()
#### with distributed=horovod
