#### from another root
import tensorflow as tf
import horovod.tensorflow.keras as hvd
callbacks = [hvd.callbacks.BroadcastGlobalVariablesCallback(root)]
#### with distributed=horovod
#### findings
3 manual
#### some of the ranks
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.broadcast_variables(model.variables, 0, process_set=even)
#### with distributed=horovod
#### findings
3 manual
#### of a graph
import tensorflow as tf
import horovod.tensorflow as hvd
op = hvd.broadcast_global_variables(0)
#### with distributed=horovod
#### findings
3 manual
#### npu_device's
import tensorflow as tf
import npu_device
npu_device.distribute.broadcast(model.variables, root_rank=0)
#### with distributed=horovod
#### a callback of the user's
import tensorflow as tf
from mylib import BroadcastGlobalVariablesCallback
callbacks = [BroadcastGlobalVariablesCallback(0)]
#### with distributed=horovod
