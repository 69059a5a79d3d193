#### kernels
import torch
import triton
import triton.language as tl
@triton.jit
def kernel(p, n):
    pass
@triton.autotune(configs=[], key=[])
@triton.jit(noinline=True)
def other(p):
    pass
#### findings
4 manual
8 manual
#### calls
import torch
import triton
grid = triton.cdiv(n, 8)
#### another jit
import numba
@numba.jit
def f(x):
    return x
