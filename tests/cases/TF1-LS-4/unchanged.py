#### global step given
import tensorflow as tf
from npu_bridge.npu_init import *
opt = NPULossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
train_op = opt.minimize(loss, global_step=step)
other = opt.apply_gradients(grads, step)
#### global step missing
import tensorflow as tf
opt = tf.contrib.mixed_precision.LossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
train_op = opt.apply_gradients(grads)
#### findings
3 manual
#### global step missing on the NPU's optimizer
import tensorflow as tf
from npu_bridge.npu_init import *
opt = NPULossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
train_op = opt.minimize(loss)
other = opt.minimize(loss, global_step=None)
#### findings
4 manual
5 manual
#### global step missing where a loss scale is requested
import tensorflow as tf
train_op = tf.train.AdamOptimizer(lr).minimize(loss)
#### with npu.loss_scale=dynamic
#### findings
2 manual
#### without a loss scale it may be missing
import tensorflow as tf
train_op = tf.train.AdamOptimizer(lr).minimize(loss)
#### arguments that cannot be seen
import tensorflow as tf
train_op = tf.train.AdamOptimizer(lr).minimize(loss, **options)
#### with npu.loss_scale=dynamic
#### global step counted by hand
import tensorflow as tf
step = tf.train.get_or_create_global_step()
opt = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager)
train_op = opt.apply_gradients(grads, global_step=step)
train_op = tf.group(train_op, step.assign(step + 1), tf.assign_add(step, 1))
#### findings
5 manual
5 manual
#### another variable is assigned
import tensorflow as tf
count = tf.Variable(0)
opt = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager)
train_op = tf.assign_add(count, 1)
#### two scaled optimizers in one run
import tensorflow as tf
a = tf.contrib.mixed_precision.LossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
b = tf.contrib.mixed_precision.LossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
d_op = a.minimize(d_loss, step)
g_op = b.minimize(g_loss, step)
with tf.Session() as sess:
    sess.run([d_op, g_op])
#### findings
7 manual
#### two scaled optimizers one after the other
import tensorflow as tf
a = tf.contrib.mixed_precision.LossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
b = tf.contrib.mixed_precision.LossScaleOptimizer(tf.train.AdamOptimizer(lr), manager)
d_op = a.minimize(d_loss, step)
g_op = b.minimize(g_loss, step)
with tf.Session() as sess:
    sess.run([d_op, d_loss])
    sess.run([g_op, g_loss])
