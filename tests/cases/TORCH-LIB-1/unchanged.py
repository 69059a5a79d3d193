#### packages that run anywhere
import torch
import numpy as np
import numba
import nvidia_like
from mmcv import Config
import accelerate
import onnxruntime
#### names of the user
import torch
from .triton import thing
cupy = 1
print(cupy)
#### a file of TensorFlow
import tensorflow as tf
import pynvml
#### with frameworks=tensorflow,torch
#### libraries that find the NPU themselves
import torch
import transformers, peft, trl
import deepspeed
import timm, torchvision
import pytorch_lightning as pl
#### FlexAttention, in a release with it
import torch
from torch.nn.attention.flex_attention import flex_attention
#### with torch_npu=2.14.0
#### a folder of the project with the name of a library
import torch
import triton
from triton.language import load
import importlib
importlib.import_module('triton.kernels')
#### file triton/__init__.py
value = 1
#### for type checkers only
from __future__ import annotations
from typing import TYPE_CHECKING
import torch
if TYPE_CHECKING:
    import cupy
