#### beside another
import torch
with torch.cuda.profiler.profile(), torch.autograd.profiler.emit_nvtx():
    pass
#### findings
2 manual
#### bound to a name
import torch
with torch.autograd.profiler.emit_nvtx() as e:
    pass
#### findings
2 manual
#### made before
import torch
e = torch.autograd.profiler.emit_nvtx(enabled=False)
#### findings
2 manual
#### other profilers
import torch
with torch.autograd.profiler.profile():
    pass
#### another package
from pyprof import emit_nvtx
with emit_nvtx():
    pass
#### a text
print("emit_nvtx")
