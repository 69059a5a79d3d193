"""Operators of the matrix and vector units that come with a kernel of their own."""
