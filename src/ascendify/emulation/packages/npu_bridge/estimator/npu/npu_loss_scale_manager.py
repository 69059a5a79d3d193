"""Loss scale managers, which choose the factor of the loss."""

from ascendify_runtime.framework import tf

_LARGEST = 3.4e38  # of float32


class FixedLossScaleManager:
    """The same loss scale at every step."""

    def __init__(self, loss_scale, enable_overflow_check=True):
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = tf.convert_to_tensor(loss_scale, dtype=tf.float32)
        self._enable_overflow_check = enable_overflow_check

    def get_loss_scale(self):
        """The loss scale."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        """Return an op that does nothing: the scale is fixed."""
        return tf.no_op()

    def get_enable_overflow_check(self):
        """Whether a step that overflowed is skipped."""
        return self._enable_overflow_check


class ExponentialUpdateLossScaleManager:
    """A loss scale that grows after good steps and shrinks after bad (overflowing) ones.

    Good steps must be consecutive; bad steps are counted in total: a good step does not reset
    their count.
    """

    def __init__(
        self,
        init_loss_scale,
        incr_every_n_steps,
        decr_every_n_nan_or_inf=2,
        incr_ratio=2,
        decr_ratio=0.8,
    ):
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._loss_scale = tf.Variable(
            name="loss_scale",
            initial_value=tf.convert_to_tensor(init_loss_scale, tf.float32),
            dtype=tf.float32,
            trainable=False,
        )
        self._num_good_steps = tf.Variable(
            name="good_steps", initial_value=0, dtype=tf.int32, trainable=False
        )
        self._num_bad_steps = tf.Variable(
            name="bad_steps", initial_value=0, dtype=tf.int32, trainable=False
        )

    def get_loss_scale(self):
        """The loss scale."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        """Return an op that counts the step and changes the scale when a count is reached."""
        return tf.cond(finite_grads, self._after_good_step, self._after_bad_step)

    def _after_good_step(self):
        return tf.cond(
            self._num_good_steps + 1 >= self._incr_every_n_steps,
            self._grow,
            lambda: tf.group(tf.assign_add(self._num_good_steps, 1)),
        )

    def _after_bad_step(self):
        return tf.cond(
            self._num_bad_steps + 1 >= self._decr_every_n_nan_or_inf,
            self._shrink,
            lambda: tf.group(
                tf.assign_add(self._num_bad_steps, 1), tf.assign(self._num_good_steps, 0)
            ),
        )

    def _grow(self):
        grown = tf.cond(
            self._loss_scale < _LARGEST / self._incr_ratio,
            lambda: self._loss_scale * self._incr_ratio,
            lambda: tf.identity(self._loss_scale),
        )
        return tf.group(tf.assign(self._loss_scale, grown), self._forget_steps())

    def _shrink(self):
        shrunk = tf.maximum(1.0, self._loss_scale * self._decr_ratio)
        return tf.group(tf.assign(self._loss_scale, shrunk), self._forget_steps())

    def _forget_steps(self):
        return tf.group(tf.assign(self._num_good_steps, 0), tf.assign(self._num_bad_steps, 0))
