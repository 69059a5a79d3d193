#### deterministic kernels were requested
import tensorflow as tf
tf.random.set_seed(1)
#### with npu.deterministic=1
#### numpy
import numpy as np
import tensorflow as tf
np.random.seed(1)
#### a seed of an operator
import tensorflow as tf
x = tf.random.normal([2], seed=1)
