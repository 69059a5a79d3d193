"""Launching: the ranks of a training, started together, watched, and stopped together.

This room owns what a rank's process is given and what is made of its end. Starting and stopping is
the business of :mod:`ascendify.processes`; nothing is printed here.
"""
