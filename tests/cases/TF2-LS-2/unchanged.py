#### no policy
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
#### a policy that mixes nothing
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
#### bfloat16 needs no loss scale
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
#### the NPU's optimizer already
import npu_device
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.Adam())
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(opt, "mse")
#### Keras' own, which another rule replaces
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam())
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(opt, "mse")
#### compile of something else
import re
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
pattern = re.compile("x")
