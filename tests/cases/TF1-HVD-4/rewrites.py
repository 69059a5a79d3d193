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
#### compression is dropped and reported
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
#### a variable that only feeds a dropped argument
import horovod.tensorflow as hvd
def build(opt, args):
    # Horovod: (optional) compression algorithm.
    compression = hvd.Compression.fp16 if args.fp16_allreduce else hvd.Compression.none
    return hvd.DistributedOptimizer(opt, compression=compression)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def build(opt, args):
    # Horovod: (optional) compression algorithm.
    return npu_distributed_optimizer_wrapper(opt)
#### findings
5 auto-check
#### variables that only feed dropped arguments of two calls
import horovod.tensorflow as hvd
def build(opt, args, small):
    device = '/gpu:0'
    if args.fp16:
        compression = hvd.Compression.fp16
    else:
        compression = hvd.Compression.none
    if small:
        return hvd.DistributedOptimizer(opt, compression=compression)
    return hvd.DistributedOptimizer(opt, device_dense=device, compression=compression)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def build(opt, args, small):
    if small:
        return npu_distributed_optimizer_wrapper(opt)
    return npu_distributed_optimizer_wrapper(opt)
#### a variable that is read elsewhere, and one whose value has an effect
import horovod.tensorflow as hvd
def build(opt, args):
    compression = hvd.Compression.fp16
    device = choose()
    print(compression)
    return hvd.DistributedOptimizer(opt, device_dense=device, compression=compression)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def build(opt, args):
    compression = hvd.Compression.fp16
    device = choose()
    print(compression)
    return npu_distributed_optimizer_wrapper(opt)
#### a parameter of the function
import horovod.tensorflow as hvd
def build(opt, compression):
    return hvd.DistributedOptimizer(opt, compression=compression)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def build(opt, compression):
    return npu_distributed_optimizer_wrapper(opt)
#### a variable that another file imports
import horovod.tensorflow as hvd
import helper
compression = hvd.Compression.fp16
opt = hvd.DistributedOptimizer(make(), compression=compression)
#### file helper.py
from main import compression
#### after
import horovod.tensorflow as hvd
import helper
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
compression = hvd.Compression.fp16
opt = npu_distributed_optimizer_wrapper(make())
#### an NPU wrapper averages already
import horovod.tensorflow as hvd
import tensorflow as tf
from npu_bridge.estimator.npu.npu_optimizer import NPUDistributedOptimizer
optimizer = tf.train.AdamOptimizer(0.1)
if multi:
    optimizer = hvd.DistributedOptimizer(optimizer, sparse_as_dense=True)
optimizer = NPUDistributedOptimizer(optimizer)
#### with distributed=horovod
#### after
import horovod.tensorflow as hvd
import tensorflow as tf
from npu_bridge.estimator.npu.npu_optimizer import NPUDistributedOptimizer
optimizer = tf.train.AdamOptimizer(0.1)
if multi:
    pass
optimizer = NPUDistributedOptimizer(optimizer)
