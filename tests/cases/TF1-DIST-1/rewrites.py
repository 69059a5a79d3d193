#### a strategy and its scope
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
with strategy.scope():  # copies
    model = build()

    # compiled here
    model.compile('sgd')
model.fit(x)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
# copies
model = build()

# compiled here
model.compile('sgd')
model.fit(x)
#### findings
2 auto-check
#### the number of replicas
import tensorflow as tf
def main():
    strategy = tf.distribute.MirroredStrategy(devices=['/gpu:0', '/gpu:1'])
    batch = 32 * strategy.num_replicas_in_sync
    with strategy.scope():
        train(batch)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
def main():
    batch = 32 * int(os.getenv('RANK_SIZE', '1'))
    train(batch)
#### for one device the number is one
import tensorflow as tf
s = tf.contrib.distribute.OneDeviceStrategy('/gpu:0')
n = s.num_replicas_in_sync
#### after
import tensorflow as tf
n = 1
#### a count guarded by the strategy
import tensorflow as tf
def run(multi):
    strategy = tf.distribute.MirroredStrategy() if multi else None
    n = strategy.num_replicas_in_sync if strategy else 1
    return n
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
def run(multi):
    strategy = None if multi else None
    n = int(os.getenv('RANK_SIZE', '1'))
    return n
#### made in place
import tensorflow as tf
with tf.distribute.MirroredStrategy().scope():
    model = build()
#### with distributed=tf_strategy
#### after
import tensorflow as tf
model = build()
#### for an Estimator the strategy becomes None
import tensorflow as tf
strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=4)
config = tf.estimator.RunConfig(train_distribute=strategy)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
strategy = None
config = tf.estimator.RunConfig(train_distribute=strategy)
#### a function that chooses one
import tensorflow as tf
def choose(n):
    if n > 1:
        return tf.distribute.MirroredStrategy(
            devices=['/gpu:%d' % i for i in range(n)])  # all
    return tf.distribute.OneDeviceStrategy('/gpu:0')
strategy = choose(2)
with strategy.scope():
    build()
#### with distributed=tf_strategy
#### after
import tensorflow as tf
def choose(n):
    if n > 1:
        return None  # all
    return None
strategy = choose(2)
build()
#### findings
4 auto-check
#### scopes in another file
import tensorflow as tf
import model
strategy = tf.distribute.MirroredStrategy()
model.build(strategy)
#### file model.py
def build(strategy):
    with strategy.scope():
        return 1
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import model
strategy = None
model.build(strategy)
#### a strategy of another file
import strategies
strategy = strategies.make()
with strategy.scope():
    print(strategy.num_replicas_in_sync)
#### file strategies.py
import tensorflow as tf
def make():
    return tf.distribute.MirroredStrategy()
#### with distributed=tf_strategy
#### after
import os
import strategies
strategy = strategies.make()
print(int(os.getenv('RANK_SIZE', '1')))
#### findings
3 auto-check
4 auto
#### a custom loop
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
data = strategy.experimental_distribute_dataset(dataset)
losses = strategy.experimental_run_v2(step, args=(x, y + 1))
loss = strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from npu_bridge.npu_init import npu_allreduce
data = dataset.shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
losses = step(x, y + 1)
loss = npu_allreduce(losses, reduction="mean")
#### Keras of TF 1.13
import tensorflow as tf
strategy = tf.contrib.distribute.MirroredStrategy()
model = tf.keras.Sequential()
model.compile('sgd', loss='mse', distribute=strategy)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('sgd', loss='mse')
#### the private path of TensorFlow
from tensorflow.python.distribute.mirrored_strategy import MirroredStrategy
s = MirroredStrategy()
with s.scope():
    build()
#### with distributed=tf_strategy
#### after
from tensorflow.python.distribute.mirrored_strategy import MirroredStrategy
build()
#### a strategy beside Horovod, which has initialised HCCL
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.init()
strategy = tf.distribute.MirroredStrategy()
n = strategy.num_replicas_in_sync
#### with distributed=horovod
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
from hccl.manage.api import get_rank_size
hvd.init()
n = get_rank_size()
