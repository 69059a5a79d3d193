"""CRNN: a word's picture read by convolutions, two bidirectional LSTMs and CTC.

Owns the network, its loss and its recipe. The training loop, the data sets and ``text``, which
several networks share, do not depend on it.
"""
