#### the average is the default
import horovod.tensorflow as hvd
loss = hvd.allreduce(loss)
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_size
from npu_bridge.hccl import hccl_ops
loss = hccl_ops.allreduce(loss, "sum") / get_rank_size()
#### findings
2 auto-check
#### inside an expression it keeps its value
import horovod.tensorflow as hvd
x = 2 / hvd.allreduce(loss, average=True, name='l') ** 2
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_size
from npu_bridge.hccl import hccl_ops
x = 2 / (hccl_ops.allreduce(loss, "sum") / get_rank_size()) ** 2
#### sum, by position, by keyword, by op
import horovod.tensorflow as hvd
a = hvd.allreduce(x, False)
b = hvd.allreduce(average=False, tensor=x)
c = hvd.allreduce(x, op=hvd.Sum, device_dense='')
#### after
import horovod.tensorflow as hvd
from npu_bridge.hccl import hccl_ops
a = hccl_ops.allreduce(x, "sum")
b = hccl_ops.allreduce(tensor=x, reduction="sum")
c = hccl_ops.allreduce(x, "sum")
#### min, max and product
import horovod.tensorflow as hvd
from horovod.tensorflow.mpi_ops import Max
a = hvd.allreduce(x, op=hvd.Min)
b = hvd.allreduce(x, op=Max)
c = hvd.allreduce(x, op=hvd.mpi_ops.Product)
#### after
import horovod.tensorflow as hvd
from horovod.tensorflow.mpi_ops import Max
from npu_bridge.hccl import hccl_ops
a = hccl_ops.allreduce(x, "min")
b = hccl_ops.allreduce(x, "max")
c = hccl_ops.allreduce(x, "prod")
#### an integer average stays an integer
import tensorflow as tf
import horovod.tensorflow as hvd
ok = tf.cast(hvd.allreduce(tf.cast(finite, tf.int32)), tf.bool)
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_size
from npu_bridge.hccl import hccl_ops
ok = tf.cast(hccl_ops.allreduce(tf.cast(finite, tf.int32), "sum") // get_rank_size(), tf.bool)
#### a variable is read first
import tensorflow as tf
import horovod.tensorflow as hvd
v = tf.get_variable('v', [1])
s = hvd.allreduce(v, average=False)
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
from npu_bridge.hccl import hccl_ops
v = tf.get_variable('v', [1])
s = hccl_ops.allreduce(tf.identity(v), "sum")
#### several tensors at once
import horovod.tensorflow as hvd
a = hvd.grouped_allreduce(grads)
b = hvd.grouped_allreduce(tensors=grads, op=hvd.Sum)
#### after
import horovod.tensorflow as hvd
from npu_bridge.npu_init import npu_allreduce
a = npu_allreduce(grads)
b = npu_allreduce(grads, reduction="sum")
#### gather
import horovod.tensorflow as hvd
a = hvd.allgather(x, name='g')
b = hvd.allgather(tensor=x)
#### after
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_size
from npu_bridge.hccl import hccl_ops
a = hccl_ops.allgather(x, get_rank_size())
b = hccl_ops.allgather(tensor=x, rank_size=get_rank_size())
#### findings
2 auto-check
3 auto-check
#### broadcast takes and gives a list
import horovod.tensorflow as hvd
a = hvd.broadcast(x, 0, 'b')
b = hvd.broadcast(tensor=x, root_rank=0) + 1
#### after
import horovod.tensorflow as hvd
from npu_bridge.hccl import hccl_ops
a = hccl_ops.broadcast([x], 0)[0]
b = hccl_ops.broadcast(tensor=[x], root_rank=0)[0] + 1
#### findings
2 auto
3 auto
#### the operator below allreduce
import horovod.tensorflow as hvd


def allreduce_mean(x):
    return hvd.mpi_ops._allreduce(x, name='sum') / hvd.size()
#### after
import horovod.tensorflow as hvd
from npu_bridge.hccl import hccl_ops


def allreduce_mean(x):
    return hccl_ops.allreduce(x, "sum") / hvd.size()
#### findings
5 auto-check
