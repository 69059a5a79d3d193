#### by its full name
import tensorflow as tf

opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam(1e-3))
#### after
import tensorflow as tf
import npu_device

opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.Adam(1e-3))
#### findings
3 auto
#### a fixed scale
import tensorflow as tf

opt = tf.keras.mixed_precision.LossScaleOptimizer(base, dynamic=False, initial_scale=128)
#### after
import tensorflow as tf
import npu_device

opt = npu_device.train.optimizer.NpuLossScaleOptimizer(base, dynamic=False, initial_scale=128)
#### through the module
import tensorflow as tf
from tensorflow.keras import mixed_precision

opt = mixed_precision.LossScaleOptimizer(base)
#### after
import tensorflow as tf
import npu_device
from tensorflow.keras import mixed_precision

opt = npu_device.train.optimizer.NpuLossScaleOptimizer(base)
#### by its own name
import tensorflow as tf
from tensorflow.keras.mixed_precision import LossScaleOptimizer as Scaled

opt = Scaled(base, dynamic_growth_steps=1000)
#### after
import tensorflow as tf
import npu_device
from tensorflow.keras.mixed_precision import LossScaleOptimizer as Scaled

opt = npu_device.train.optimizer.NpuLossScaleOptimizer(base, dynamic_growth_steps=1000)
#### npu_device is imported already
import npu_device as npu
import tensorflow as tf

npu.open().as_default()
opt = tf.keras.mixed_precision.LossScaleOptimizer(base)
#### after
import npu_device as npu
import tensorflow as tf

npu.open().as_default()
opt = npu.train.optimizer.NpuLossScaleOptimizer(base)
#### the class of before TensorFlow 2.4
import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(base, "dynamic")
#### after
import tensorflow as tf
from npu_device.train.optimizer.npu_loss_scale_optimizer import NpuExperimentalLossScaleOptimizer

opt = NpuExperimentalLossScaleOptimizer(base, "dynamic")
#### a class of the project
import tensorflow as tf


class Scaled(tf.keras.mixed_precision.LossScaleOptimizer):
    pass
#### findings
4 manual
