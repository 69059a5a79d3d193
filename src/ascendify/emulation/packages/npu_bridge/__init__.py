"""Stand-in for the NPU adapter of TensorFlow 1: the same names, run on a CPU."""

__version__ = "1.15.0"
