"""Names of the dispatch keys that kernels of the npu are registered for."""

NPU = "PrivateUse1"
AUTOGRAD = "AutogradPrivateUse1"
AUTOCAST = "AutocastPrivateUse1"
