"""Compression of gradients for the transfer between ranks."""

from ascendify_runtime.framework import tf


class Compressor(object):
    """Interface of a compressor."""

    @staticmethod
    def compress(tensor):
        """Return the compressed tensor, and the context for ``decompress``."""

    @staticmethod
    def decompress(tensor, ctx):
        """Return the original tensor."""


class NoneCompressor(Compressor):
    """Compressor that changes nothing."""

    @staticmethod
    def compress(tensor):
        """Return the tensor itself."""
        return tensor, None

    @staticmethod
    def decompress(tensor, ctx):
        """Return the tensor itself."""
        return tensor


class FP16Compressor(Compressor):
    """Compressor that sends floating point numbers as float16."""

    @staticmethod
    def compress(tensor):
        """Cast floating point tensors to float16."""
        small = tf.cast(tensor, tf.float16) if tensor.dtype.is_floating else tensor
        return small, tensor.dtype

    @staticmethod
    def decompress(tensor, ctx):
        """Cast back to the original type."""
        return tf.cast(tensor, ctx) if ctx.is_floating else tensor


class Compression(object):
    """The available compressors."""

    none = NoneCompressor
    fp16 = FP16Compressor
