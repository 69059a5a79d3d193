#### a check of numbers
import tensorflow as tf
tf.debugging.enable_check_numerics()
#### findings
2 manual
#### TPUs
import tensorflow as tf
tf.tpu.experimental.initialize_tpu_system(resolver)
#### findings
2 blocker
#### TensorFlow Lite
import tensorflow as tf
converter = tf.lite.TFLiteConverter.from_saved_model(path)
#### findings
2 manual
#### in dispute
import tensorflow as tf
y = tf.einsum('ab,bc->ac', a, b)
z = tf.einsum('ab,bc->ac', b, a)
#### findings
2 info
#### a layer in dispute
from tensorflow.keras import layers
x = layers.Bidirectional(layers.LSTM(8))(x)
#### findings
2 info
#### TPUs behind a switch
import tensorflow as tf
if use_tpu:
    tf.tpu.experimental.initialize_tpu_system(resolver)
#### findings
3 info
#### TPUs, once behind a switch and once not
import tensorflow as tf
if use_tpu:
    tf.tpu.experimental.initialize_tpu_system(resolver)
tf.tpu.experimental.shutdown_tpu_system(resolver)
#### findings
4 blocker
