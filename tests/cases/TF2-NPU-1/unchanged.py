#### assigned back
import npu_device as npu
import tensorflow as tf

ds = tf.data.Dataset.range(64)
ds, size = npu.distribute.shard_and_rebatch_dataset(ds, 16)
ds = ds.batch(size, drop_remainder=True)
#### returned
import npu_device as npu
import tensorflow as tf


def shard(ds):
    return npu.distribute.shard_and_rebatch_dataset(ds, 16)
#### another name that is used
import npu_device as npu
import tensorflow as tf

part, size = npu.distribute.shard_and_rebatch_dataset(ds, 16)
model.fit(part.batch(size))
