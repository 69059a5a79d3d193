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
#### a strategy for TPUs where one is found
import tensorflow as tf
try:
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
    strategy = tf.distribute.TPUStrategy(resolver)
except ValueError:
    strategy = tf.distribute.get_strategy()
#### findings
3 info
4 info
#### a strategy for TPUs whose error stops the program
import tensorflow as tf
try:
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
except ValueError:
    raise RuntimeError('no TPU')
#### findings
3 blocker
#### a strategy for TPUs behind an early return
import tensorflow as tf
def make(use_tpu):
    if not use_tpu:
        return tf.distribute.get_strategy()
    return tf.distribute.TPUStrategy(tf.distribute.cluster_resolver.TPUClusterResolver())
#### findings
5 info
5 info
#### a strategy for TPUs in a function that one branch calls
import tensorflow as tf
def for_tpu(name):
    return tf.distribute.TPUStrategy(tf.distribute.cluster_resolver.TPUClusterResolver(name))
def make(kind):
    if kind == 'tpu':
        return for_tpu('')
    return tf.distribute.get_strategy()
#### findings
3 info
3 info
#### a strategy for TPUs in a function that is called anyway
import tensorflow as tf
def for_tpu(name):
    return tf.distribute.TPUStrategy(name)
def make(kind):
    if kind == 'tpu':
        return for_tpu('')
    return for_tpu('other')
#### findings
3 blocker
#### a strategy for TPUs where no name says that there is none
import tensorflow as tf
if tpu is None:
    strategy = tf.distribute.get_strategy()
else:
    strategy = tf.distribute.TPUStrategy(tpu)
#### findings
5 info
#### a strategy for TPUs in the wrong branch
import tensorflow as tf
if use_tpu:
    strategy = tf.distribute.get_strategy()
else:
    strategy = tf.distribute.TPUStrategy(tpu)
#### findings
5 blocker
#### resolvers of other objects, and what no rank can say
import tensorflow as tf
strategy = tf.distribute.get_strategy()
print(strategy.cluster_resolver.master())
print(self.cluster_resolver.task_type, job.task_id)
print(strategy.cluster_resolver is None)
#### findings
3 manual
