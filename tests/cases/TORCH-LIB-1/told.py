#### packages that stop the program
import torch
import cupy as cp
from flash_attn import flash_attn_func
from nvidia.dali.pipeline import Pipeline
from numba import cuda
import pynvml
import torch_scatter
#### findings
2 blocker
3 manual
4 manual
5 blocker
6 manual
7 blocker
#### a program that goes on without it
import torch
try:
    import xformers.ops
except ImportError:
    xformers = None
#### findings
3 info
#### a file of a PyTorch project that does not import torch
import triton
#### findings
1 manual
