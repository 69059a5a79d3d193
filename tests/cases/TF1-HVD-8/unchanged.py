#### Adasum
import horovod.tensorflow as hvd
hvd.allreduce(x, op=hvd.Adasum)
#### findings
2 manual
#### an average that is only known at run time
import horovod.tensorflow as hvd
hvd.allreduce(x, average=flag)
#### findings
2 manual
#### a factor
import horovod.tensorflow as hvd
hvd.allreduce(x, prescale_factor=0.5)
#### findings
2 manual
#### arguments from elsewhere
import horovod.tensorflow as hvd
hvd.allreduce(*args)
hvd.allgather(**kw)
hvd.broadcast(x, **kw)
#### findings
2 manual
3 manual
4 manual
#### a process set
import horovod.tensorflow as hvd
hvd.allgather(x, process_set=even)
#### findings
2 manual
#### Keras' collectives give numbers: another rule tells
import horovod.keras as hvd
hvd.allreduce(x)
#### a collective of another library
import mpi
mpi.allreduce(x)
#### numpy's broadcast
import numpy as np
np.broadcast(a, b)
#### already migrated
from npu_bridge.hccl import hccl_ops
hccl_ops.allreduce(x, "sum")
hccl_ops.broadcast([x], 0)
