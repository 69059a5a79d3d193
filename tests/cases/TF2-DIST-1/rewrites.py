#### a mirrored strategy
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()  # all GPUs
with strategy.scope():
    model = build()
#### after
import tensorflow as tf
strategy = tf.distribute.get_strategy()  # all GPUs
with strategy.scope():
    model = build()
#### findings
2 auto-check
#### given devices, over several lines
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy(
    devices=['/gpu:0', '/gpu:1'],
    cross_device_ops=tf.distribute.HierarchicalCopyAllReduce())
#### after
import tensorflow as tf
strategy = tf.distribute.get_strategy()
#### findings
2 auto-check
#### of several machines, and the experimental names
import tensorflow as tf
a = tf.distribute.MultiWorkerMirroredStrategy()
b = tf.distribute.experimental.MultiWorkerMirroredStrategy(tf.distribute.experimental.CollectiveCommunication.NCCL)
c = tf.distribute.experimental.CentralStorageStrategy()
#### after
import tensorflow as tf
a = tf.distribute.get_strategy()
b = tf.distribute.get_strategy()
c = tf.distribute.get_strategy()
#### findings
2 auto-check
3 auto-check
4 auto-check
#### imported by name
from tensorflow.distribute import MirroredStrategy
strategy = MirroredStrategy()
#### after
import tensorflow
from tensorflow.distribute import MirroredStrategy
strategy = tensorflow.distribute.get_strategy()
#### findings
2 auto-check
#### chosen by a flag
import tensorflow as tf
def get_strategy(gpus):
    if gpus > 1:
        return tf.distribute.MirroredStrategy(['/gpu:%d' % i for i in range(gpus)])
    return tf.distribute.OneDeviceStrategy('/gpu:0')
#### after
import tensorflow as tf
def get_strategy(gpus):
    if gpus > 1:
        return tf.distribute.get_strategy()
    return tf.distribute.get_strategy()
#### findings
4 auto-check
5 auto
#### the number of replicas stays 1, so a batch that it multiplies is the batch of all devices
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
GLOBAL_BATCH_SIZE = 64 * strategy.num_replicas_in_sync
#### after
import tensorflow as tf
strategy = tf.distribute.get_strategy()
GLOBAL_BATCH_SIZE = 64 * strategy.num_replicas_in_sync
#### findings
2 auto-check
#### one GPU
import tensorflow as tf
strategy = tf.distribute.OneDeviceStrategy(device='/gpu:0')
#### after
import tensorflow as tf
strategy = tf.distribute.get_strategy()
#### findings
2 auto
#### a resolver that nothing but the strategy uses
import tensorflow as tf
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
#### after
import tensorflow as tf
strategy = tf.distribute.get_strategy()
#### findings
2 auto
3 auto-check
#### what the resolver of a strategy says
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
kind, number = strategy.cluster_resolver.task_type, strategy.cluster_resolver.task_id
workers = len(strategy.cluster_resolver.cluster_spec().as_dict()['worker'])
#### after
import os
import tensorflow as tf
strategy = tf.distribute.get_strategy()
kind, number = 'worker', int(os.getenv('RANK_ID', '0'))
workers = len(tf.train.ClusterSpec({'worker': ['rank %d' % rank for rank in range(int(os.getenv('RANK_SIZE', '1')))]}).as_dict()['worker'])
#### findings
2 auto-check
3 auto-check
3 auto-check
4 auto-check
