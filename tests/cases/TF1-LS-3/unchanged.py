#### no loss scale requested
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss)
#### loss scale switched off
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss)
#### with npu.precision_mode=allow_mix_precision npu.loss_scale=none
#### a mode that needs none
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss)
#### with npu.precision_mode=force_fp32
#### already scaled by the options module
import tensorflow as tf
from npu_options import loss_scale_optimizer
opt = loss_scale_optimizer(tf.train.AdamOptimizer(lr))
train_op = opt.minimize(loss)
#### with npu.loss_scale=dynamic
#### already scaled, and the options module is part of the project
import tensorflow as tf
from npu_options import loss_scale_optimizer
opt = loss_scale_optimizer(tf.train.AdamOptimizer(lr))
train_op = opt.minimize(loss)
#### with npu.loss_scale=dynamic
#### file npu_options.py
def loss_scale_optimizer(optimizer, is_distributed=False):
    from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
    if isinstance(optimizer, NPULossScaleOptimizer):
        return optimizer
    return NPULossScaleOptimizer(optimizer, None)
#### already scaled by hand
import tensorflow as tf
from npu_bridge.npu_init import *
opt = tf.train.AdamOptimizer(lr)
opt = NPULossScaleOptimizer(opt, manager)
train_op = opt.minimize(loss)
#### with npu.loss_scale=dynamic
#### contrib's optimizer has its own rule
import tensorflow as tf
opt = tf.contrib.mixed_precision.LossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
train_op = opt.minimize(loss)
#### with npu.loss_scale=dynamic
#### an optimizer that trains nothing here
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
#### with npu.loss_scale=dynamic
#### minimize of something else
import tensorflow as tf
import scipy.optimize
scipy.optimize.minimize(f, x0)
#### with npu.loss_scale=dynamic
#### an optimizer of the project that delegates
import tensorflow as tf
class Clipping(tf.train.Optimizer):
    def __init__(self, inner):
        self.inner = tf.train.AdamOptimizer(1e-3)
    def compute_gradients(self, loss, **kwargs):
        return self.inner.compute_gradients(loss, **kwargs)
#### with npu.loss_scale=dynamic
#### gradients past the optimizer need a person
import tensorflow as tf
def train(loss, opt):
    grads = tf.gradients(loss, tvars)
    return opt.apply_gradients(zip(grads, tvars))
#### with npu.loss_scale=dynamic
#### findings
3 manual
#### a parameter that somebody else applies
import tensorflow as tf
def gradients(opt, loss):
    return opt.compute_gradients(loss)
gradients(tf.train.AdamOptimizer(1e-3), loss)
#### with npu.loss_scale=dynamic
#### findings
3 manual
#### used before it is distributed
import horovod.tensorflow as hvd
import tensorflow as tf
def train(loss):
    opt = tf.train.AdamOptimizer(1e-3)
    norm = tf.global_norm([g for g, _ in opt.compute_gradients(loss)])
    opt = hvd.DistributedOptimizer(opt)
    return opt
#### with npu.loss_scale=dynamic
#### findings
5 manual
#### an optimizer by name
import tensorflow as tf
train_op = tf.contrib.layers.optimize_loss(loss, step, 0.1, 'Adam')
#### with npu.loss_scale=dynamic
#### findings
2 manual
#### a parameter that somebody else applies has no switch
import tensorflow as tf
def gradients(opt, loss):
    return opt.compute_gradients(loss)
gradients(tf.train.AdamOptimizer(1e-3), loss)
#### with switches=yes
#### findings
3 info
#### a switch is not requested
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss, global_step=step)
#### the loss scale is switched off for good
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss, global_step=step)
#### with switches=yes npu.loss_scale=none
