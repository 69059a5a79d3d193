#### the CPU only
import torch
from torch.profiler import ProfilerActivity
with torch.profiler.profile(activities=[ProfilerActivity.CPU]) as prof:
    pass
#### names of regions
import torch
with torch.profiler.record_function("a"):
    pass
#### another profiler of torch
import torch
with torch.autograd.profiler.profile():
    pass
#### somebody else's profiler
from mylib.profiler import profile
with profile():
    pass
#### already migrated
import torch_npu
with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU],
                                experimental_config=torch_npu.profiler._ExperimentalConfig()):
    pass
#### Python's own
import cProfile
cProfile.run("x")
#### under the switch
import torch
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]):
    pass
#### with style=transfer
#### a text
import torch
print("torch.profiler.profile")
#### activities of other accelerators
import torch
torch.profiler.ProfilerActivity.XPU
