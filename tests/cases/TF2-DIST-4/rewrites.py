#### a loss that is divided by the batch of all devices
import tensorflow as tf
strategy = tf.distribute.get_strategy()
def step(inputs):
    x, y = inputs
    return tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=64)
@tf.function
def train_step(inputs):
    losses = strategy.run(step, args=(inputs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
strategy = tf.distribute.get_strategy()
def step(inputs):
    x, y = inputs
    return tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=64)
@tf.function
def train_step(inputs):
    losses = strategy.run(step, args=(inputs,))
    return npu_device.distribute.all_reduce(strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None), 'sum')
#### findings
9 auto
#### a mean, and the names as texts
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
loss = strategy.reduce('MEAN', losses, axis=None)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
strategy = tf.distribute.MirroredStrategy()
loss = npu_device.distribute.all_reduce(strategy.reduce('MEAN', losses, axis=None), 'mean')
#### findings
3 auto
#### a sum over replicas of means that were divided by their number
import tensorflow as tf
strategy = tf.distribute.get_strategy()
def step(x):
    loss = tf.reduce_mean(model(x))
    return loss / strategy.num_replicas_in_sync
def train_step(x):
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(x,)), axis=None)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
strategy = tf.distribute.get_strategy()
def step(x):
    loss = tf.reduce_mean(model(x))
    return loss / strategy.num_replicas_in_sync
def train_step(x):
    return npu_device.distribute.all_reduce(strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(x,)), axis=None), 'mean')
#### findings
7 auto-check
#### the average over a device and over the replicas, which are one now
import tensorflow as tf
strategy = tf.distribute.get_strategy()
def step(inputs):
    x, y = inputs
    return tf.nn.compute_average_loss(loss_object(y, model(x)))
def train_step(inputs):
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(inputs,)), axis=None)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
strategy = tf.distribute.get_strategy()
def step(inputs):
    x, y = inputs
    return tf.nn.compute_average_loss(loss_object(y, model(x)))
def train_step(inputs):
    return npu_device.distribute.all_reduce(strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(inputs,)), axis=None), 'mean')
#### findings
7 auto-check
#### a sum that may be one of means
import tensorflow as tf
strategy = tf.distribute.get_strategy()
total = strategy.reduce(tf.distribute.ReduceOp.SUM, counts, axis=None)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
strategy = tf.distribute.get_strategy()
total = npu_device.distribute.all_reduce(strategy.reduce(tf.distribute.ReduceOp.SUM, counts, axis=None), 'sum')
#### findings
3 auto-check
#### inside a replica
import tensorflow as tf
def step(grads):
    context = tf.distribute.get_replica_context()
    return context.all_reduce(tf.distribute.ReduceOp.SUM, grads)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def step(grads):
    context = tf.distribute.get_replica_context()
    return npu_device.distribute.all_reduce(grads, 'sum')
#### findings
4 auto
