"""Loss scale optimizers that react to the overflow flag of the device.

If overflow gives infinity and NaN, they behave as those of Keras. If overflow saturates, as on the
oldest hardware, the device sets a flag instead. A CPU has no such flag: it counts as set if a
gradient of any rank is not finite.
"""

import sys

import tensorflow as tf
from ascendify_runtime.framework import (
    IS_KERAS_3,
    MissingAttributeError,
    left_out,
    missing,
    need_keras_2,
)

from npu_device.distribute.hccl import all_reduce
from npu_device.npu_device import global_npu_ctx, is_inf_nan_enabled

_LARGEST = 3.4e38
_Native = tf.keras.mixed_precision.LossScaleOptimizer
_module = sys.modules[_Native.__module__]
_OldBase = getattr(_module, "LossScaleOptimizer", _Native)
_NewBase = getattr(_module, "LossScaleOptimizerV3", None)
"""The class for the optimizers that Keras has since release 2.9; None before, and in Keras 3."""
_NAMES_OF_KERAS_2 = {
    "get_scaled_loss": "scale_loss() takes its place",
    "get_unscaled_gradients": "apply_gradients() divides by the scale itself",
    "loss_scale": "dynamic_scale is the variable",
    "dynamic": "every loss scale is dynamic there",
    "dynamic_counter": "step_counter is the variable",
}
_OVERFLOW_FLAG = "loss scale that follows the overflow flag of a 910A"


def _is_finite(gradients):
    """Return a bool tensor: whether no rank has an overflow."""
    dense = [one.values if isinstance(one, tf.IndexedSlices) else one for one in gradients]
    finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(one)) for one in dense])
    overflows = tf.cast(tf.logical_not(finite), tf.float32)
    return tf.equal(all_reduce(overflows, "sum", fusion=0), 0.0)


def _update_scale(scale, finite):
    """Change a dynamic loss scale after a step."""

    def grow():
        def multiply():
            return _in_graph(scale.current_loss_scale.assign(
                scale.current_loss_scale * scale.multiplier))  # fmt: skip

        fits = tf.less(scale.current_loss_scale, _LARGEST / scale.multiplier)
        return tf.group(tf.cond(fits, multiply, tf.no_op), scale.counter.assign(0))

    def count():
        return _in_graph(scale.counter.assign_add(1))

    def after_finite():
        return tf.cond(scale.counter + 1 >= scale.growth_steps, grow, count)

    def after_overflow():
        smaller = tf.maximum(scale.current_loss_scale / scale.multiplier, 1)
        return tf.group(scale.counter.assign(0), scale.current_loss_scale.assign(smaller))

    return tf.cond(finite, after_finite, after_overflow)


def _in_graph(result):
    """Return an operation in graphs: the branches of a condition must return the same."""
    return tf.group(result) if not tf.executing_eagerly() else None


def _follows_flag():
    """Whether a step looks at the overflow flag of the device."""
    return global_npu_ctx() is not None and not is_inf_nan_enabled()


class _OverflowAware:
    """What the optimizers of this module add to those of Keras."""

    def _add_state(self):
        finite = tf.Variable(False, name="npu_last_step_finite", dtype=tf.bool, trainable=False)
        # not a plain assignment: the optimizers of Keras would save it with checkpoints
        object.__setattr__(self, "_last_step_finite", finite)

    @property
    def last_step_finite(self):
        """Return a variable: whether the last step had no overflow."""
        return self._last_step_finite

    def apply_gradients(self, grads_and_vars, name=None):
        """Apply gradients, unless one of them overflowed."""
        if not _follows_flag():
            if name is None:
                return super(_OverflowAware, self).apply_gradients(grads_and_vars)
            return super(_OverflowAware, self).apply_gradients(grads_and_vars, name)
        need_keras_2(_OVERFLOW_FLAG)
        pairs = [pair for pair in grads_and_vars if pair[0] is not None]
        finite = _is_finite([gradient for gradient, _ in pairs])
        self._last_step_finite.assign(finite)
        inner = self.inner_optimizer

        def apply():
            if hasattr(inner, "build") and not getattr(inner, "_built", True):
                inner.build([variable for _, variable in pairs])
            return _in_graph(inner.apply_gradients(pairs))

        def skip():
            return _in_graph(inner.iterations.assign_add(1))

        if tf.executing_eagerly():
            apply() if finite else skip()
            return self._update(finite)
        with tf.init_scope():
            _make_slots(inner, [variable for _, variable in pairs])
        return tf.group(tf.cond(finite, apply, skip), self._update(finite))

    def _update(self, finite):
        if not self.dynamic:
            return tf.no_op() if not tf.executing_eagerly() else None
        return _update_scale(self._loss_scale, finite)


def _make_slots(optimizer, variables):
    """Make the variables of an optimizer, which it must not do inside a condition."""
    if hasattr(optimizer, "_create_all_weights"):
        optimizer._create_all_weights(variables)
    elif hasattr(optimizer, "build"):
        optimizer.build(variables)


if _NewBase is not None:

    class _NewStyleOptimizer(_OverflowAware, _NewBase):
        def __init__(self, inner_optimizer, dynamic, initial_scale, dynamic_growth_steps):
            super(_NewStyleOptimizer, self).__init__(
                inner_optimizer, dynamic, initial_scale, dynamic_growth_steps
            )
            self._add_state()
else:
    _NewStyleOptimizer = None


class _ChoosesBase(type(_OldBase)):
    """Makes an optimizer of the kind that Keras has for the wrapped one."""

    def __call__(cls, inner_optimizer, dynamic=True, initial_scale=None, dynamic_growth_steps=None):
        given = (inner_optimizer, dynamic, initial_scale, dynamic_growth_steps)
        old = getattr(_module, "optimizer_v2", None)
        if (
            _NewStyleOptimizer is not None
            and cls.__name__ == "NpuLossScaleOptimizer"
            and not isinstance(inner_optimizer, old.OptimizerV2)
        ):
            return _NewStyleOptimizer(*given)
        return super(_ChoosesBase, cls).__call__(*given)

    def __instancecheck__(cls, instance):
        new = _NewStyleOptimizer is not None and isinstance(instance, _NewStyleOptimizer)
        return new or super(_ChoosesBase, cls).__instancecheck__(instance)


class NpuLossScaleOptimizer(_OverflowAware, _OldBase, metaclass=_ChoosesBase):
    """The loss scale optimizer of Keras, with the overflow flag of the device."""

    _HAS_AGGREGATE_GRAD = True

    def __init__(
        self, inner_optimizer, dynamic=True, initial_scale=None, dynamic_growth_steps=None
    ):
        given = {"initial_scale": initial_scale, "dynamic_growth_steps": dynamic_growth_steps}
        if not IS_KERAS_3:
            given["dynamic"] = dynamic
        else:
            if not dynamic:
                need_keras_2("constant loss scale (dynamic=False)")
            given = {key: value for key, value in given.items() if value is not None}
        super(NpuLossScaleOptimizer, self).__init__(inner_optimizer, **given)
        self._add_state()


def _without(name, instead):
    """Return a property that raises an error for a name that Keras 3 left out."""

    def refuse(self):
        what = "NpuLossScaleOptimizer.{}".format(name)
        raise missing("{}; {}".format(left_out(what), instead), MissingAttributeError)

    return property(refuse)


def _apply(self, grads, trainable_variables=None):
    """Apply gradients; in Keras 3 this is what `apply_gradients` calls."""
    if _follows_flag():
        need_keras_2(_OVERFLOW_FLAG)
    return super(NpuLossScaleOptimizer, self).apply(grads, trainable_variables)


if IS_KERAS_3:
    NpuLossScaleOptimizer.apply = _apply
    for _name, _instead in _NAMES_OF_KERAS_2.items():
        if not hasattr(_OldBase, _name):
            setattr(NpuLossScaleOptimizer, _name, _without(_name, _instead))

_experimental = getattr(tf.keras.mixed_precision, "experimental", None)
_V1Base = getattr(_experimental, "LossScaleOptimizer", None)

if _V1Base is not None:

    class NpuExperimentalLossScaleOptimizer(_OverflowAware, _V1Base):
        """The experimental loss scale optimizer of older releases of Keras."""

        _HAS_AGGREGATE_GRAD = True

        def __init__(self, optimizer, loss_scale):
            super(NpuExperimentalLossScaleOptimizer, self).__init__(optimizer, loss_scale)
            self._add_state()
else:

    class NpuExperimentalLossScaleOptimizer:
        """Raise an error: this Keras has no experimental loss scale optimizer."""

        def __init__(self, optimizer, loss_scale):
            raise NotImplementedError(
                "TensorFlow {} has no tf.keras.mixed_precision.experimental.LossScaleOptimizer; "
                "use NpuLossScaleOptimizer".format(tf.__version__)
            )
