#### clipped and applied
import tensorflow as tf
def create_optimizer(loss):
    tvars = tf.trainable_variables()
    grads = tf.gradients(loss, tvars)  # may hold None
    (grads, _) = tf.clip_by_global_norm(grads, clip_norm=1.0)
    return optimizer.apply_gradients(zip(grads, tvars), global_step=step)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_allreduce
def create_optimizer(loss):
    tvars = tf.trainable_variables()
    grads = [g if g is None else npu_allreduce(g) for g in tf.gradients(loss, tvars)]  # may hold None
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
import tensorflow as tf
from npu_bridge.npu_init import npu_allreduce
grads, _ = tf.clip_by_global_norm([g if g is None else npu_allreduce(g) for g in tf.gradients(loss, tvars)], 5)
op = opt.apply_gradients(zip(grads, tvars))
other = opt.apply_gradients(zip([g if g is None else npu_allreduce(g) for g in tf.gradients(loss_b, tvars)], tvars))
#### the user's own g
import tensorflow as tf
g = 3
grads = tf.gradients(loss, tvars)
pairs = zip(grads, tvars)
op = opt.apply_gradients(pairs)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_allreduce
g = 3
grads = [g_2 if g_2 is None else npu_allreduce(g_2) for g_2 in tf.gradients(loss, tvars)]
pairs = zip(grads, tvars)
op = opt.apply_gradients(pairs)
