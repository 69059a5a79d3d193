#### the mean of what a mask chooses
import tensorflow as tf


def loss_of(losses, mask):
    return tf.reduce_mean(tf.boolean_mask(losses, mask), name='loss')
#### after
import tensorflow as tf


def npu_masked_mean(tensor, mask):
    """The mean of the elements of a tensor where a mask is true, without choosing them."""
    tensor, mask = tf.convert_to_tensor(tensor), tf.cast(mask, tf.bool)
    ones = tf.ones_like(tf.shape(tensor)[mask.shape.ndims:])
    mask = tf.reshape(mask, tf.concat([tf.shape(mask), ones], 0))
    mask = tf.logical_and(mask, tf.ones_like(tensor, dtype=tf.bool))
    total = tf.reduce_sum(tf.where(mask, tensor, tf.zeros_like(tensor)))
    count = tf.reduce_sum(tf.cast(mask, tensor.dtype))
    return tf.truncatediv(total, count) if tensor.dtype.is_integer else total / count


def loss_of(losses, mask):
    return npu_masked_mean(losses, mask)
#### findings
5 auto
#### the sum, by keywords
import tensorflow as tf


def loss_of(losses, mask):
    return tf.reduce_sum(input_tensor=tf.boolean_mask(mask=mask, tensor=losses, axis=0))
#### after
import tensorflow as tf


def npu_masked_sum(tensor, mask):
    """The sum of the elements of a tensor where a mask is true, without choosing them."""
    tensor, mask = tf.convert_to_tensor(tensor), tf.cast(mask, tf.bool)
    ones = tf.ones_like(tf.shape(tensor)[mask.shape.ndims:])
    mask = tf.reshape(mask, tf.concat([tf.shape(mask), ones], 0))
    mask = tf.logical_and(mask, tf.ones_like(tensor, dtype=tf.bool))
    total = tf.reduce_sum(tf.where(mask, tensor, tf.zeros_like(tensor)))
    return total


def loss_of(losses, mask):
    return npu_masked_sum(losses, mask)
#### findings
5 auto
