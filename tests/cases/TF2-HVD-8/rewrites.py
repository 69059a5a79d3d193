#### a mean
import tensorflow as tf
import horovod.tensorflow as hvd
loss = hvd.allreduce(loss)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
loss = npu_device.distribute.all_reduce(loss, 'mean')
#### findings
3 auto
#### a sum, named
import tensorflow as tf
import horovod.tensorflow as hvd
total = hvd.allreduce(tensor=count, op=hvd.Sum, name='count')
other = hvd.allreduce(count, average=False)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
total = npu_device.distribute.all_reduce(count, 'sum')
other = npu_device.distribute.all_reduce(count, 'sum')
#### findings
3 auto
4 auto
#### compressed
import tensorflow as tf
import horovod.tensorflow as hvd
loss = hvd.allreduce(loss, compression=hvd.Compression.fp16)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
loss = npu_device.distribute.all_reduce(loss, 'mean')
#### findings
3 auto-check
#### several
import tensorflow as tf
import horovod.tensorflow as hvd
grads = hvd.grouped_allreduce(grads)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
grads = npu_device.distribute.all_reduce(grads, 'mean')
#### findings
3 auto
#### of Keras
import tensorflow as tf
import horovod.tensorflow.keras as hvd
score = hvd.allreduce(score, name='score')
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow.keras as hvd
score = npu_device.distribute.all_reduce(score, 'mean')
#### findings
3 auto
#### gathered
import tensorflow as tf
import horovod.tensorflow as hvd
scores = hvd.allgather(scores)
#### with distributed=horovod
#### after
import os
import tensorflow as tf
import horovod.tensorflow as hvd
from npu_device.distribute import hccl_ops
scores = (hccl_ops.allgather(scores, int(os.getenv('RANK_SIZE', '1'))) if int(os.getenv('RANK_SIZE', '1')) > 1 else scores)
#### findings
3 auto-check
#### sent
import tensorflow as tf
import horovod.tensorflow as hvd
seed = hvd.broadcast(seed, root_rank=0, name='seed')
#### with distributed=horovod
#### after
import os
import tensorflow as tf
import horovod.tensorflow as hvd
from npu_device.distribute import hccl_ops
seed = (hccl_ops.broadcast([seed], root_rank=0)[0] if int(os.getenv('RANK_SIZE', '1')) > 1 else seed)
#### findings
3 auto
#### gathered and sent with Keras
import tensorflow as tf
import horovod.tensorflow.keras as hvd
scores = hvd.allgather(scores)
seed = hvd.broadcast(value=seed, root_rank=0)
#### with distributed=horovod
#### after
import os
import tensorflow as tf
import horovod.tensorflow.keras as hvd
from npu_device.distribute import hccl_ops
scores = (hccl_ops.allgather(scores, int(os.getenv('RANK_SIZE', '1'))) if int(os.getenv('RANK_SIZE', '1')) > 1 else scores)
seed = (hccl_ops.broadcast(tensor=[seed], root_rank=0)[0] if int(os.getenv('RANK_SIZE', '1')) > 1 else seed)
#### findings
3 auto-check
4 auto
