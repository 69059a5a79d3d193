#### mixed precision has rules of its own
from torch.cuda.amp import autocast, GradScaler
from torch.cuda import amp
import torch.cuda.amp
#### no counterpart
from torch.cuda import comm, nccl
from torch.cuda.comm import broadcast
import torch.cuda.nccl as nccl_
#### functions of a class cannot be imported
from torch.cuda.nvtx import range_push, range_pop
#### findings
1 manual
#### everything
from torch.cuda import *
#### findings
1 manual
#### somebody else's cuda
from numba import cuda
from . import cuda as mine
cuda.synchronize()
#### other parts of torch
import torch
from torch import nn
import torch.backends.cuda
#### under the switch
from torch.cuda import Stream
from torch import cuda
import torch.cuda as tc
#### with style=transfer
#### already moved
from torch_npu.npu import Stream
from torch_npu import npu
import torch_npu.npu as tc
#### the module of the project
from mytorch.cuda import Stream
#### file mytorch/cuda.py
class Stream: pass
#### names of the module itself are the same objects
from torch.npu import Stream
import torch.npu
