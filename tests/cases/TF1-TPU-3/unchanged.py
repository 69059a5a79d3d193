#### another optimizer
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
#### a class of the user's
class CrossShardOptimizer(object):
    def __init__(self, opt):
        self.opt = opt
CrossShardOptimizer(opt)
#### another library
from mylib.tpu import CrossShardOptimizer
opt = CrossShardOptimizer(opt)
#### mentioned, not called
import tensorflow as tf
wrapper = tf.contrib.tpu.CrossShardOptimizer
#### a check of its type
import tensorflow as tf
print(isinstance(opt, tf.contrib.tpu.CrossShardOptimizer))
#### wrapped for the NPU
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(opt)
#### arguments that cannot be seen
import tensorflow as tf
opt = tf.contrib.tpu.CrossShardOptimizer(**options)
#### findings
2 manual
#### arguments behind a star
import tensorflow as tf
opt = tf.contrib.tpu.CrossShardOptimizer(*arguments)
#### findings
2 manual
