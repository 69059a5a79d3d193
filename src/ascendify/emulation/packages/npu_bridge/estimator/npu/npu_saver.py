"""The Saver NPUEstimator writes checkpoints with."""

from ascendify_runtime.framework import tf


class NPUSaver(tf.train.Saver):
    """A Saver whose files are those of plain TensorFlow: variables live on the host here."""
