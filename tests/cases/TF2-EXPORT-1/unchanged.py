#### no operator of the NPU
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.save("out")
tf.saved_model.save(model, "out")
#### weights only
import npu_device
import tensorflow as tf

x = tf.keras.Input([4])
model = tf.keras.Model(x, npu_device.ops.gelu(x))
model.save_weights("out")
