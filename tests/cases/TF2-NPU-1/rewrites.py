#### not bound at all
import npu_device as npu
import tensorflow as tf

npu.distribute.shard_and_rebatch_dataset(ds, 16)
#### findings
4 manual
#### from its module
import tensorflow as tf
from npu_device.distribute.hccl import shard_and_rebatch_dataset

shard_and_rebatch_dataset(ds, batch_size)
#### findings
4 manual
