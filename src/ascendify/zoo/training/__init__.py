"""Training: one loop for every network, and its parts.

This room owns steps, the order of samples, learning rates, loss scales, checkpoints and logs. It
uses a network only through its recipe.
"""
