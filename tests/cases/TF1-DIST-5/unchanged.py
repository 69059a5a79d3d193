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
#### gradients of gradients
import tensorflow as tf
variables = tf.trainable_variables()
grads = tf.gradients(loss, variables)
penalty = tf.add_n([tf.reduce_sum(tf.square(g)) for g in grads])
second = tf.gradients(penalty, inputs)
#### with distributed=tf_strategy
#### findings
3 manual
#### the inner step of learning to learn
import tensorflow as tf
def inner(loss, weights):
    grads = tf.gradients(loss, list(weights.values()))
    return dict(zip(weights.keys(), [w - 0.1 * g for w, g in zip(weights.values(), grads)]))
#### with distributed=tf_strategy
#### findings
3 manual
#### averaged by the function of an earlier run
import os
import tensorflow as tf
from npu_bridge.npu_init import npu_allreduce


def npu_average(gradients):
    """Average gradients over the ranks; with one rank they stay as they are."""
    if int(os.getenv("RANK_SIZE", "1")) < 2:
        return gradients
    averaged = []
    for gradient in gradients:
        rows = gradient.values if isinstance(gradient, tf.IndexedSlices) else None
        if rows is not None and not rows.shape.is_fully_defined():
            gradient = tf.convert_to_tensor(gradient)  # ranks differ in rows
        averaged.append(None if gradient is None else npu_allreduce(gradient))
    return averaged


def train(loss):
    variables = tf.trainable_variables()
    grads = npu_average(tf.gradients(loss, variables))
    return optimizer.apply_gradients(zip(grads, variables))
#### with distributed=tf_strategy
