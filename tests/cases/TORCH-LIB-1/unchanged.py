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
