#### a table
import torch
with torch.profiler.profile() as prof:
    pass
print(prof.key_averages().table(sort_by="cuda_time_total"))
print(prof.events())
#### findings
4 manual
5 manual
#### a profile nobody knows
import torch
def report(prof):
    print(prof.key_averages().table())
    return prof.events()
#### findings
3 manual
#### autograd keeps its tables
import torch
with torch.autograd.profiler.profile(use_device="npu") as prof:
    pass
print(prof.key_averages())
def show(other):
    return other.key_averages()
#### events of something else
import torch
queue.events()
