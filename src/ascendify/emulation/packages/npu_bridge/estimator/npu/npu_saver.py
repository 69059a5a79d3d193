"""The Saver that NPUEstimator uses for checkpoints."""

from ascendify_runtime.framework import tf


class NPUSaver(tf.train.Saver):
    """A Saver with the files of plain TensorFlow: variables are on the host here."""
