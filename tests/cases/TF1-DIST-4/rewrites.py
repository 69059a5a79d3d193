#### an optimizer
import tensorflow as tf
opt = tf.train.AdamOptimizer(0.1)  # adam
train_op = opt.minimize(loss)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(0.1))  # adam
train_op = opt.minimize(loss)
#### findings
2 auto
#### minimised in place, over several lines
import tensorflow as tf
train_op = tf.train.GradientDescentOptimizer(
    0.1,  # rate
).minimize(loss)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
train_op = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(
    0.1,  # rate
)).minimize(loss)
#### a factory of the user's: the class is wrapped inside, not the call of the factory
import tensorflow as tf
def build_optimizer(lr, momentum):
    if momentum:
        return tf.train.MomentumOptimizer(lr, momentum)
    return tf.train.GradientDescentOptimizer(lr)
opt = build_optimizer(0.1, 0.9)
op = opt.minimize(loss)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def build_optimizer(lr, momentum):
    if momentum:
        return npu_distributed_optimizer_wrapper(tf.train.MomentumOptimizer(lr, momentum))
    return npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(lr))
opt = build_optimizer(0.1, 0.9)
op = opt.minimize(loss)
#### findings
4 auto
5 auto
#### an optimizer around an optimizer: the inner one averages
import tensorflow as tf
opt = tf.train.AdamOptimizer(0.1)
opt = tf.contrib.opt.MovingAverageOptimizer(opt)
op = opt.minimize(loss)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(0.1))
opt = tf.contrib.opt.MovingAverageOptimizer(opt)
op = opt.minimize(loss)
#### findings
2 auto
#### a class chosen by a switch, and one of the user's
import tensorflow as tf
class Decay(tf.train.AdamOptimizer):
    pass
cls = tf.train.AdamOptimizer if adam else tf.train.FtrlOptimizer
a = cls(0.1)
b = Decay(0.2)
a.minimize(x); b.minimize(y)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
class Decay(tf.train.AdamOptimizer):
    pass
cls = tf.train.AdamOptimizer if adam else tf.train.FtrlOptimizer
a = npu_distributed_optimizer_wrapper(cls(0.1))
b = npu_distributed_optimizer_wrapper(Decay(0.2))
a.minimize(x); b.minimize(y)
#### inside a model_fn
import tensorflow as tf
def model_fn(features, labels, mode):
    optimizer = tf.train.MomentumOptimizer(learning_rate=0.1, momentum=0.9)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def model_fn(features, labels, mode):
    optimizer = npu_distributed_optimizer_wrapper(tf.train.MomentumOptimizer(learning_rate=0.1, momentum=0.9))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
#### gradients computed, clipped and applied
import tensorflow as tf
opt = tf.train.AdamOptimizer()
grads = opt.compute_gradients(loss)
op = opt.apply_gradients(grads)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
opt = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer())
grads = opt.compute_gradients(loss)
op = opt.apply_gradients(grads)
#### a class that is chosen by name
import tensorflow as tf


def build(loss, optimizer_class, rate):
    optimizer = optimizer_class(rate)
    towers = [optimizer.compute_gradients(loss) for _ in range(2)]
    return optimizer.apply_gradients(average(towers))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper


def build(loss, optimizer_class, rate):
    optimizer = npu_distributed_optimizer_wrapper(optimizer_class(rate))
    towers = [optimizer.compute_gradients(loss) for _ in range(2)]
    return optimizer.apply_gradients(average(towers))
#### findings
5 auto-check
