#### names that both have
import tensorflow as tf
tf.random.set_seed(1)
optimizer = tf.keras.optimizers.Adam(0.1)
dataset = tf.data.Dataset.range(9)
#### names that nobody knows
import tensorflow as tf
tf.no_such_name()
#### compat.v1
import tensorflow as tf
tf.compat.v1.set_random_seed(1)
#### another package
import numpy as np
np.random.default_rng(1)
