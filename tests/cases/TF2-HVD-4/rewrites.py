#### an optimizer
import tensorflow as tf
import horovod.tensorflow.keras as hvd
opt = tf.keras.optimizers.Adam(0.001 * hvd.size())
opt = hvd.DistributedOptimizer(opt)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow.keras as hvd
opt = tf.keras.optimizers.Adam(0.001 * hvd.size())
opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(opt)
#### findings
4 auto
#### in compile, of horovod.keras
import tensorflow as tf
import horovod.keras as hvd
model.compile(optimizer=hvd.DistributedOptimizer(tf.keras.optimizers.SGD(0.1)), loss='mse')
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.keras as hvd
model.compile(optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.SGD(0.1)), loss='mse')
#### findings
3 auto
#### given options
import tensorflow as tf
import horovod.tensorflow.keras as hvd
opt = hvd.DistributedOptimizer(
    opt, backward_passes_per_step=2,
    average_aggregated_gradients=True)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow.keras as hvd
opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(
    opt)
#### findings
3 auto-check
#### a sum
import tensorflow as tf
import horovod.tensorflow as hvd
opt = hvd.DistributedOptimizer(opt, op=hvd.Sum)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(opt, reduce_reduction='sum')
#### findings
3 auto
#### around a loss-scaling one
import tensorflow as tf
import horovod.tensorflow as hvd
opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
opt = hvd.DistributedOptimizer(opt)
#### with distributed=horovod
#### after
import tensorflow as tf
import npu_device
import horovod.tensorflow as hvd
opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(opt)
#### findings
4 auto-check
