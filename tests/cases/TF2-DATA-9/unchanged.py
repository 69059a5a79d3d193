#### prefetch on the host
import tensorflow as tf
dataset = dataset.prefetch(tf.data.AUTOTUNE)
#### another transformation
import tensorflow as tf
dataset = dataset.apply(tf.data.experimental.ignore_errors())
