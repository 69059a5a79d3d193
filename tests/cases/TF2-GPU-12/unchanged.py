#### packages that ask the driver, and that compute or read with CUDA
import tensorflow as tf
import pynvml
import cupy as cp
from nvidia.dali.plugin.tf import DALIDataset
#### findings
2 manual
3 blocker
4 manual
#### a program that goes on without
import tensorflow as tf

try:
    import cupy as np
except ImportError:
    import numpy as np
#### findings
4 info
#### a module of the project that sounds alike
import tensorflow as tf
from utils import pynvml
from .cupy import helper
