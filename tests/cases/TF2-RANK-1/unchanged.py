#### outside of functions that are traced
import tensorflow as tf
import horovod.tensorflow as hvd

if hvd.rank() == 0:
    tf.summary.scalar("loss", loss, step=1)
#### printing
import tensorflow as tf
import horovod.tensorflow as hvd


@tf.function
def step(x):
    if hvd.rank() == 0:
        print("traced")
    return x
#### a condition on something else
import tensorflow as tf


@tf.function
def step(x, first):
    if first:
        tf.summary.scalar("loss", x, step=1)
    return x
#### the rank of a tensor
import tensorflow as tf


@tf.function
def step(x):
    if tf.rank(x) == 0:
        x = tf.expand_dims(x, 0)
    return x
