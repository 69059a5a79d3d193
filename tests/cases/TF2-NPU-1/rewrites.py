#### bound to another name
import npu_device as npu
import tensorflow as tf

ds = tf.data.Dataset.range(64)
shard, size = npu.distribute.shard_and_rebatch_dataset(ds, 16)
ds = ds.batch(size, drop_remainder=True)
#### findings
5 manual
#### not bound at all
import npu_device as npu
import tensorflow as tf

npu.distribute.shard_and_rebatch_dataset(ds, 16)
#### findings
4 manual
