#### clipped and applied
import tensorflow as tf
def create_optimizer(loss):
    tvars = tf.trainable_variables()
    grads = tf.gradients(loss, tvars)  # may hold None
    (grads, _) = tf.clip_by_global_norm(grads, clip_norm=1.0)
    return optimizer.apply_gradients(zip(grads, tvars), global_step=step)
#### with distributed=tf_strategy
#### after
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


def create_optimizer(loss):
    tvars = tf.trainable_variables()
    grads = npu_average(tf.gradients(loss, tvars))  # may hold None
    (grads, _) = tf.clip_by_global_norm(grads, clip_norm=1.0)
    return optimizer.apply_gradients(zip(grads, tvars), global_step=step)
#### findings
4 auto-check
#### clipped in the same breath, and without a variable
import tensorflow as tf
grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5)
op = opt.apply_gradients(zip(grads, tvars))
other = opt.apply_gradients(zip(tf.gradients(loss_b, tvars), tvars))
#### with distributed=tf_strategy
#### after
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


grads, _ = tf.clip_by_global_norm(npu_average(tf.gradients(loss, tvars)), 5)
op = opt.apply_gradients(zip(grads, tvars))
other = opt.apply_gradients(zip(npu_average(tf.gradients(loss_b, tvars)), tvars))
#### a tower whose caller averages and applies
import tensorflow as tf
def tower(loss):
    variables = tf.trainable_variables()
    grads = tf.gradients(loss, variables)
    return loss, list(zip(grads, variables))
#### with distributed=tf_strategy
#### after
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


def tower(loss):
    variables = tf.trainable_variables()
    grads = npu_average(tf.gradients(loss, variables))
    return loss, list(zip(grads, variables))
#### findings
4 auto-check
#### towers with an update rule of the project
import tensorflow as tf
from rules import adam_updates
params = tf.trainable_variables()
grads = []
for i in range(1):
    grads.append(tf.gradients(losses[i], params, colocate_gradients_with_ops=True))
step = tf.group(adam_updates(params, grads[0]))
#### file rules.py
import tensorflow as tf
def adam_updates(params, grads):
    return [p.assign_sub(0.1 * g) for p, g in zip(params, grads)]
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
from rules import adam_updates
from npu_bridge.npu_init import npu_allreduce
params = tf.trainable_variables()
grads = []
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


for i in range(1):
    grads.append(npu_average(tf.gradients(losses[i], params, colocate_gradients_with_ops=True)))
step = tf.group(adam_updates(params, grads[0]))
#### variables that a function of the project selects
import tensorflow as tf
def trained(key):
    return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, key)
def train(loss):
    params = trained('model')
    grads = tf.gradients(loss, params)
    return adam(params, grads)
#### with distributed=tf_strategy
#### after
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


def trained(key):
    return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, key)
def train(loss):
    params = trained('model')
    grads = npu_average(tf.gradients(loss, params))
    return adam(params, grads)
#### variables from the caller, some of them left out
import tensorflow as tf
def grads_of(loss, params):
    return tf.gradients(loss, params)
def train(loss):
    kept = [v for v in tf.trainable_variables() if 'bias' not in v.name]
    return update(grads_of(loss, kept))
#### with distributed=tf_strategy
#### after
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


def grads_of(loss, params):
    return npu_average(tf.gradients(loss, params))
def train(loss):
    kept = [v for v in tf.trainable_variables() if 'bias' not in v.name]
    return update(grads_of(loss, kept))
