#### arguments from elsewhere
import horovod.tensorflow as hvd
hvd.broadcast_global_variables(*args)
#### findings
2 manual
#### a process set
import horovod.tensorflow as hvd
hvd.broadcast_variables(v, 0, process_set=even)
#### findings
2 manual
#### the project's own function
def broadcast_global_variables(root):
    pass
broadcast_global_variables(0)
#### the NPU's own function
from npu_bridge.estimator.npu.npu_hook import broadcast_global_variables
broadcast_global_variables(0)
#### kept in a variable
import horovod.tensorflow as hvd
f = hvd.broadcast_variables
f(v, 0)
#### a collective of another library
import byteps.tensorflow as bps
bps.broadcast_global_variables(0)
#### already migrated
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
op = tf.group(*[tf.assign(v, hccl_ops.broadcast([v], 0)[0]) for v in tf.global_variables()])
#### a broadcast of numpy
import numpy as np
np.broadcast(a, b)
