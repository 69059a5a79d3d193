#### the version decides
import torch
if torch.version.cuda is None:
    use_cpu()
new = torch.version.cuda >= "11.0"
major = torch.version.cuda.split(".")[0]
if torch.version.cuda:
    pass
#### findings
2 manual
4 manual
5 manual
6 manual
#### ROCm's version, which is None on a GPU of NVIDIA as well
import torch
ok = torch.version.hip and fast()
#### the version is shown
import torch
print(torch.version.cuda, f"{torch.version.cuda}")
info = {"cuda": torch.version.cuda}
#### findings
2 info
2 info
3 info
#### private functions
import torch
torch._C._cuda_getDeviceCount()
torch._C._cudart.cudaGetErrorString
#### findings
2 manual
3 manual
#### other versions
import torch
print(torch.__version__, torch.version.git_version)
torch._C._log_api_usage_once("a")
#### a version of something else
from mmcv import version
version.cuda
