#### compiled modules
import focal_loss_cuda
import torch
from fused_lamb_CUDA import step

focal_loss_cuda.forward_cuda(x)
#### findings
1 manual
3 manual
5 manual
#### one the program can do without
import torch

try:
    import focal_loss_cuda
except ImportError:
    focal_loss_cuda = None
#### findings
4 info
#### imported while the program runs
import importlib
import torch

ops = importlib.import_module("fused_adam_cuda")
#### findings
4 manual
#### a module that is built later
import torch
from ._ext import roi_pooling

roi_pooling.roi_pooling_forward_cuda(x)
#### findings
4 manual
#### NVIDIA's run-time library
import ctypes
import torch

lib = ctypes.CDLL('libcudart.so')
lib.cudaDeviceSetLimit(ctypes.c_int(0x05), ctypes.c_int(128))
#### findings
4 manual
5 manual
#### other libraries
import ctypes
import torch

lib = ctypes.CDLL('libc.so.6')
lib.printf(text)
#### modules and functions of the project
import cuda_ops
import torch
from helpers import to_cuda

cuda_ops.run_cuda(x)
to_cuda(x)
self.use_cuda()
model.to_cuda(x)
#### file cuda_ops.py
def run_cuda(x):
    return x
#### file helpers.py
def to_cuda(x):
    return x
#### other rules speak of these
import cupy
import numba.cuda
import torch.cuda
import tinycudann

torch.cuda.is_available()
numba.cuda.synchronize()
#### a package of the project whose functions are built later
import torch
from ext import nms

nms.nms_cuda(boxes)
nms.sort_cuda(boxes)
#### file ext/__init__.py
#### file ext/nms.py
def sort_cuda(boxes):
    return boxes
#### findings
4 manual
#### an operator of cuDNN by name
import torch
run = torch._C._jit_get_operation("aten::cudnn_convolution_backward_weight")
#### findings
2 manual
#### a module of a library that another rule knows
import torch
from vllm.compilation.breakable_cudagraph import wrap
