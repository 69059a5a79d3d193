#### a use nobody knows an edit for
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    build()
strategy.extended.call_for_each_replica(step)
#### with distributed=tf_strategy
#### findings
2 manual
#### a scope entered by hand
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
stack.enter_context(strategy.scope())
#### with distributed=tf_strategy
#### findings
2 manual
#### two contexts in one statement
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
with strategy.scope(), other():
    build()
#### with distributed=tf_strategy
#### findings
2 manual
#### a count that only a strategy's branch reaches
import tensorflow as tf
def run(multi):
    strategy = tf.distribute.MirroredStrategy() if multi else None
    n = 1
    if strategy is not None:
        n = strategy.num_replicas_in_sync
    return n
#### with distributed=tf_strategy
#### findings
3 manual
#### handed to another library
import tensorflow as tf
from library import train
train(tf.distribute.MirroredStrategy())
#### with distributed=tf_strategy
#### findings
3 manual
#### the uses in another file cannot be removed
import tensorflow as tf
import model
strategy = tf.distribute.MirroredStrategy()
model.build(strategy)
#### file model.py
def build(strategy):
    return strategy.configure()
#### with distributed=tf_strategy
#### findings
3 manual
#### parameter servers are the Estimator's business
import tensorflow as tf
strategy = tf.distribute.experimental.ParameterServerStrategy()
config = tf.estimator.RunConfig(train_distribute=strategy)
#### a TPU
import tensorflow as tf
strategy = tf.distribute.experimental.TPUStrategy(resolver)
#### findings
2 blocker
#### a TPU behind a switch
import tensorflow as tf
if FLAGS.use_tpu:
    strategy = tf.contrib.distribute.TPUStrategy(resolver)
#### findings
3 info
#### somebody else's strategy
from trading import MirroredStrategy
strategy = MirroredStrategy()
with strategy.scope():
    buy()
#### scopes of something else
import tensorflow as tf
with limiter.scope():
    x = cache.reduce(1, 2)
    n = pool.num_replicas_in_sync
#### the class handed on
import tensorflow as tf
KINDS = {'mirrored': tf.distribute.MirroredStrategy}
#### no strategy left
import tensorflow as tf
strategy = None
config = tf.estimator.RunConfig(train_distribute=strategy)
