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
#### a folder of the project called triton
import torch
import triton
@triton.jit
def kernel(x):
    return x
#### file triton/__init__.py
def jit(function):
    return function
