"""Optimizer that scales the loss and skips steps that overflowed."""

from ascendify_runtime.framework import tf

from npu_bridge.estimator.npu import util
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager
from npu_bridge.hccl import hccl_ops


def scale_loss(loss, loss_scale):
    """Return the loss, or the function that computes it, multiplied by the scale."""
    value = loss() if callable(loss) else loss
    return value * tf.cast(loss_scale, value.dtype.base_dtype)


def unscale_gradients(grads_and_vars, loss_scale):
    """Return gradients of the loss from gradients of the scaled loss; sparse ones become dense."""
    inverse = tf.reciprocal(loss_scale)
    return [
        (None if g is None else tf.convert_to_tensor(g) * tf.cast(inverse, g.dtype.base_dtype), v)
        for g, v in grads_and_vars
    ]


def gradients_are_finite(grads_and_vars, is_distributed):
    """Return a bool tensor: true if no gradient has an Inf or NaN; when distributed, on no rank."""
    gradients = [gradient for gradient, _ in grads_and_vars if gradient is not None]
    dense = [g.values if isinstance(g, tf.IndexedSlices) else g for g in gradients]
    finite = tf.reduce_all([tf.reduce_all(tf.is_finite(gradient)) for gradient in dense])
    if not is_distributed or int(util.get_ranksize()) <= 1:
        return finite
    overflows = tf.cast(tf.logical_not(finite), tf.float32)
    total = hccl_ops.allreduce_fused([overflows], "sum", name="NPUFloatStatusAllreduce")[0]
    return tf.equal(total, 0.0)


def always_applies(loss_scale_manager):
    """Whether steps are applied even if they overflowed."""
    fixed = isinstance(loss_scale_manager, FixedLossScaleManager)
    return fixed and not loss_scale_manager.get_enable_overflow_check()


def apply_when_finite(apply, grads_and_vars, loss_scale_manager, is_distributed):
    """Apply the gradients if they are finite, and update the manager in both cases.

    The inner optimizer increments the global step, so a skipped step is not counted.
    """
    if always_applies(loss_scale_manager):
        return apply()
    finite = gradients_are_finite(grads_and_vars, is_distributed)
    update = tf.cond(finite, lambda: tf.group(apply()), tf.no_op)
    return tf.group(update, loss_scale_manager.update_loss_scale(finite))


class NPULossScaleOptimizer(tf.train.Optimizer):
    """An optimizer that wraps another one; other attributes are those of the wrapped one."""

    def __init__(self, opt, loss_scale_manager, is_distributed=False):
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager
        self._is_distributed = is_distributed
        self._name = "NPULossScaleOptimizer"
        super(NPULossScaleOptimizer, self).__init__(use_locking=False, name=self._name)

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=tf.train.Optimizer.GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ):
        """Compute gradients of the loss through the scaled loss."""
        loss_scale = self._loss_scale_manager.get_loss_scale()
        grads_and_vars = self._opt.compute_gradients(
            scale_loss(loss, loss_scale),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        return unscale_gradients(grads_and_vars, loss_scale)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Apply the gradients unless one overflowed."""
        grads_and_vars = list(grads_and_vars)
        return apply_when_finite(
            lambda: self._opt.apply_gradients(grads_and_vars, global_step, name),
            grads_and_vars,
            self._loss_scale_manager,
            self._is_distributed,
        )

    def get_slot(self, var, name):
        """A slot of the inner optimizer."""
        return self._opt.get_slot(var, name)

    def get_slot_names(self):
        """The slots of the inner optimizer."""
        return self._opt.get_slot_names()

    def variables(self):
        """The variables of the inner optimizer."""
        return self._opt.variables()

    def __getattr__(self, name):
        if name == "_opt":  # not set yet: copy looks it up before __init__ runs
            raise AttributeError(name)
        return getattr(self._opt, name)
