#### a step of a strategy
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()


@tf.function
def step(batch):
    return strategy.experimental_run_v2(train, args=(batch,))
#### after
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()


@tf.function
def step(batch):
    return strategy.run(train, args=(batch,))
#### findings
8 auto
#### a strategy that is passed
import tensorflow as tf


def step(strategy, batch):
    return strategy.experimental_run_v2(train, (batch,), {"training": True})
#### after
import tensorflow as tf


def step(strategy, batch):
    return strategy.run(train, (batch,), {"training": True})
#### findings
5 auto
#### the sharding of options is a policy
import tensorflow as tf

options = tf.data.Options()
options.experimental_distribute.auto_shard = False
dataset = dataset.with_options(options)
others.experimental_distribute.auto_shard = True
#### after
import tensorflow as tf

options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
dataset = dataset.with_options(options)
others.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.AUTO
#### findings
4 auto
6 auto
