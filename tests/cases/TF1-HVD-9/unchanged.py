#### Keras callbacks without counterpart
import horovod.tensorflow.keras as hvd
callbacks = [
    hvd.callbacks.BestModelCheckpoint('best.h5'),
    make(hvd.callbacks.MetricAverageCallback),
]
#### findings
3 manual
4 manual
#### eager training
import horovod.tensorflow as hvd
tape = hvd.DistributedGradientTape(tape)
#### findings
2 blocker
#### elastic training
import horovod.tensorflow as hvd
state = hvd.elastic.KerasState(model)
@hvd.elastic.run
def train(state):
    pass
#### findings
2 blocker
3 blocker
#### uneven data, process sets, questions about MPI and NCCL
import horovod.tensorflow as hvd
hvd.join()
even = hvd.add_process_set([0, 2])
print(hvd.mpi_threads_supported(), hvd.nccl_built())
#### findings
2 manual
3 manual
4 manual
4 manual
#### all to all and the objects
import horovod.tensorflow as hvd
hvd.alltoall(x)
hvd.broadcast_object(o)
#### findings
2 manual
3 manual
#### compression is reported once
from horovod.tensorflow.compression import Compression
a = Compression.fp16 if half else Compression.none
b = Compression.fp16
send(a, b)
#### findings
2 manual
#### functions passed on instead of called
import horovod.tensorflow as hvd
make(hvd.DistributedOptimizer)
class Hook(hvd.BroadcastGlobalVariablesHook):
    pass
#### findings
2 manual
3 manual
#### Keras' collectives
import horovod.keras as hvd
print(hvd.allreduce(x))
#### findings
2 manual
#### something nobody has heard of
import horovod.tensorflow as hvd
hvd.brand_new_feature()
#### findings
2 manual
#### what other rules rewrite
import horovod.tensorflow as hvd
hvd.init()
print(hvd.rank(), hvd.size)
opt = hvd.DistributedOptimizer(opt)
hvd.allreduce(x, op=hvd.Sum)
#### the module itself
import horovod.tensorflow as hvd
if hvd is not None:
    pass
#### Horovod for another framework
import horovod.torch as hvd
hvd.join()
#### an attribute of something else
import tensorflow as tf
tf.strings.join(['a', 'b'])
#### a program that ends without the library
import sys
import horovod.tensorflow as hvd
assert hvd.mpi_threads_supported()
if not hvd.nccl_built():
    raise RuntimeError('build Horovod with NCCL')
if not hvd.nccl_built():
    sys.exit('build Horovod with NCCL')
ways = [1 if x else hvd.nccl_built()]
#### findings
3 manual
4 manual
6 manual
8 manual
