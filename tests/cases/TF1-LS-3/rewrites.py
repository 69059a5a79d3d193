#### the optimizer is wrapped where it is made
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss, global_step=step)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
opt = loss_scale_optimizer(tf.train.AdamOptimizer(lr))
train_op = opt.minimize(loss, global_step=step)
#### findings
2 auto-check
#### a mixed precision mode asks for it, and ranks agree
import tensorflow as tf
def train(loss):
    return tf.train.MomentumOptimizer(
        0.1, momentum=0.9).minimize(loss)  # go
#### with npu.precision_mode=allow_mix_precision distributed=horovod
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
def train(loss):
    return loss_scale_optimizer(tf.train.MomentumOptimizer(
        0.1, momentum=0.9), is_distributed=True).minimize(loss)  # go
#### outside of what distributes, once for several uses
import horovod.tensorflow as hvd
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
opt = hvd.DistributedOptimizer(opt)
grads = opt.compute_gradients(loss)
more = opt.compute_gradients(other)
train_op = opt.apply_gradients(grads)
#### with npu.loss_scale=1024 distributed=horovod
#### after
import horovod.tensorflow as hvd
import tensorflow as tf
from npu_options import loss_scale_optimizer
opt = tf.train.AdamOptimizer(lr)
opt = loss_scale_optimizer(hvd.DistributedOptimizer(opt), is_distributed=True)
grads = opt.compute_gradients(loss)
more = opt.compute_gradients(other)
train_op = opt.apply_gradients(grads)
#### findings
4 auto-check
#### several ways to make it: scaled right before its use
import tensorflow as tf
def model_fn(loss, adam):
    if adam:
        opt = tf.train.AdamOptimizer(1e-3)
    else:
        opt = tf.train.GradientDescentOptimizer(1e-2)
    return opt.minimize(loss)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
def model_fn(loss, adam):
    if adam:
        opt = tf.train.AdamOptimizer(1e-3)
    else:
        opt = tf.train.GradientDescentOptimizer(1e-2)
    opt = loss_scale_optimizer(opt)
    return opt.minimize(loss)
#### an attribute of the object
import tensorflow as tf
class Trainer:
    def __init__(self):
        self.opt = tf.train.AdamOptimizer(1e-3)
    def train(self, loss):
        return self.opt.minimize(loss)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
class Trainer:
    def __init__(self):
        self.opt = loss_scale_optimizer(tf.train.AdamOptimizer(1e-3))
    def train(self, loss):
        return self.opt.minimize(loss)
#### slim's train operator
import tensorflow as tf
slim = tf.contrib.slim
opt = tf.train.RMSPropOptimizer(0.1)
train_op = slim.learning.create_train_op(loss, opt)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
slim = tf.contrib.slim
opt = loss_scale_optimizer(tf.train.RMSPropOptimizer(0.1))
train_op = slim.learning.create_train_op(loss, opt)
#### a factory of the project
import tensorflow as tf
def make(name):
    return tf.train.AdamOptimizer(1e-3)
opt = make('adam')
train_op = opt.minimize(loss)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
def make(name):
    return tf.train.AdamOptimizer(1e-3)
opt = loss_scale_optimizer(make('adam'))
train_op = opt.minimize(loss)
#### in both branches
import tensorflow as tf
def train(opt, one, other, first):
    if first:
        op = opt.minimize(one)
    else:
        op = opt.minimize(other)
    return op
train(tf.train.AdamOptimizer(1e-3), a, b, True)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
def train(opt, one, other, first):
    if first:
        opt = loss_scale_optimizer(opt)
        op = opt.minimize(one)
    else:
        opt = loss_scale_optimizer(opt)
        op = opt.minimize(other)
    return op
train(tf.train.AdamOptimizer(1e-3), a, b, True)
#### a parameter that is applied in the same function
import tensorflow as tf
def train(opt, loss):
    grads = opt.compute_gradients(loss)
    return opt.apply_gradients(grads)
train(tf.train.AdamOptimizer(1e-3), loss)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
def train(opt, loss):
    opt = loss_scale_optimizer(opt)
    grads = opt.compute_gradients(loss)
    return opt.apply_gradients(grads)
train(tf.train.AdamOptimizer(1e-3), loss)
#### two parameters
import tensorflow as tf
def train(one, other, loss):
    return one.minimize(loss), other.minimize(loss)
train(tf.train.AdamOptimizer(1e-3), tf.train.AdamOptimizer(1e-4), loss)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
def train(one, other, loss):
    one = loss_scale_optimizer(one)
    other = loss_scale_optimizer(other)
    return one.minimize(loss), other.minimize(loss)
train(tf.train.AdamOptimizer(1e-3), tf.train.AdamOptimizer(1e-4), loss)
#### a switch that a launch script can set later
import tensorflow as tf
opt = tf.train.AdamOptimizer(lr)
train_op = opt.minimize(loss, global_step=step)
#### with switches=yes
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
opt = loss_scale_optimizer(tf.train.AdamOptimizer(lr))
train_op = opt.minimize(loss, global_step=step)
#### findings
2 auto
