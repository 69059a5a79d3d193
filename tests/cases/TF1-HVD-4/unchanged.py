#### arguments from elsewhere
import horovod.tensorflow as hvd
hvd.DistributedOptimizer(opt, **kwargs)
#### findings
2 manual
#### a process set
import horovod.tensorflow as hvd
hvd.DistributedOptimizer(opt, process_set=even)
#### findings
2 manual
#### called through a variable: what fills it is reported elsewhere
import horovod.tensorflow as hvd
wrap = hvd.DistributedOptimizer
wrap(opt)
#### partial application
import functools
import horovod.tensorflow as hvd
functools.partial(hvd.DistributedOptimizer, name='x')(opt)
#### the project's own class
class DistributedOptimizer:
    def __init__(self, opt):
        self.opt = opt
DistributedOptimizer(opt)
#### Horovod for another framework
import horovod.torch as hvd
hvd.DistributedOptimizer(opt)
#### already migrated
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(opt)
#### base class
import horovod.tensorflow as hvd
class Mine(hvd.DistributedOptimizer):
    pass
#### handed to an NPU wrapper at once
import horovod.tensorflow as hvd
import tensorflow as tf
from npu_bridge.estimator.npu.npu_optimizer import NPUDistributedOptimizer
optimizer = NPUDistributedOptimizer(hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.1)))
#### with distributed=horovod
#### findings
4 manual
