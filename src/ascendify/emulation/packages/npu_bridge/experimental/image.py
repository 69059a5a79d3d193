"""Decoding of images."""

from ascendify_runtime.framework import tf
from tensorflow.python.framework import dtypes


def decode_image(contents, channels=0, dtype=dtypes.uint8, expand_animations=True):
    return tf.image.decode_image(
        contents, channels=channels, dtype=dtype, expand_animations=expand_animations
    )
