#### functions and classes
from torch.cuda import Stream, current_stream as now
s = Stream()
#### after
from torch_npu.npu import Stream, current_stream as now
s = Stream()
#### findings
1 auto
#### several lines with a remark
from torch.cuda import (
    Event,  # for timing
    synchronize,
)
#### after
from torch_npu.npu import (
    Event,  # for timing
    synchronize,
)
#### a submodule
from torch.cuda.memory import memory_stats
from torch.cuda.streams import Stream
#### after
from torch_npu.npu import memory_stats
from torch_npu.npu import Stream
#### a private name of a submodule
from torch.cuda.memory import _snapshot
#### after
from torch_npu.npu.memory import _snapshot
#### another name, the same local one
from torch.cuda import CUDAGraph, nvtx
nvtx.range_push("a")
g = CUDAGraph()
#### after
from torch_npu.npu import NPUGraph as CUDAGraph, mstx as nvtx
nvtx.range_push("a")
g = CUDAGraph()
#### what has no counterpart stays
from torch.cuda import Stream, comm
#### after
from torch_npu.npu import Stream
from torch.cuda import comm
#### the exception is torch's own
from torch.cuda import OutOfMemoryError
#### after
from torch import OutOfMemoryError
#### mixed precision among others
from torch.cuda import amp, synchronize
#### after
from torch_npu.npu import amp, synchronize
#### the module, its uses follow
from torch import cuda

def f():
    cuda.synchronize()
    return cuda.is_available()
#### after
from torch_npu import npu

def f():
    npu.synchronize()
    return npu.is_available()
#### the module among others, where npu means something else
from torch import cuda, nn
npu = cuda.is_available()
#### after
from torch import nn
from torch_npu import npu as cuda
npu = cuda.is_available()
#### the module under a name
from torch import cuda as device_module
device_module.synchronize()
#### after
from torch_npu import npu as device_module
device_module.synchronize()
#### import as
import torch.cuda as tc
import torch.cuda.memory as memory
import torch.cuda.nvtx as nvtx
tc.synchronize()
#### after
import torch_npu.npu as tc
import torch_npu.npu.memory as memory
from torch_npu.npu import mstx as nvtx
tc.synchronize()
#### the module for torch's sake
import torch.cuda
print(torch.ones(1))
#### after
import torch
print(torch.ones(1))
#### torch is there already
import torch
import torch.cuda
print(torch.ones(1))
#### after
import torch
print(torch.ones(1))
#### among other modules
import os, torch.cuda, torch.nn as nn
x = torch.ones(1)
#### after
import os, torch, torch.nn as nn
x = torch.ones(1)
#### inside a function
def f():
    if ready:
        from torch.cuda import Stream, comm
        return Stream()
#### after
def f():
    if ready:
        from torch_npu.npu import Stream
        from torch.cuda import comm
        return Stream()
#### the switch does not know nvtx
from torch.cuda import nvtx, synchronize
#### with style=transfer
#### after
from torch_npu.npu import mstx as nvtx
from torch.cuda import synchronize
#### a second copy of a submodule
from torch.npu.amp import autocast, GradScaler
import torch.npu.amp as amp
#### after
from torch_npu.npu.amp import autocast, GradScaler
import torch_npu.npu.amp as amp
#### findings
1 auto
2 auto
