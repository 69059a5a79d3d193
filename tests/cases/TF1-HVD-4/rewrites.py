#### optimizer only
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(opt)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(opt)
#### findings
2 auto
#### arguments that only say how
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(opt, 'hvd', device_dense='/gpu:0', sparse_as_dense=True)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(opt)
#### findings
2 auto
#### compression is dropped and told
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(
    tf.train.AdamOptimizer(lr),  # base
    compression=hvd.Compression.fp16 if fp16 else hvd.Compression.none,
    backward_passes_per_step=2)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
# base
opt = npu_distributed_optimizer_wrapper(
    tf.train.AdamOptimizer(lr))
#### findings
2 auto-check
#### neutral values are not worth a word
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(opt, compression=hvd.Compression.none, op=hvd.Average, backward_passes_per_step=1)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(opt)
#### findings
2 auto
#### the optimizer by keyword, not first
import horovod.keras as hvd
opt = hvd.DistributedOptimizer(name='d', optimizer=opt, op=hvd.Sum)
#### after
import horovod.keras as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(optimizer=opt)
#### findings
2 auto-check
#### imported by name
from horovod.tensorflow import DistributedOptimizer as DO
opt = DO(opt)
#### after
from horovod.tensorflow import DistributedOptimizer as DO
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(opt)
