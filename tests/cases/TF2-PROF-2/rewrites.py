#### the profiler of TensorFlow 2
import tensorflow as tf

tf.profiler.experimental.start("logs")
train()
tf.profiler.experimental.stop()
#### findings
3 info
#### as a context
import tensorflow as tf

with tf.profiler.experimental.Profile("logs"):
    train()
#### findings
3 info
