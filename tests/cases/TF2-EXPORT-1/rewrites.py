#### the NPU's gelu, and an export
import npu_device
import tensorflow as tf

x = tf.keras.Input([4])
model = tf.keras.Model(x, npu_device.ops.gelu(x))
model.save("out")
tf.saved_model.save(model, "out")
#### findings
6 manual
7 manual
