#### already the NPU's
from npu_bridge.npu_init import *
opt = NPULossScaleOptimizer(opt, manager)
#### the all-in-one optimizer
from npu_bridge.npu_init import *
opt = NPUOptimizer(opt, manager, is_loss_scale=True)
#### Keras has its own rule
import tensorflow as tf
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')
#### a class of the project
class LossScaleOptimizer:
    pass
import tensorflow as tf
opt = LossScaleOptimizer()
#### a subclass must be derived anew
import tensorflow as tf
class Mine(tf.contrib.mixed_precision.LossScaleOptimizer):
    pass
#### findings
2 manual
#### a loss scale that cannot be followed
import tensorflow as tf
def wrap(opt, loss_scale):
    return tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, loss_scale)
#### findings
3 manual
#### arguments that cannot be seen
import tensorflow as tf
opt = tf.contrib.mixed_precision.LossScaleOptimizer(*arguments)
#### findings
2 manual
#### distributing around scaling is the wrong way round
import horovod.tensorflow as hvd
from npu_bridge.npu_init import *
opt = NPULossScaleOptimizer(opt, manager)
opt = hvd.DistributedOptimizer(opt)
#### findings
4 manual
#### scaling around distributing is right
import horovod.tensorflow as hvd
import tensorflow as tf
from npu_bridge.npu_init import *
opt = tf.train.AdamOptimizer(lr)
opt = hvd.DistributedOptimizer(opt)
opt = NPULossScaleOptimizer(opt, manager, is_distributed=True)
#### loss scaled by hand stays
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss * 512)
