#### all seeds at once
import tensorflow as tf
tf.keras.utils.set_random_seed(1)
#### findings
2 manual
#### optimizers of before
import tensorflow as tf
optimizer = tf.keras.optimizers.legacy.Adam(0.1)
#### findings
2 manual
#### deterministic kernels
import tensorflow as tf
tf.config.experimental.enable_op_determinism()
#### findings
2 manual
#### another one
from tensorflow.keras.optimizers import AdamW
optimizer = AdamW(0.1)
other = AdamW(0.2)
#### findings
2 manual
