#### Adasum
import tensorflow as tf
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(opt, op=hvd.Adasum)
#### with distributed=horovod
#### findings
3 manual
#### some of the ranks
import tensorflow as tf
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(opt, process_set=even)
#### with distributed=horovod
#### findings
3 manual
#### hidden arguments
import tensorflow as tf
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(opt, **options)
#### with distributed=horovod
#### findings
3 manual
#### npu_device's
import tensorflow as tf
import npu_device
opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(opt)
#### with distributed=horovod
#### a class of the user's
import tensorflow as tf
from mylib import DistributedOptimizer
opt = DistributedOptimizer(opt)
#### with distributed=horovod
#### PyTorch's
import horovod.torch as hvd
opt = hvd.DistributedOptimizer(opt)
#### with distributed=horovod
