#### a comparison of types holds for both
import tensorflow as tf

if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
    loss = opt.get_scaled_loss(loss)
#### the NPU's own
import npu_device as npu
import tensorflow as tf

opt = npu.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.Adam())
#### methods of an optimizer with a loss scale
import tensorflow as tf

scaled = opt.get_scaled_loss(loss)
grads = opt.get_unscaled_gradients(tape.gradient(scaled, variables))
#### a class of the project with this name
import tensorflow as tf
from mylib import LossScaleOptimizer

opt = LossScaleOptimizer(base)
