"""Operators of the vector unit."""

from ascendify_runtime.framework import tf

from npu_bridge.estimator.npu_aicore_ops import prelu
from npu_bridge.helper import formulas, host


def lamb_apply_optimizer_assign(
    input0,
    input1,
    input2,
    input3,
    mul0_x,
    mul1_x,
    mul2_x,
    mul3_x,
    add2_y,
    steps,
    do_use_weight,
    weight_decay_rate,
    name=None,
):
    """The first half of LAMB: the update, and the moments written in place.

    The inputs are the gradient, the second moment, the first moment, the weight; then beta1,
    1-beta1, beta2, 1-beta2 and epsilon. Returns the update and the new moments, second one first.
    """
    host.refuse_eager("tf.lamb_apply_optimizer_assign")
    with tf.name_scope(name, "LambApplyOptimizerAssign"):
        next_v, next_m = formulas.moments(input0, input1, input2, (mul0_x, mul1_x, mul2_x, mul3_x))
        corrected_m = next_m / (1.0 - tf.pow(mul0_x, steps))
        corrected_v = next_v / (1.0 - tf.pow(mul2_x, steps))
        update = corrected_m / (tf.sqrt(corrected_v) + add2_y)
        update = update + input3 * weight_decay_rate * do_use_weight
        with tf.control_dependencies([update, next_v, next_m]):
            written = [
                formulas.assign(input1, next_v, "input1"),
                formulas.assign(input2, next_m, "input2"),
            ]
        with tf.control_dependencies(written):
            return tf.identity(update), tf.identity(next_v), tf.identity(next_m)


def lamb_apply_weight_assign(input0, input1, input2, input3, input4, name=None):
    """The second half of LAMB: the weight ``input4`` moved by the trust ratio, in place.

    The inputs before it are the norm of the weight, the norm of the update, the learning rate and
    the update.
    """
    host.refuse_eager("tf.lamb_apply_weight_assign")
    with tf.name_scope(name, "LambApplyWeightAssign"):
        input0, input1 = tf.convert_to_tensor(input0), tf.convert_to_tensor(input1)
        one = tf.ones_like(input0)
        safe = tf.where(input1 > 0, input1, one)
        ratio = tf.where(input0 > 0, tf.where(input1 > 0, input0 / safe, one), one)
        next_weight = input4 - ratio * (input3 * input2)
        with tf.control_dependencies([formulas.assign(input4, next_weight, "input4")]):
            return tf.identity(next_weight)


class PReLU(tf.keras.layers.Layer):
    """Leaky rectifier with one learned slope; ``shared_axes`` has no effect on the device."""

    def __init__(
        self,
        alpha_initializer="zeros",
        alpha_regularizer=None,
        alpha_constraint=None,
        shared_axes=None,
        **kwargs,
    ):
        super(PReLU, self).__init__(**kwargs)
        self.supports_masking = True
        self.alpha_initializer = tf.keras.initializers.get(alpha_initializer)
        self.alpha_regularizer = tf.keras.regularizers.get(alpha_regularizer)
        self.alpha_constraint = tf.keras.constraints.get(alpha_constraint)
        self.shared_axes = None

    def build(self, input_shape):
        self.alpha = self.add_weight(
            shape=[1],
            name="alpha",
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        self.built = True

    def call(self, inputs):
        return prelu(inputs, self.alpha)
