"""Names of torch_npu's C++ extension; there is no extension here."""
