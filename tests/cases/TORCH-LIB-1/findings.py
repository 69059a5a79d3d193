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
#### a package that is imported piece by piece is reported once a file
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
#### every name of a statement, and imports by name
import importlib
import torch
import numpy, pynvml
kernels = importlib.import_module('flash_attn')
import os, torch_scatter, json
#### findings
3 manual
4 manual
5 blocker
#### an import that is looked for first, or that not every run reaches
import torch
from transformers.utils import is_flash_attn_2_available
if is_flash_attn_2_available():
    from flash_attn import flash_attn_func
if HAS_XFORMERS:
    import xformers.ops
def voxels():
    from spconv.utils import Point2VoxelCPU3d
if args.fast:
    import cupy
#### findings
4 info
6 info
8 manual
10 manual
#### a handler that does not go on
import torch
try:
    import cupy
except ImportError:
    raise RuntimeError('install cupy')
#### findings
3 blocker
#### libraries with another package beside them, or with CUDA inside
import torch
import vllm
import megatron.core
import fairscale
from unsloth import FastLanguageModel
import dgl
#### findings
2 manual
3 manual
4 manual
5 manual
6 manual
#### FlexAttention, in a release without it
import torch
from torch.nn.attention.flex_attention import flex_attention
#### with torch_npu=2.8.0
#### findings
2 manual
#### rasterizers of Gaussians
import torch
from diff_gaussian_rasterization import GaussianRasterizer
from simple_knn._C import distCUDA2
#### findings
2 blocker
3 blocker
#### a file that its only importer reads when it is needed
import torch
import cupy
#### file start.py
import torch
def fast():
    from main import kernel
#### with entry=start.py
#### findings
2 manual
#### a file that the program reads as it starts, by way of another
import torch
import cupy
#### file start.py
import middle
#### file middle.py
from main import kernel
#### with entry=start.py
#### findings
2 blocker
