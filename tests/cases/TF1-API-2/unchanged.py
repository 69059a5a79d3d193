#### reported once a file
import tensorflow as tf
tf.set_random_seed(1)
tf.random.set_random_seed(2)
#### findings
2 info
#### deterministic kernels were requested
import tensorflow as tf
tf.set_random_seed(1)
#### with npu.deterministic=1
#### other seeds
import random
import numpy as np
import tensorflow as tf
random.seed(1)
np.random.seed(1)
x = tf.random_uniform([2], seed=3)
#### somebody else's
from other import set_random_seed
set_random_seed(1)
