#### the new name
import tensorflow as tf


def step(strategy, batch):
    return strategy.run(train, args=(batch,))
#### a function of that name
import tensorflow as tf


def step(batch):
    return experimental_run_v2(train, args=(batch,))
#### a test
import tensorflow as tf


class StepTest(tf.test.TestCase):
    def test_step(self):
        self.strategy.experimental_run_v2(train)
#### a switch that is computed
import tensorflow as tf

options = tf.data.Options()
options.experimental_distribute.auto_shard = args.shard
#### findings
4 manual
#### the policy, and another object
import tensorflow as tf

options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
settings.auto_shard = False
