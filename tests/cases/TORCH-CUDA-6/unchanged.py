#### read at once
import torch
n = torch.cuda.get_device_properties(0).multi_processor_count
m = torch.cuda.get_device_properties(0).total_memory
#### findings
2 manual
#### read from a variable
import torch
def show(i):
    props = torch.cuda.get_device_properties(i)
    print(props.name, props.major, props.total_memory)
    return props.warp_size
#### findings
4 manual
5 manual
#### after the rename
import torch
print(torch.npu.get_device_properties(0).minor)
#### findings
2 manual
#### a variable of the same name elsewhere
import torch
def show(i):
    props = torch.cuda.get_device_properties(i)
    return props.name
def other(props):
    return props.major
#### what an NPU fills in
import torch
p = torch.cuda.get_device_properties("cuda:0")
print(p.name, p.total_memory, p.L2_cache_size)
#### of something else
props = library.get_device_properties(0)
print(props.major)
