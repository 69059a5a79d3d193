"""Kernels for CUDA, which need Triton."""
