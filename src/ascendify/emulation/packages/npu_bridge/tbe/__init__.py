"""Operators of the matrix and vector units with custom (TBE) kernels."""
