#### summaries on one rank
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.rank() == 0:
    tf.summary.scalar('loss', loss)
    tf.summary.histogram('w', w)
#### findings
4 blocker
#### merged on one rank, as an expression
import tensorflow as tf
from hccl.manage.api import get_rank_id
merged = tf.summary.merge_all() if get_rank_id() == 0 else None
#### findings
3 blocker
#### metrics and placeholders through a variable
import tensorflow as tf
import horovod.tensorflow as hvd
def model(x):
    is_chief = hvd.rank() == 0
    if is_chief:
        acc, op = tf.metrics.accuracy(y, x)
    else:
        p = tf.placeholder(tf.float32, [1])
#### findings
6 blocker
#### through an attribute of self
import tensorflow as tf
import horovod.tensorflow as hvd
class Model:
    def __init__(self):
        self.rank = hvd.rank()
    def build(self, x):
        if self.rank == 0:
            x = tf.layers.dense(x, 10)
        return x
#### findings
8 blocker
#### the other ranks leave early
import tensorflow as tf
import horovod.tensorflow as hvd
def build(x):
    if hvd.rank() != 0:
        return x
    return tf.reduce_mean(x)
#### findings
6 blocker
#### by the environment
import os
import tensorflow as tf
if int(os.getenv('RANK_ID', '0')) == 0:
    y = tf.identity(x)
#### findings
4 blocker
#### savers, writers, prints, folders and hooks
import os
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.rank() == 0:
    saver = tf.train.Saver()
    writer = tf.summary.FileWriter('logs')
    writer.add_summary(value)
    tf.gfile.MakeDirs('logs')
    tf.logging.info('rank 0')
    hooks.append(tf.train.CheckpointSaverHook('logs', save_steps=10))
    hooks.append(tf.train.LoggingTensorHook({'loss': loss}, every_n_iter=10))
    step = tf.train.get_global_step()
    print('hello')
#### running what exists
import tensorflow as tf
import horovod.tensorflow as hvd
with tf.Session() as sess:
    if hvd.rank() == 0:
        print(sess.run(loss))
        sess.run(tf.global_variables_initializer())
        print(sess.run(tf.reduce_mean(loss)))
#### evaluation by an Estimator
import tensorflow as tf
import horovod.tensorflow as hvd
est = tf.estimator.Estimator(model_fn)
if hvd.rank() == 0:
    est.evaluate(input_fn)
#### a graph of its own
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.rank() == 0:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1])
#### a function that is only defined there
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.rank() == 0:
    def serving_input():
        return tf.placeholder(tf.string, [1])
#### a condition on the number of ranks
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.size() > 1:
    x = tf.identity(x)
#### data by rank
import tensorflow as tf
import horovod.tensorflow as hvd
ds = tf.data.Dataset.range(10).shard(hvd.size(), hvd.rank())
x = tf.constant(1)
#### numbers that depend on the rank
import horovod.tensorflow as hvd
seed = 1 if hvd.rank() == 0 else 2
#### the rank of a tensor
import tensorflow as tf
if x.rank() == 0:
    y = tf.identity(x)
#### a factory that happens to get the rank
import tensorflow as tf
import horovod.tensorflow as hvd
loader = make_loader(hvd.rank())
if loader:
    y = tf.identity(x)
