"""Rank and size for TensorFlow programs."""
