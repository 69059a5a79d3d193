#### a policy by name
import tensorflow as tf
tf.keras.mixed_precision.experimental.set_policy('mixed_float16')  # fast
x = 1
#### after
import tensorflow as tf
# fast
x = 1
#### findings
2 auto-check
#### the first policies of TF 1.15, imported
from tensorflow.keras.mixed_precision import experimental as mixed
if fp16:
    mixed.set_policy('infer_float32_vars')
#### after
from tensorflow.keras.mixed_precision import experimental as mixed
if fp16:
    pass
#### a policy object
import tensorflow as tf
policy = tf.keras.mixed_precision.experimental.Policy('mixed_float16', loss_scale=128)
tf.keras.mixed_precision.experimental.set_policy(policy)
#### after
import tensorflow as tf
policy = tf.keras.mixed_precision.experimental.Policy('mixed_float16', loss_scale=128)
#### a precision mode is requested
import tensorflow as tf
def main():
    tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
    train()
#### with npu.precision_mode=allow_mix_precision
#### after
import tensorflow as tf
def main():
    train()
