"""Smaller gradients on their way between the ranks."""

from ascendify_runtime.framework import tf


class Compressor(object):
    """Makes a tensor smaller, and back."""

    @staticmethod
    def compress(tensor):
        """The smaller tensor, and what is needed to undo it."""

    @staticmethod
    def decompress(tensor, ctx):
        """The tensor as it was."""


class NoneCompressor(Compressor):
    """Leaves tensors as they are."""

    @staticmethod
    def compress(tensor):
        """The tensor itself."""
        return tensor, None

    @staticmethod
    def decompress(tensor, ctx):
        """The tensor itself."""
        return tensor


class FP16Compressor(Compressor):
    """Sends floating point numbers with 16 bits."""

    @staticmethod
    def compress(tensor):
        """A float16 tensor, unless it holds no floating point numbers."""
        small = tf.cast(tensor, tf.float16) if tensor.dtype.is_floating else tensor
        return small, tensor.dtype

    @staticmethod
    def decompress(tensor, ctx):
        """A tensor of the type it had."""
        return tf.cast(tensor, ctx) if ctx.is_floating else tensor


class Compression(object):
    """The ways there are."""

    none = NoneCompressor
    fp16 = FP16Compressor
