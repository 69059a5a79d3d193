#### bfloat16 layers
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
#### findings
3 manual
#### bfloat16 as an object
from tensorflow.keras import mixed_precision

policy = mixed_precision.Policy("mixed_bfloat16")
mixed_precision.set_global_policy(policy)
#### findings
3 manual
#### a tensor of bfloat16
import tensorflow as tf

x = tf.cast(x, tf.bfloat16)
#### findings
3 manual
#### a policy and a precision mode
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
#### with npu.precision_mode=allow_mix_precision
#### findings
3 manual
