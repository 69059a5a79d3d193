"""A program for CUDA that imports torch_npu and nothing else."""

import torch
import torch_npu  # noqa: F401

print(torch.ones(1).cuda().device)
