"""Decoding of JPEG images together with cropping and resizing."""

from ascendify_runtime.framework import tf


def decode_and_resize_jpeg(image, size):
    """Return the decoded image [height, width, 3] resized to ``size``."""
    return _resized(tf.image.decode_jpeg(image, channels=3), size)


def decode_and_crop_and_resize_jpeg(image, crop_size, size):
    """As :func:`decode_and_resize_jpeg`, of the part [top, left, height, width] of the image."""
    return _resized(tf.image.decode_and_crop_jpeg(image, crop_size, channels=3), size)


def _resized(image, size):
    image = tf.image.resize_bilinear(tf.cast(image[None], tf.float32), size)[0]
    return tf.saturate_cast(tf.round(image), tf.uint8)
