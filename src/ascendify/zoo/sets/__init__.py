"""Data sets: rendered on the fly or written to disk, converted from real ones, and read.

This room owns files, splits and numbers of samples. ``rendering`` draws the pictures, ``records``
defines the file format.
"""
