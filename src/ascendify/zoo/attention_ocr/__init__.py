"""Attention-OCR: a text read character by character from four views of one street sign.

The network, its attention and its recipe; the training loop is in ``training``.
"""
