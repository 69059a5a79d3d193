#### one device
import tensorflow as tf
grads = tf.gradients(loss, tvars)
op = opt.apply_gradients(zip(grads, tvars))
#### Horovod reduces its own way
import tensorflow as tf
grads = tf.gradients(loss, tvars)
op = opt.apply_gradients(zip(grads, tvars))
#### with distributed=horovod
#### a gradient penalty is not applied
import tensorflow as tf
grads = tf.gradients(critic, x)[0]
penalty = tf.reduce_mean(tf.square(grads))
op = opt.minimize(loss)
#### with distributed=tf_strategy
#### applied in another function
import tensorflow as tf
def f(loss):
    grads = tf.gradients(loss, tvars)
    return grads
#### with distributed=tf_strategy
#### findings
3 manual
#### other gradients are applied
import tensorflow as tf
saliency = tf.gradients(loss, x)
op = opt.apply_gradients(opt.compute_gradients(loss))
#### with distributed=tf_strategy
#### reduced already
import tensorflow as tf
from npu_bridge.npu_init import npu_allreduce
grads = npu_allreduce(tf.gradients(loss, tvars))
op = opt.apply_gradients(zip(grads, tvars))
#### with distributed=tf_strategy
#### reduced on the next line
import tensorflow as tf
from npu_bridge.estimator.npu.npu_optimizer import npu_allreduce
grads = tf.gradients(loss, tvars)
grads = npu_allreduce(grads)
op = opt.apply_gradients(zip(grads, tvars))
#### with distributed=tf_strategy
#### somebody else's gradients
import mathlib as tf
grads = tf.gradients(loss, tvars)
op = opt.apply_gradients(zip(grads, tvars))
#### with distributed=tf_strategy
#### a penalty on the gradients of inputs
import tensorflow as tf


def penalty(critic, mixed):
    slope = tf.gradients(critic(mixed), [mixed])[0]
    return tf.reduce_mean(tf.square(tf.norm(slope) - 1.0))
#### with distributed=tf_strategy
