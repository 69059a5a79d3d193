#### what only a TPU has
import tensorflow as tf
from tensorflow.contrib import tpu
loss = tpu.rewrite(computation, inputs)
sess.run(tf.contrib.tpu.initialize_system())
#### findings
3 blocker
4 blocker
#### behind a switch
import tensorflow as tf
if FLAGS.use_tpu:
    with tf.contrib.tpu.bfloat16_scope():
        build()
axis = tf.tpu.cross_replica_sum(x) if on_tpu else x
#### findings
3 info
5 info
#### what works without one
import tensorflow as tf
tf.contrib.tpu.TPUEstimator
tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2
#### names of other modules
import numpy as np
np.repeat([1], 2)
import tensorflow as tf
tf.while_loop(c, b, v)
