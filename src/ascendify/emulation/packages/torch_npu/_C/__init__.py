"""Stands where the C++ extension of torch_npu is; there is none, only its names."""
