#### a release without graphs
import torch
g = torch.cuda.CUDAGraph()
#### with torch_npu=2.4.0
#### findings
2 manual
#### a release with them
import torch
g = torch.cuda.CUDAGraph()
#### with torch_npu=2.4.0.post4
#### after
import torch
g = torch.npu.NPUGraph()
#### findings
2 auto-check
