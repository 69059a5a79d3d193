#### numbers that float16 holds
import tensorflow as tf

p = tf.math.log(p + 1e-5)
n = tf.keras.layers.LayerNormalization(epsilon=1e-6)
#### without mixed precision, a default
import tensorflow as tf

r = tf.nn.l2_normalize(x, axis=1)
#### on the host
import tensorflow as tf

ds = tf.data.Dataset.range(3).map(lambda x: tf.math.log(x + 1e-10))
#### sums of something else
import tensorflow as tf

x = y + 1e-10
