#### parameter servers
import tensorflow as tf
strategy = tf.distribute.experimental.ParameterServerStrategy(resolver)
#### findings
2 blocker
#### a strategy for TPUs
import tensorflow as tf
resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu='')
strategy = tf.distribute.TPUStrategy(resolver)
#### findings
2 blocker
3 blocker
#### a strategy for TPUs behind a switch
import tensorflow as tf
if FLAGS.use_tpu:
    strategy = tf.distribute.experimental.TPUStrategy(resolver)
#### findings
3 info
#### a resolver that something else uses
import tensorflow as tf
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
is_chief = resolver.task_id == 0
#### findings
2 manual
#### devices of a strategy
import tensorflow as tf
def count(strategy):
    return len(strategy.extended.worker_devices)
#### findings
3 manual
#### the default strategy
import tensorflow as tf
strategy = tf.distribute.get_strategy()
n = strategy.num_replicas_in_sync
#### one device that is the CPU
import tensorflow as tf
strategy = tf.distribute.OneDeviceStrategy(device='/cpu:0')
#### a test for a strategy
import tensorflow as tf
def is_mirrored(strategy):
    return isinstance(strategy, tf.distribute.MirroredStrategy)
#### a class of the user's with such a name
class MirroredStrategy:
    pass
strategy = MirroredStrategy()
