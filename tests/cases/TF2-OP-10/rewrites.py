#### a logarithm
import tensorflow as tf

p = tf.math.log(p + 1e-10)
#### findings
3 info
#### under mixed precision
import tensorflow as tf

p = tf.math.log(p + 1e-10)
q = tf.sqrt(v + 1e-12)
r = tf.nn.l2_normalize(x, axis=1)
n = tf.keras.layers.LayerNormalization(epsilon=1e-12)
m = tf.maximum(x, 1e-9)
#### with npu.precision_mode=allow_mix_precision
#### findings
3 manual
4 manual
5 manual
6 manual
7 manual
