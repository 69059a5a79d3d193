#### a new name
import tensorflow as tf
opt = tf.contrib.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(lr))
#### after
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
#### findings
2 auto-check
#### the same name in a branch
import tensorflow as tf
optimizer = tf.train.AdamOptimizer(lr)
if use_tpu:
    optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)  # average
#### after
import tensorflow as tf
optimizer = tf.train.AdamOptimizer(lr)
if use_tpu:
    pass  # average
#### findings
4 auto-check
#### the same name among other statements
import tensorflow as tf
optimizer = tf.train.AdamOptimizer(lr)
optimizer = tf.tpu.CrossShardOptimizer(opt=optimizer, reduction='mean')
train_op = optimizer.minimize(loss)
#### after
import tensorflow as tf
optimizer = tf.train.AdamOptimizer(lr)
train_op = optimizer.minimize(loss)
#### findings
3 auto-check
#### inside an expression
import tensorflow as tf
train_op = tf.compat.v1.tpu.CrossShardOptimizer(a if first else b).minimize(loss)
#### after
import tensorflow as tf
train_op = (a if first else b).minimize(loss)
#### findings
2 auto-check
#### several devices
import tensorflow as tf
opt = tf.contrib.tpu.CrossShardOptimizer(inner)
#### after
import tensorflow as tf
opt = inner
#### with distributed=horovod
#### findings
2 auto-check
#### averaged where the optimizer is made
import tensorflow as tf
optimizer = tf.train.AdamOptimizer(lr)
if use_tpu:
    optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
#### after
import tensorflow as tf
optimizer = tf.train.AdamOptimizer(lr)
if use_tpu:
    pass
#### with distributed=tf_strategy
#### findings
4 auto
#### an optimizer of unknown origin
import tensorflow as tf
def wrap(optimizer, flags):
    if flags.use_tpu:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
    return optimizer
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def wrap(optimizer, flags):
    if flags.use_tpu:
        optimizer = npu_distributed_optimizer_wrapper(optimizer)
    return optimizer
#### with distributed=tf_strategy
#### findings
4 auto-check
