#### packages that stop the program
import torch
import cupy as cp
from flash_attn import flash_attn_func
from nvidia.dali.pipeline import Pipeline
from numba import cuda
import pynvml
import torch_scatter
from tutel import moe
#### findings
2 blocker
3 manual
4 manual
5 blocker
6 manual
7 blocker
8 manual
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
#### a package that is imported piece by piece is told once a file
import torch
from detectron2.config import get_cfg
from detectron2.data import MetadataCatalog, build_loader
import detectron2.utils.comm as comm
import cupy
#### findings
2 manual
5 blocker
#### where ONNX Runtime computes
import onnxruntime
import torch
providers = ["CUDAExecutionProvider", "CPUExecutionProvider"]
session = onnxruntime.InferenceSession(path, providers=providers)
#### findings
3 manual
