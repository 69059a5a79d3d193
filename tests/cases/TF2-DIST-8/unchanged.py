#### the vendor's callback
import tensorflow as tf
from npu_device.distribute.npu_callbacks import NPUBroadcastGlobalVariablesCallback
callbacks = [NPUBroadcastGlobalVariablesCallback(0)]
#### findings
3 manual
#### what appends it
import tensorflow as tf
from npu_device.distribute.hccl import npu_callbacks_append
model.fit(dataset, callbacks=npu_callbacks_append(callbacks))
#### findings
3 manual
#### a scope that broadcasts once
import tensorflow as tf
import npu_device as npu
strategy = npu.distribute.npu_broadcast_scope_wrapper(tf.distribute.get_strategy())
#### findings
3 manual
#### a dataset that is divided for nothing
import tensorflow as tf
import npu_device as npu
sharded, size = npu.distribute.shard_and_rebatch_dataset(dataset, 32)
dataset = dataset.batch(size)
#### findings
3 manual
#### the function
import tensorflow as tf
import npu_device as npu
npu.distribute.broadcast(model.trainable_variables, root_rank=0)
#### a dataset that is divided, and read
import tensorflow as tf
import npu_device as npu
dataset, size = npu.distribute.shard_and_rebatch_dataset(dataset, 32)
dataset = dataset.batch(size)
#### the batch size is not needed
import tensorflow as tf
import npu_device as npu
dataset, _ = npu.distribute.shard_and_rebatch_dataset(dataset, 32)
dataset = dataset.batch(8)
#### a callback of the user's with such a name
class NPUBroadcastGlobalVariablesCallback:
    pass
callbacks = [NPUBroadcastGlobalVariablesCallback()]
