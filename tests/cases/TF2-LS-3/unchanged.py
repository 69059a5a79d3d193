#### an optimizer without a loss scale
import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.1)
opt.apply_gradients(zip(grads, variables), experimental_aggregate_gradients=False)
#### without the keyword
import npu_device
import tensorflow as tf

opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
opt.apply_gradients(zip(grads, variables), name="step")
#### an optimizer nobody knows, and no loss scale anywhere
import tensorflow as tf


def step(optimizer, grads, variables):
    optimizer.apply_gradients(zip(grads, variables), experimental_aggregate_gradients=False)
