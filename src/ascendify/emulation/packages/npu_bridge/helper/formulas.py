"""The formulas of the operators in plain TensorFlow, which also gives their gradients."""

import collections
import numbers

import numpy as np
from ascendify_runtime.framework import tf

from npu_bridge.helper import host

LstmStep = collections.namedtuple("BasicLSTMCell", "ct ht it jt ft ot tanhct")
Centroids = collections.namedtuple("KMeansCentroids", "segment_sum segment_count kmean_total_sum")


def gelu(x, name=None):
    """Gelu in its tanh form.

    Written as in the well-known BERT sources: it has the same number of nodes, so that the seeds
    that TensorFlow derives for later random operators do not change.
    """
    with tf.name_scope(name, "Gelu", [x]):
        x = floating(x)
        cdf = 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))
        return x * cdf


def fast_gelu(x, name=None):
    with tf.name_scope(name, "FastGelu", [x]):
        x = floating(x)
        return x * tf.sigmoid(1.702 * x)


def fast_gelu_v2(x, name=None):
    """The second-order polynomial for erf, with the constants of the operator's definition."""
    with tf.name_scope(name, "FastGeluV2", [x]):
        x = floating(x)
        distance = tf.minimum(tf.abs(0.7071 * x), 1.769) - 1.769
        return x * (tf.sign(x + 1e-12) * (-0.1444 * distance * distance + 0.5) + 0.5)


def prelu(x, weight, name=None):
    with tf.name_scope(name, "PRelu", [x, weight]):
        x = floating(x)
        weight = tf.convert_to_tensor(weight, dtype=x.dtype)
        return tf.where(x > 0, x, weight * x)


def centralization(x, axes, name=None):
    with tf.name_scope(name, "Centralization", [x]):
        x = floating(x)
        return x - tf.reduce_mean(x, axis=axes, keepdims=True)


def layer_norm(x, gamma, beta, begin_norm_axis=0, begin_params_axis=0, epsilon=1e-7, name=None):
    """Normalise over the axes from ``begin_norm_axis`` on; returns the result, mean, variance."""
    del begin_params_axis  # the shapes of gamma and beta already determine it
    with tf.name_scope(name, "FusedLayerNorm", [x, gamma, beta]):
        x = floating(x)
        rank = x.shape.ndims
        axes = list(range(begin_norm_axis % rank, rank))
        mean = tf.reduce_mean(x, axis=axes, keepdims=True)
        variance = tf.reduce_mean(tf.squared_difference(x, mean), axis=axes, keepdims=True)
        return (x - mean) * tf.rsqrt(variance + epsilon) * gamma + beta, mean, variance


def dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    """``tf.nn.dropout`` with the device's checks, and the random numbers of the original."""
    x = tf.convert_to_tensor(x, name="x")
    check_dropout(x, keep_prob)
    if isinstance(keep_prob, float) and keep_prob == 1.0:
        return x
    return tf.nn.dropout(x, rate=1.0 - keep_prob, noise_shape=noise_shape, seed=seed, name=name)


def check_dropout(x, keep_prob):
    """Raise the device's error for a type or a probability that its dropout does not take."""
    if not x.dtype.is_floating:
        raise ValueError("x must be a floating point tensor. Got a %s tensor instead." % x.dtype)
    if isinstance(keep_prob, numbers.Real) and not 0 < keep_prob <= 1.0:
        raise ValueError(
            "keep_prob must be a float value or a scalar tensor in the range (0, 1], got %g"
            % keep_prob
        )
    if not (isinstance(keep_prob, float) and keep_prob == 1.0):
        host.require_type(x, "x")


def lars(weights, gradients, weight_decay, hyperpara, epsilon, name=None):
    """Layer-wise scaled gradients of several weights."""
    with tf.name_scope(name, "LARS", list(weights) + list(gradients)):
        return [
            lars_coefficient(weight, gradient, weight_decay, hyperpara, epsilon)
            * (gradient + weight_decay * weight)
            for weight, gradient in zip(weights, gradients)
        ]


def lars_v2(weight, gradient, weight_decay, learning_rate, hyperpara, epsilon, use_clip, name=None):
    with tf.name_scope(name, "LarsV2", [weight, gradient]):
        weight, gradient = tf.convert_to_tensor(weight), tf.convert_to_tensor(gradient)
        for tensor, parameter in ((weight, "input_weight"), (gradient, "input_grad")):
            host.require_type(tensor, parameter, ("float32",))
        coefficient = lars_coefficient(weight, gradient, weight_decay, hyperpara, epsilon)
        if use_clip:
            coefficient = tf.clip_by_value(coefficient / learning_rate, 0.0, 1.0)
        return coefficient * (gradient + weight_decay * weight)


def lars_coefficient(weight, gradient, weight_decay, hyperpara, epsilon):
    weight_norm, gradient_norm = tf.norm(weight), tf.norm(gradient)
    return hyperpara * weight_norm / (gradient_norm + weight_decay * weight_norm + epsilon)


def lstm_step(x, h, c, w, b, forget_bias):
    """One step of an LSTM; the columns of ``w`` are the gates i, j, f, o of [x, h]."""
    i, j, f, o = tf.split(tf.matmul(tf.concat([x, h], axis=1), w) + b, 4, axis=1)
    it, jt, ft, ot = tf.sigmoid(i), tf.tanh(j), tf.sigmoid(f + forget_bias), tf.sigmoid(o)
    ct = c * ft + it * jt
    tanhct = tf.tanh(ct)
    return LstmStep(ct, tanhct * ot, it, jt, ft, ot, tanhct)


def adam_step(gradient, v, m, weight, learning_rate, scales, epsilon, decay=None):
    """Next second moment, first moment and weight; ``scales`` are beta1, 1-beta1, beta2, 1-beta2.

    There is no bias correction in the fused operator.
    """
    next_v, next_m = moments(gradient, v, m, scales)
    update = next_m / (tf.sqrt(next_v) + epsilon)
    if decay is not None:
        update = update + decay * weight
    return next_v, next_m, weight - learning_rate * update


def moments(gradient, v, m, scales):
    beta1, one_minus_beta1, beta2, one_minus_beta2 = scales
    next_v = beta2 * v + one_minus_beta2 * tf.square(gradient)
    return next_v, beta1 * m + one_minus_beta1 * gradient


def assign(variable, value, parameter):
    """Assign to an operator's input, which must be a variable."""
    if hasattr(variable, "assign"):
        return variable.assign(value)
    if isinstance(variable, tf.Tensor) and variable.dtype._is_ref_dtype:
        return tf.assign(variable, value)
    raise TypeError("%s is updated in place and must be a variable, got %r" % (parameter, variable))


def scatter_elements(data, indices, updates, axis=0, name=None):
    """``data`` with the element that ``indices`` names along ``axis`` replaced by each update."""
    with tf.name_scope(name, "ScatterElements", [data, indices, updates]):
        rank = data.shape.ndims
        axis = axis % rank
        size = tf.shape(data, out_type=indices.dtype)[axis]
        indices = tf.where(indices < 0, indices + size, indices)
        sizes = tf.shape(indices, out_type=indices.dtype)
        grid = tf.meshgrid(*[tf.range(sizes[i]) for i in range(rank)], indexing="ij")
        grid[axis] = indices
        return tf.tensor_scatter_nd_update(data, tf.stack(grid, axis=-1), updates)


def k_means_centroids(x, y, sum_square_y, sum_square_x, name=None):
    """Sums and counts of the rows of ``x`` by their nearest row of ``y``, and the distances' sum.

    Without ``sum_square_x`` the distances lack that constant of each row.
    """
    with tf.name_scope(name, "KMeansCentroids", [x, y]):
        distances = tf.reshape(sum_square_y, [1, -1]) - 2.0 * tf.matmul(x, y, transpose_b=True)
        if sum_square_x is not None:
            distances = distances + tf.reshape(sum_square_x, [-1, 1])
        nearest = tf.argmin(distances, axis=1)
        clusters = tf.shape(y, out_type=tf.int64)[0]
        ones = tf.ones_like(x[:, :1])
        return Centroids(
            tf.unsorted_segment_sum(x, nearest, clusters),
            tf.unsorted_segment_sum(ones, nearest, clusters),
            tf.reshape(tf.reduce_sum(tf.reduce_min(distances, axis=1)), [1]),
        )


def bilinear(image, batch, rows, columns):
    """Interpolate ``image`` [N,H,W,C] at fractional positions; pixels outside are zero."""
    height, width = tf.shape(image)[1], tf.shape(image)[2]
    top, left = tf.floor(rows), tf.floor(columns)
    total = 0.0
    for row in (top, top + 1.0):
        for column in (left, left + 1.0):
            share = (1.0 - tf.abs(rows - row)) * (1.0 - tf.abs(columns - column))
            r, c = tf.cast(row, tf.int32), tf.cast(column, tf.int32)
            inside = (r >= 0) & (r < height) & (c >= 0) & (c < width)
            places = tf.stack(
                [batch, tf.clip_by_value(r, 0, height - 1), tf.clip_by_value(c, 0, width - 1)],
                axis=-1,
            )
            share = share * tf.cast(inside, image.dtype)
            total = total + tf.gather_nd(image, places) * share[..., None]
    return total


def nonzero(x, transpose=False, output_type=tf.int64, name=None):
    with tf.name_scope(name, "NonZero", [x]):
        indices = tf.cast(tf.where(is_nonzero(x)), output_type)
        return tf.transpose(indices) if transpose else indices


def is_nonzero(x):
    return x if x.dtype == tf.bool else tf.not_equal(x, tf.zeros_like(x))


def floating(x):
    """Return a tensor, after a check that the vector units support its type."""
    x = tf.convert_to_tensor(x)
    host.require_type(x, "x")
    return x
