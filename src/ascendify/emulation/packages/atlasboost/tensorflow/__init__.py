"""Ranks for TensorFlow."""
