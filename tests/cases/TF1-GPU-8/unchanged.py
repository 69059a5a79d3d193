#### packages that ask the driver
import pynvml
from GPUtil import showUtilization
#### findings
1 manual
2 manual
#### packages that compute with CUDA
import cupy as cp
from numba import cuda
import pycuda.driver
from numba.cuda import jit
#### findings
1 blocker
2 blocker
3 blocker
4 blocker
#### data and inference on GPUs
from nvidia.dali.pipeline import Pipeline
import tensorflow.contrib.tensorrt as trt
from tensorflow.python.compiler.tensorrt import trt_convert
#### findings
1 manual
2 manual
3 manual
#### a program that goes on without
try:
    import cupy as np
except ImportError:
    import numpy as np
#### findings
2 info
#### a handler for something else
try:
    import pynvml
except KeyError:
    pass
#### findings
2 manual
#### the parts of numba that run on the host
import numba
from numba import jit
#### a module of the project that sounds alike
from utils import pynvml
from .cupy import helper
#### the rest of the vendor's packages is not CUDA's business
import nvidia_docs
import tensorflow as tf
#### only mentioned
name = 'cupy'
#### sums over the GPUs of one process
import tensorflow as tf
from tensorflow.python.ops import nccl_ops
a = tf.contrib.nccl.all_sum(grads)
b = nccl_ops.all_sum(grads)
#### findings
3 manual
4 manual
