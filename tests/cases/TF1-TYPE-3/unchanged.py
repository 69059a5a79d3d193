#### a bfloat16 tensor is made
import tensorflow as tf
x = tf.cast(x, tf.bfloat16)
v = tf.get_variable('v', [3], dtype=tf.bfloat16)
#### findings
2 manual
3 manual
#### the scope of TPU scripts
import tensorflow as tf
with tf.contrib.tpu.bfloat16_scope():
    logits = net(x)
#### findings
2 manual
#### the type is tested
import tensorflow as tf
if x.dtype == tf.bfloat16:
    pass
#### float16
import tensorflow as tf
x = tf.cast(x, tf.float16)
#### a table of types
import tensorflow as tf
TYPES = {'bf16': tf.bfloat16}
#### somebody else's call
import tensorflow as tf
run(dtype=tf.bfloat16)
