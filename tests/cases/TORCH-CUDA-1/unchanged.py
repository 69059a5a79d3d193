#### names of other rules
import torch
torch.cuda.amp.autocast()
torch.cuda.CUDAGraph()
torch.cuda.FloatTensor(2)
torch.cuda.nvtx.range_push("a")
torch.cuda.get_device_capability()
torch.cuda.comm.broadcast(x, [0, 1])
#### imported names change where they are imported
from torch.cuda import synchronize
from torch import cuda
synchronize()
cuda.is_available()
#### somebody else's cuda
import numba.cuda
from numba import cuda
numba.cuda.synchronize()
cuda.synchronize()
cfg.cuda.is_available()
#### a local name torch
def f(torch):
    return torch.cuda.is_available()
#### methods
import torch
x = torch.ones(1).cuda()
#### texts and remarks
import torch
print("torch.cuda.is_available()")  # torch.cuda.synchronize()
#### flags of backends
import torch
torch.backends.cuda.matmul.allow_tf32 = True
#### already migrated
import torch
import torch_npu
torch.npu.synchronize()
#### under the switch
import torch
torch.cuda.synchronize()
#### with style=transfer
#### the build of CUDA sources is left to GPUs
import torch
sources = ["nms.c"]
if torch.cuda.is_available():
    sources += ["nms_cuda.c"]
    defines = [("WITH_CUDA", None)]
#### findings
3 manual
#### a choice between two builds of a package stays with GPUs
import torch
check_requirements("onnxruntime-gpu" if torch.cuda.is_available() else "onnxruntime")
check_requirements(("onnx", "onnxruntime" if not torch.cuda.is_available() else "onnxruntime-gpu"))
#### findings
2 manual
3 manual
#### so does an installation, and an extension that is compiled
import os
import torch
from torch.utils.cpp_extension import load
if torch.cuda.is_available():
    os.system("pip install faiss-gpu==1.7.2")
if torch.cuda.is_available() and fast:
    ops = load("ops", ["ops.cpp", "ops.cu"])
#### findings
4 manual
6 manual
#### a build for GPUs of any package
import torch
check("paddlepaddle-gpu" if torch.cuda.is_available() else "paddlepaddle")
#### findings
2 manual
