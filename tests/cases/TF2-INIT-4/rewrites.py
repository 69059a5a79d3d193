#### before the model
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(max(2, cores - 2))
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
#### after
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
#### findings
3 auto-check
4 auto-check
#### alone in a branch
import tensorflow as tf


def set_flags(params):
    if params.threads:
        tf.config.threading.set_intra_op_parallelism_threads(params.threads)
    tf.keras.backend.clear_session()
#### after
import tensorflow as tf


def set_flags(params):
    tf.keras.backend.clear_session()
#### findings
6 auto-check
