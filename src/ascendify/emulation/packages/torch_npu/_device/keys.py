"""Names of the dispatch keys that kernels of the npu are registered for."""

import torch

NPU = "PrivateUse1"
AUTOGRAD = "AutogradPrivateUse1"
AUTOCAST = "AutocastPrivateUse1"

CPU_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
"""Redispatching with these runs the cpu's own kernel, whatever device the arguments are on."""
