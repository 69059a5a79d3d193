"""Text: character sets, decoding of network outputs to strings, and text metrics.

This room handles classes, strings and counts, not networks or pictures.
"""
