#### the step of a schedule
import tensorflow as tf
step = tf.train.get_or_create_global_step()
lr = tf.train.piecewise_constant(step, [10], [0.1, 0.01])
lr = tf.train.exponential_decay(0.1, global_step=step, decay_steps=10, decay_rate=0.9)
#### findings
3 info
4 info
#### the labels of an accuracy
import tensorflow as tf
accuracy = tf.metrics.accuracy(labels, predictions)
#### findings
2 info
#### already cast
import tensorflow as tf
lr = tf.train.piecewise_constant(tf.cast(step, tf.int32), [10], [0.1, 0.01])
accuracy = tf.metrics.accuracy(tf.cast(labels, tf.float32), predictions)
#### other metrics
import tensorflow as tf
value = tf.metrics.mean(loss)
#### somebody else's schedule
from mylib import train
lr = train.exponential_decay(0.1, step)
