#### a summary on one rank
import tensorflow as tf
import horovod.tensorflow as hvd


@tf.function
def step(x):
    if hvd.rank() == 0:
        tf.summary.scalar("loss", x, step=1)
    return x
#### findings
8 blocker
#### a variable of the environment, in a layer
import os
import tensorflow as tf

rank = int(os.getenv("RANK_ID", "0"))


class Layer(tf.keras.layers.Layer):
    def call(self, x):
        if rank == 0:
            x = tf.debugging.check_numerics(x, "x")
        return x
#### findings
10 blocker
