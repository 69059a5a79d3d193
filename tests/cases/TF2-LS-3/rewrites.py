#### the NPU's optimizer
import npu_device
import tensorflow as tf

opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
opt.apply_gradients(zip(grads, variables), experimental_aggregate_gradients=False)
#### after
import npu_device
import tensorflow as tf

opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
opt.apply_gradients(zip(grads, variables))
#### findings
5 auto
#### Keras' own, which becomes the NPU's
import tensorflow as tf

opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
opt.apply_gradients(
    zip(grads, variables),
    experimental_aggregate_gradients=False,
)
#### after
import tensorflow as tf

opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
opt.apply_gradients(
    zip(grads, variables),
)
#### an optimizer nobody knows, where losses are scaled
import tensorflow as tf
from tensorflow.keras.mixed_precision import LossScaleOptimizer


def step(optimizer, grads, variables):
    optimizer.apply_gradients(zip(grads, variables), experimental_aggregate_gradients=False)
#### findings
6 possible
